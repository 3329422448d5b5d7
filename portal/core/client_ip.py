"""Client addresses of requests that arrive through trusted proxies.

X-Forwarded-For is a list to which each proxy appends the address that connected to it. The client can forge everything
to the left of the entries of the trusted proxies, so the portal ignores it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network
MAX_PROXIES = 10
MIN_PREFIXES = {4: 8, 6: 16}  # larger networks include addresses of other people
IPV4_MAPPED_PREFIX = 96
IPV6_SITE_PREFIX = 64  # a site usually has a whole /64, so limits count it as one client


@dataclass(frozen=True, slots=True)
class TrustedProxies:
    """Proxies in front of the portal: their number, or the networks they connect from."""

    count: int = 0
    networks: tuple[IPNetwork, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.count or self.networks)


def parse_trusted_proxies(value: str) -> TrustedProxies:
    """Return the proxies named by a number or by a comma-separated list of networks.

    Raises:
        ValueError: The text is neither, or a network is too large. Its message says which part is wrong.
    """
    if value.isascii() and value.isdigit():
        if int(value) > MAX_PROXIES:
            raise ValueError(f"at most {MAX_PROXIES} proxies, not {value}")
        return TrustedProxies(count=int(value))
    return TrustedProxies(networks=tuple(_parse_network(part.strip()) for part in value.split(",") if part.strip()))


def _parse_network(part: str) -> IPNetwork:
    try:
        network = ip_network(part)
    except ValueError:
        raise ValueError(f"a number of proxies, or their addresses such as 10.0.0.2, not {part!r}") from None
    network = unmap_network(network)
    if network.prefixlen < MIN_PREFIXES[network.version]:
        raise ValueError(f"the addresses of your own proxies, or their networks; {part} is too large")
    return network


def unmap_network(network: IPNetwork) -> IPNetwork:
    """Return the IPv4 network that an IPv6 network such as ::ffff:10.0.0.0/104 stands for; any other as it is."""
    ipv4_address = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    if ipv4_address is None or network.prefixlen < IPV4_MAPPED_PREFIX:
        return network
    return IPv4Network((ipv4_address, network.prefixlen - IPV4_MAPPED_PREFIX))


def get_client_ip(request: HttpRequest) -> str:
    """Return the address of the client, or an empty string if the server provides none.

    If X-Forwarded-For lacks the entries of the trusted proxies, this is the address of the connection, which cannot be
    forged.
    """
    proxies: TrustedProxies = settings.TRUSTED_PROXIES
    peer = _parse_address(request.META.get("REMOTE_ADDR", ""))
    entries = [entry for entry in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if entry.strip()]
    if proxies.count:
        client = _parse_address(entries[-proxies.count]) if len(entries) >= proxies.count else None
    else:
        client = _find_untrusted(peer, map(_parse_address, reversed(entries)), proxies.networks)
    return str(client or peer or "")


def get_client_network(request: HttpRequest) -> str:
    """Return the unit for rate limits: an IPv4 address, or the network of an IPv6 address."""
    text = get_client_ip(request)
    if ":" not in text:
        return text
    return str(ip_network((text, IPV6_SITE_PREFIX), strict=False))


def _find_untrusted(
    peer: IPAddress | None, hops: Iterator[IPAddress | None], networks: tuple[IPNetwork, ...]
) -> IPAddress | None:
    """Return the first address on the way from the connection to the client that is not a trusted proxy.

    A connection without an address uses a Unix socket, which only a local proxy can open.
    """
    nearest = peer
    while networks and (nearest is None or any(nearest in network for network in networks)):
        hop = next(hops, None)
        if hop is None:  # end of the list, or not an address
            break
        nearest = hop
    return nearest


@lru_cache(maxsize=1024)
def _parse_address(text: str) -> IPAddress | None:
    """Return the address in an entry, which can have a port, brackets, or a zone, or None if there is no address."""
    host = text.strip().strip('"')
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    ipv4_address = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return ipv4_address or address
