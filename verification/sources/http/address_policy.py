"""Addresses that the portal never connects to. The table is our own because Python's answers vary by version.

After IANA's registries of special-purpose addresses (IPv4 and IPv6), with multicast, the addresses that carry an
IPv4 address inside, and the host agents of clouds that have an ordinary address. Standard library only.
"""

from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

IpAddress = IPv4Address | IPv6Address

SPECIAL_NETWORKS_V4 = (
    ("0.0.0.0/8", "an address of this machine"),
    ("10.0.0.0/8", "a private address"),
    ("100.64.0.0/10", "an address inside a carrier's network"),
    ("127.0.0.0/8", "an address of this machine"),
    ("168.63.129.16/32", "the host agent of a cloud"),
    ("169.254.0.0/16", "a link-local address"),
    ("172.16.0.0/12", "a private address"),
    ("192.0.0.0/24", "an address for protocols"),
    ("192.0.2.0/24", "an address for documentation"),
    ("192.31.196.0/24", "an address for a special service"),
    ("192.52.193.0/24", "an address for a special service"),
    ("192.88.99.0/24", "a relay address"),
    ("192.168.0.0/16", "a private address"),
    ("192.175.48.0/24", "an address for a special service"),
    ("198.18.0.0/15", "an address for measurements"),
    ("198.51.100.0/24", "an address for documentation"),
    ("203.0.113.0/24", "an address for documentation"),
    ("224.0.0.0/4", "a multicast address"),
    ("240.0.0.0/4", "a reserved address"),
)
SPECIAL_NETWORKS_V6 = (
    ("::/128", "an address of this machine"),
    ("::1/128", "an address of this machine"),
    ("100::/64", "an address that discards"),
    ("100:0:0:1::/64", "a reserved address"),
    ("2001:db8::/32", "an address for documentation"),
    ("2001::/23", "an address for protocols"),
    ("2620:4f:8000::/48", "an address for a special service"),
    ("3fff::/20", "an address for documentation"),
    ("5f00::/16", "an address for segment routing"),
    ("fc00::/7", "a private address"),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a site-local address"),
    ("ff00::/8", "a multicast address"),
)
# network, and how many bits to the right of the end the IPv4 address ends
EMBEDDING_NETWORKS = (
    ("::ffff:0:0/96", 0),  # mapped
    ("::ffff:0:0:0/96", 0),  # translated
    ("64:ff9b::/96", 0),  # NAT64
    ("64:ff9b:1::/48", 0),  # NAT64 of one's own; the usual place is the end
    ("2002::/16", 80),  # 6to4
    ("2001::/32", None),  # Teredo: the client's address, inverted
    ("::/96", 0),  # compatible
)
GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")
ISATAP_IDENTIFIERS = (0x00005EFE, 0x02005EFE)


@cache
def _load_special_networks(version: int) -> tuple[tuple[IPv4Network | IPv6Network, str], ...]:
    if version == 4:
        return tuple((IPv4Network(network), description) for network, description in SPECIAL_NETWORKS_V4)
    return tuple((IPv6Network(network), description) for network, description in SPECIAL_NETWORKS_V6)


@cache
def _load_embedding_networks() -> tuple[tuple[IPv6Network, int | None], ...]:
    return tuple((IPv6Network(network), shift) for network, shift in EMBEDDING_NETWORKS)


def extract_embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address carries, None where it carries none."""
    number = int(address)
    for network, shift in _load_embedding_networks():
        if address in network:
            ipv4_bits = (number ^ 0xFFFFFFFF) if shift is None else number >> shift
            return IPv4Address(ipv4_bits & 0xFFFFFFFF)
    if (number >> 32) & 0xFFFFFFFF in ISATAP_IDENTIFIERS:
        return IPv4Address(number & 0xFFFFFFFF)
    return None


def describe_forbidden_address(address: IpAddress) -> str:
    """What kind of address that no request may go to; blank for an ordinary one."""
    for network, description in _load_special_networks(address.version):
        if address in network:
            return description
    if isinstance(address, IPv4Address):
        return ""
    embedded_ipv4 = extract_embedded_ipv4(address)
    if embedded_ipv4 is not None:
        return f"an address that hides {embedded_ipv4}"
    return "" if address in GLOBAL_UNICAST_V6 else "a reserved address"


def is_loopback(address: IpAddress) -> bool:
    """Whether the address is plainly this machine: 127.0.0.0/8 or ::1, and no other spelling."""
    return address in IPv4Network("127.0.0.0/8") if address.version == 4 else address == IPv6Address("::1")


def parse_ip_address(text: str) -> IpAddress | None:
    """The address that the text is in the usual notation; None for anything else, zones included."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None
