"""Addresses that no request may reach, from each special network and each cloud, and their spellings."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_network

from tests.verification.text import split_words

FIRST_AND_LAST_V4 = split_words("""
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
240.0.0.0/4
""")
SINGLE_V4 = split_words("""
127.0.0.1 127.0.0.53 127.1.2.3 10.0.0.1 10.1.2.3 10.96.0.1 10.255.255.254 100.100.100.200 100.64.0.1 100.127.255.254
168.63.129.16 169.254.169.254 169.254.170.2 169.254.169.123 169.254.1.1 172.17.0.1 172.31.255.254 192.0.0.1 192.0.0.8
192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.171 192.0.0.192 192.168.0.1 192.168.1.1 192.168.99.100 192.168.255.254
198.18.0.1 198.19.255.254 224.0.0.1 224.0.0.251 239.255.255.250 233.252.0.1 240.0.0.1 255.255.255.254 192.88.99.1
192.31.196.1 192.52.193.1 192.175.48.6 0.0.0.1 0.1.2.3
""")
FIRST_AND_LAST_V6 = split_words("""
::/127 100::/64 100:0:0:1::/64 2001::/32 2001:1::/32 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28
2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 64:ff9b::/96 64:ff9b:1::/48 fc00::/7
fe80::/10 fec0::/10 ff00::/8
""")
SINGLE_V6 = split_words("""
::1 ::2 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::8.8.8.8 64:ff9b:1::7f00:1 2002:7f00:1:: 2002:a9fe:a9fe:: 2002:c0a8:101::1
2001:0:53aa:64c:0:0:80ff:fffe 2001:db8::1 fd00:ec2::254 fd00::1 fd20:ce::254 fc00::1 fe80::1 fe80::a9fe:a9fe fec0::1
feff:ffff::1 ff02::1 ff05::2 ff0e::1 5f00::1 3fff::1 ::127.0.0.1 1::1 4000::1 6000::1 8000::1 a000::1 e000::1 f800::1
2606:2800::5efe:10.0.0.1 2606:2800::200:5efe:7f00:1 2001:4860:0:0:0:5efe:a9fe:a9fe
""")


def list_ipv4_addresses() -> list[IPv4Address]:
    ends = [IPv4Address(end) for text in FIRST_AND_LAST_V4 for end in _get_ends(text)]
    return list(dict.fromkeys((*ends, *map(IPv4Address, SINGLE_V4))))


def list_ipv6_addresses() -> list[IPv6Address]:
    ends = [IPv6Address(end) for text in FIRST_AND_LAST_V6 for end in _get_ends(text)]
    return list(dict.fromkeys((*ends, *map(IPv6Address, SINGLE_V6))))


def _get_ends(text: str) -> tuple[int, int]:
    network = ip_network(text)
    return int(network.network_address), int(network.broadcast_address)


FULL_WIDTH = str.maketrans("0123456789.", "０１２３４５６７８９．")


def _format_groups(address: IPv4Address) -> str:
    high, low = divmod(int(address), 1 << 16)
    return f"{high:x}:{low:x}"


# how a URL can spell the host
SPELLINGS_V4: dict[str, Callable[[IPv4Address], str]] = {
    "dotted": str,
    "decimal": lambda a: str(int(a)),
    "hexadecimal": lambda a: hex(int(a)),
    "octal": lambda a: ".".join(f"0{part:o}" for part in a.packed),
    "short": lambda a: f"{a.packed[0]}.{int(a) & 0xFFFFFF}",
    "trailing dot": lambda a: f"{a}.",
    "full width": lambda a: str(a).translate(FULL_WIDTH),
    "user name": lambda a: f"registry.terraform.io@{a}",
    "mapped": lambda a: f"[::ffff:{_format_groups(a)}]",
    "NAT64": lambda a: f"[64:ff9b::{_format_groups(a)}]",
    "6to4": lambda a: f"[2002:{_format_groups(a)}::]",
}
SPELLINGS_V6: dict[str, Callable[[IPv6Address], str]] = {
    "short": lambda a: f"[{a}]",
    "long": lambda a: f"[{a.exploded}]",
    "capitals": lambda a: f"[{a.exploded.upper()}]",
    "without brackets": str,
    "zone": lambda a: f"[{a}%25eth0]",
    "bare zone": lambda a: f"[{a}%1]",
    "dotted end": lambda a: f"[{':'.join(a.exploded.split(':')[:6])}:{IPv4Address(int(a) & 0xFFFFFFFF)}]",
    "user name": lambda a: f"registry.terraform.io@[{a}]",
    "literal name": lambda a: f"{str(a).replace(':', '-')}.ipv6-literal.net.local",
}
