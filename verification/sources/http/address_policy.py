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
GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")
ISATAP_IDENTIFIERS = (0x00005EFE, 0x02005EFE)  # before an IPv4 address, in any network (RFC 5214)


def describe_forbidden_address(address: IpAddress) -> str:
    """Return the description of an address that no request may use, or a blank string for an allowed address."""
    for network, description in SPECIAL_NETWORKS.items():
        if address in network:
            return description
    if isinstance(address, IPv4Address):
        return ""
    if (int(address) >> 32) & 0xFFFFFFFF in ISATAP_IDENTIFIERS:
        return "an address that hides an IPv4 address"
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
