"""Tests that no request reaches a private or special address."""

import socket
import ssl
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, NoReturn

import pytest

from tests.verification.sources.http.connections import replace_create_connection
from tests.verification.sources.http.forbidden_addresses import (
    SPELLINGS_V4,
    SPELLINGS_V6,
    list_ipv4_addresses,
    list_ipv6_addresses,
)
from tests.verification.sources.http.server import Canary, Server, respond
from tests.verification.text import split_words
from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls
from verification.sources.http.address_policy import describe_forbidden_address
from verification.sources.http.client import JSON, OutboundClient

FORBIDDEN_ADDRESSES: list[IPv4Address | IPv6Address] = [*list_ipv4_addresses(), *list_ipv6_addresses()]
PUBLIC_ADDRESSES = split_words("""
1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.0.1.0 198.17.255.255
198.20.0.0 223.255.255.255 168.63.129.15 168.63.129.17 11.0.0.0 128.0.0.0 2606:4700::1111 2a00:1450:4001::200e
2001:4860:4860::8888 2400:cb00::1 2620:4f:8001::1""")

REBINDING_ATTEMPTS = 1000


def fail_if_called(*_: object) -> NoReturn:
    raise AssertionError("no name may be resolved and no address dialed")


def resolve_to(addresses: list[str], _host: str, _port: int) -> list[str]:
    return addresses


@pytest.fixture
def forbid_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_create_connection(monkeypatch, fail_if_called)


def test_table_is_long_enough() -> None:
    assert len(FORBIDDEN_ADDRESSES) >= 150
    assert min(len(SPELLINGS_V4), len(SPELLINGS_V6)) >= 8


def test_special_addresses_are_forbidden() -> None:
    assert [str(address) for address in FORBIDDEN_ADDRESSES if not describe_forbidden_address(address)] == []


@pytest.mark.parametrize("text", PUBLIC_ADDRESSES)
def test_public_addresses_are_allowed(text: str) -> None:
    assert describe_forbidden_address(ip_address(text)) == ""


def test_special_addresses_are_refused_in_every_spelling(forbid_connections: None) -> None:
    spellings = [spell(a) for a in list_ipv4_addresses() for spell in SPELLINGS_V4.values()]
    spellings += [spell(a) for a in list_ipv6_addresses() for spell in SPELLINGS_V6.values()]
    assert len(spellings) >= 150 * 8
    client = OutboundClient(resolve=fail_if_called)
    for host in spellings:
        with pytest.raises(RequestRefusedError):
            client.get(f"https://{host}/", JSON)


def test_special_addresses_behind_a_name_are_refused(forbid_connections: None) -> None:
    for address in FORBIDDEN_ADDRESSES:
        client = OutboundClient(resolve=partial(resolve_to, ["93.184.216.34", str(address)]))
        with pytest.raises(RequestRefusedError, match="resolves to"):
            client.get("https://registry.acme.io/", JSON)


def test_loopback_setting_allows_only_loopback_addresses(forbid_connections: None) -> None:
    client = OutboundClient(loopback=True, resolve=fail_if_called)
    allowed_addresses = []
    for address in FORBIDDEN_ADDRESSES:
        host = f"[{address}]" if address.version == 6 else str(address)
        try:
            urls.parse_url(f"http://{host}:8080/", loopback=True)
        except RequestRefusedError:
            with pytest.raises(RequestRefusedError):
                client.get(f"https://{host}/", JSON)
        else:
            allowed_addresses.append(str(address))
    assert sorted(allowed_addresses) == ["127.0.0.0", "127.0.0.1", "127.0.0.53", "127.1.2.3", "127.255.255.255", "::1"]


def test_loopback_setting_requires_every_resolved_address_to_be_loopback(forbid_connections: None) -> None:
    client = OutboundClient(loopback=True, resolve=lambda *_: ["127.0.0.1", "10.0.0.1"])
    with pytest.raises(RequestRefusedError, match=r"10\.0\.0\.1, a private address"):
        client.get("http://localhost:80/", JSON)


def test_blocked_network_is_refused(forbid_connections: None) -> None:
    client = OutboundClient(resolve=lambda *_: ["198.41.0.4"], blocked_networks=["198.41.0.0/24"])
    with pytest.raises(RequestRefusedError, match=r"198\.41\.0\.4, an address in a blocked network\."):
        client.get("https://portal.acme.io/", JSON)


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("::ffff:127.0.0.1", "an address that hides an IPv4 address"),
        ("::ffff:0:127.0.0.1", "an address that hides an IPv4 address"),
        ("64:ff9b::7f00:1", "an address that hides an IPv4 address"),
        ("64:ff9b:1::7f00:1", "an address that hides an IPv4 address"),
        ("2002:7f00:1::", "an address that hides an IPv4 address"),
        ("2001:0:53aa:64c:0:0:80ff:fffe", "an address for protocols"),
        ("::7f00:1", "an address that hides an IPv4 address"),
        ("::1", "an address of this machine"),
        ("2606:2800::5efe:a00:1", "an address that hides an IPv4 address"),
        ("4000::1", "a reserved address"),
        ("2606:4700::1111", ""),
    ],
)
def test_address_has_the_description_of_its_network(text: str, description: str) -> None:
    assert describe_forbidden_address(ip_address(text)) == description


def test_dns_rebinding_reaches_no_private_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """The resolver alternates between a public address and this machine."""
    canary = Canary()
    asked_hosts = []
    dialed_addresses = []
    real = socket.create_connection

    def resolve(host: str, port: int) -> list[str]:
        asked_hosts.append(host)
        return ["93.184.216.34"] if len(asked_hosts) % 2 else ["127.0.0.1"]

    def connect(address: tuple[str, int], *args: Any, **kwargs: Any) -> socket.socket:
        dialed_addresses.append(address[0])
        if address[0] == "127.0.0.1":
            return real(address, *args, **kwargs)
        raise OSError("unreachable")

    replace_create_connection(monkeypatch, connect)
    monkeypatch.setattr(urls, "PORTS", frozenset({canary.port}))
    client = OutboundClient(resolve=resolve)
    outcomes = []
    for number in range(REBINDING_ATTEMPTS):
        try:
            client.get(f"https://a{number}.rebind.io:{canary.port}/", JSON)
        except Exception as error:
            outcomes.append(type(error).__name__)
    assert canary.stop() == 0
    assert len(asked_hosts) == REBINDING_ATTEMPTS
    assert set(dialed_addresses) == {"93.184.216.34"}
    assert (outcomes.count("BrokenConnectionError"), outcomes.count("ForbiddenAddressError")) == (
        REBINDING_ATTEMPTS // 2,
        REBINDING_ATTEMPTS // 2,
    )


def test_dns_rebinding_after_a_redirect_reaches_no_private_address(
    tls: tuple[Server, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An allowed host redirects to a name that resolves to a public and a private address, or to a private one."""
    server, client_context = tls
    canary = Canary()
    asked_hosts: dict[str, int] = {}
    dialed_addresses = []
    real = socket.create_connection

    def resolve(host: str, port: int) -> list[str]:
        asked_hosts[host] = asked_hosts.get(host, 0) + 1
        if host == "registry.acme.io":
            return ["127.0.0.1"]
        return ["10.0.0.1", "93.184.216.34"] if len(asked_hosts) % 2 else ["169.254.169.254"]

    def connect(address: tuple[str, int], *args: Any, **kwargs: Any) -> socket.socket:
        dialed_addresses.append(address)
        return real(address, *args, **kwargs)

    replace_create_connection(monkeypatch, connect)
    monkeypatch.setattr(urls, "PORTS", frozenset({server.port, canary.port}))
    client = OutboundClient(loopback=True, resolve=resolve, context=client_context)
    for number in range(50):
        place = f"https://a{number}.rebind.io:{canary.port}/".encode()
        server.answers["/leads"] = respond(b"", b"Location: " + place, status=b"302 Found")
        with pytest.raises(RequestRefusedError, match="resolves to"):
            client.get(f"https://registry.acme.io:{server.port}/leads", JSON)
    assert canary.stop() == 0
    assert set(dialed_addresses) == {("127.0.0.1", server.port)}
    assert {host: times for host, times in asked_hosts.items() if times > 1} == {"registry.acme.io": 50}
