"""Addresses that the portal never connects to. The table is our own because Python's results vary by version.

It follows IANA's registries of special-purpose addresses (IPv4 and IPv6), and adds multicast, addresses with an
embedded IPv4 address, and metadata services of clouds that use an ordinary address.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path

from portal.core.content_files import load_content

IpAddress = IPv4Address | IPv6Address

SPECIAL_NETWORKS = {
    ip_network(network): description
    for network, description in load_content(
        Path(__file__).parent.parent / "data" / "special_addresses.yaml", dict[str, str]
    ).items()
}
# Each network with the number of bits after the embedded IPv4 address.
EMBEDDING_NETWORKS = (
    (IPv6Network("::ffff:0:0/96"), 0),  # mapped
    (IPv6Network("::ffff:0:0:0/96"), 0),  # translated
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (IPv6Network("64:ff9b:1::/48"), 0),  # local-use NAT64; the address is usually at the end
    (IPv6Network("2002::/16"), 80),  # 6to4
    (IPv6Network("2001::/32"), None),  # Teredo: the client's address, inverted
    (IPv6Network("::/96"), 0),  # compatible
)
GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")
ISATAP_IDENTIFIERS = (0x00005EFE, 0x02005EFE)


def extract_embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address embedded in an IPv6 address, or None without one."""
    number = int(address)
    for network, shift in EMBEDDING_NETWORKS:
        if address in network:
            ipv4_bits = (number ^ 0xFFFFFFFF) if shift is None else number >> shift
            return IPv4Address(ipv4_bits & 0xFFFFFFFF)
    if (number >> 32) & 0xFFFFFFFF in ISATAP_IDENTIFIERS:
        return IPv4Address(number & 0xFFFFFFFF)
    return None


def describe_forbidden_address(address: IpAddress) -> str:
    """Return the description of an address that no request may use, or a blank string for an allowed address."""
    for network, description in SPECIAL_NETWORKS.items():
        if address in network:
            return description
    if isinstance(address, IPv4Address):
        return ""
    embedded_ipv4 = extract_embedded_ipv4(address)
    if embedded_ipv4 is not None:
        return f"an address that hides {embedded_ipv4}"
    return "" if address in GLOBAL_UNICAST_V6 else "a reserved address"


def is_loopback(address: IpAddress) -> bool:
    """Return whether the address is 127.0.0.0/8 or ::1. IPv6 addresses with an embedded IPv4 address don't count."""
    return address in IPv4Network("127.0.0.0/8") if address.version == 4 else address == IPv6Address("::1")


def parse_ip_address(text: str) -> IpAddress | None:
    """Parse an IP address. Return None for any other text, including an address with a zone."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None
