"""Addresses that the portal never connects to. The table is our own because Python's answers vary by version.

After IANA's registries of special-purpose addresses (IPv4 and IPv6), with multicast, the addresses that carry an
IPv4 address inside, and the host agents of clouds that have an ordinary address.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path

from pydantic import TypeAdapter

from portal.core.content_files import load_content

IpAddress = IPv4Address | IPv6Address

SPECIAL_NETWORKS = {
    ip_network(network): description
    for network, description in load_content(
        Path(__file__).parent.parent / "data" / "special_addresses.yaml", TypeAdapter(dict[str, str])
    ).items()
}
# network, and how many bits to the right of the end the IPv4 address ends
EMBEDDING_NETWORKS = (
    (IPv6Network("::ffff:0:0/96"), 0),  # mapped
    (IPv6Network("::ffff:0:0:0/96"), 0),  # translated
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (IPv6Network("64:ff9b:1::/48"), 0),  # NAT64 of one's own; the usual place is the end
    (IPv6Network("2002::/16"), 80),  # 6to4
    (IPv6Network("2001::/32"), None),  # Teredo: the client's address, inverted
    (IPv6Network("::/96"), 0),  # compatible
)
GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")
ISATAP_IDENTIFIERS = (0x00005EFE, 0x02005EFE)


def extract_embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address carries, None where it carries none."""
    number = int(address)
    for network, shift in EMBEDDING_NETWORKS:
        if address in network:
            ipv4_bits = (number ^ 0xFFFFFFFF) if shift is None else number >> shift
            return IPv4Address(ipv4_bits & 0xFFFFFFFF)
    if (number >> 32) & 0xFFFFFFFF in ISATAP_IDENTIFIERS:
        return IPv4Address(number & 0xFFFFFFFF)
    return None


def describe_forbidden_address(address: IpAddress) -> str:
    """What kind of address that no request may go to; blank for an ordinary one."""
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
    """Whether the address is plainly this machine: 127.0.0.0/8 or ::1, and no other spelling."""
    return address in IPv4Network("127.0.0.0/8") if address.version == 4 else address == IPv6Address("::1")


def parse_ip_address(text: str) -> IpAddress | None:
    """The address that the text is in the usual notation; None for anything else, zones included."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None
