"""Tests of client addresses behind trusted proxies."""

import http.client
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache
from django.test import RequestFactory

from portal.core.client_ip import get_client_ip, get_client_network, parse_trusted_proxies

pytestmark = pytest.mark.any_database

CLIENT = "203.0.113.9"
FORGED_ADDRESS = "198.51.100.66"
PROXY = "10.0.0.2"


def find_client_ip(settings: Any, proxies: str, peer: str, forwarded_for: str | None = None) -> str:
    settings.TRUSTED_PROXIES = parse_trusted_proxies(proxies)
    headers = {} if forwarded_for is None else {"x-forwarded-for": forwarded_for}
    return get_client_ip(RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer))


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded_for", "expected"),
    [
        ("0", CLIENT, None, CLIENT),
        ("0", CLIENT, FORGED_ADDRESS, CLIENT),
        ("1", PROXY, CLIENT, CLIENT),
        ("1", PROXY, f"{FORGED_ADDRESS}, {CLIENT}", CLIENT),
        ("1", PROXY, f"{FORGED_ADDRESS},,  ,{CLIENT}", CLIENT),
        ("1", PROXY, None, PROXY),
        ("1", PROXY, "", PROXY),
        ("1", PROXY, "unknown", PROXY),
        ("1", PROXY, f"{CLIENT}, <script>", PROXY),
        ("2", PROXY, f"{FORGED_ADDRESS}, {CLIENT}, 10.0.0.1", CLIENT),
        ("2", PROXY, CLIENT, PROXY),
        ("1", PROXY, "2001:db8::7", "2001:db8::7"),
        ("1", PROXY, "[2001:db8::7]:4711", "2001:db8::7"),
        ("1", PROXY, "fe80::1%eth0", "fe80::1"),
        ("1", PROXY, f"{CLIENT}:4711", CLIENT),
        ("1", PROXY, f"::ffff:{CLIENT}", CLIENT),
        ("1", "", CLIENT, CLIENT),
        ("1", "", None, ""),
    ],
)
def test_client_ip_is_found_behind_a_number_of_proxies(settings, proxies, peer, forwarded_for, expected):
    assert find_client_ip(settings, proxies, peer, forwarded_for) == expected


NETWORKS = "10.0.0.0/8, fd00::/16"


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "expected"),
    [
        (CLIENT, FORGED_ADDRESS, CLIENT),
        (PROXY, CLIENT, CLIENT),
        (PROXY, f"{FORGED_ADDRESS}, {CLIENT}", CLIENT),
        (PROXY, f"{FORGED_ADDRESS}, {CLIENT}, 10.9.9.9, fd00::5", CLIENT),
        (PROXY, f"{FORGED_ADDRESS}, 10.9.9.9, {CLIENT}", CLIENT),
        (PROXY, f"{CLIENT}, unknown, 10.9.9.9", "10.9.9.9"),
        (PROXY, None, PROXY),
        (PROXY, "10.1.1.1", "10.1.1.1"),
        ("fd00::9", "[2001:db8::7]:443", "2001:db8::7"),
        (f"::ffff:{PROXY}", CLIENT, CLIENT),
        ("", CLIENT, CLIENT),
        ("", None, ""),
    ],
)
def test_client_ip_is_found_behind_proxies_of_known_networks(settings, peer, forwarded_for, expected):
    assert find_client_ip(settings, NETWORKS, peer, forwarded_for) == expected


def test_network_of_mapped_addresses_is_one_of_ipv4(settings):
    assert find_client_ip(settings, "::ffff:10.0.0.0/104", PROXY, CLIENT) == CLIENT
    assert parse_trusted_proxies("::ffff:10.0.0.2") == parse_trusted_proxies("10.0.0.2")


@pytest.mark.parametrize(
    "networks",
    ["0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1", "10.0.0.0/7", "::/0", "2000::/3", "fd00::/8", "::ffff:0.0.0.0/96"],
)
def test_network_that_is_too_large_is_refused(networks):
    with pytest.raises(ValueError, match="is too large"):
        parse_trusted_proxies(networks)


def test_client_network_of_ipv6_is_a_site(settings):
    settings.TRUSTED_PROXIES = parse_trusted_proxies("0")
    request = SimpleNamespace(META={"REMOTE_ADDR": "2001:db8:1:2:3:4:5:6"})
    assert get_client_network(request) == "2001:db8:1:2::/64"
    assert get_client_network(SimpleNamespace(META={"REMOTE_ADDR": CLIENT})) == CLIENT


@pytest.mark.django_db
def test_several_forwarded_headers_are_one_list(settings, live_server):
    """A header sent by the client before the proxy's has no effect."""
    settings.TRUSTED_PROXIES = parse_trusted_proxies("1")
    for number in range(2):
        line = http.client.HTTPConnection(live_server.thread.host, live_server.thread.port)
        line.putrequest("GET", "/api/v1/programs")
        line.putheader("X-Forwarded-For", f"198.51.100.{number}")
        line.putheader("X-Forwarded-For", CLIENT)
        line.endheaders()
        answer = line.getresponse()
        assert answer.status == 200
        remaining = answer.headers["RateLimit"]
        line.close()
    assert '"default";r=118;' in remaining


@pytest.mark.django_db
@pytest.mark.parametrize("proxies", ["1", "10.0.0.0/8"])
def test_sign_in_limit_counts_clients_and_not_the_proxy(client, settings, proxies):
    settings.TRUSTED_PROXIES = parse_trusted_proxies(proxies)
    settings.ACCOUNT_RATE_LIMITS = {"login": "2/m/ip"}
    cache.clear()

    def sign_in(forwarded_for: str) -> int:
        fields = {"login": "alice@acme.example", "password": "wrong"}
        return client.post(
            "/accounts/login/", fields, REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_FOR=forwarded_for
        ).status_code

    forged_headers = [f"198.51.100.{n}, {CLIENT}" for n in range(3)]
    assert [sign_in(forwarded_for) for forwarded_for in forged_headers] == [200, 200, 429]
    assert sign_in("203.0.113.10") == 200


@pytest.mark.django_db
def test_sign_in_limit_counts_a_network_of_ipv6_as_one(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login": "2/m/ip"}
    cache.clear()

    def sign_in(address: str) -> int:
        fields = {"login": "alice@acme.example", "password": "wrong"}
        return client.post("/accounts/login/", fields, REMOTE_ADDR=address).status_code

    assert [sign_in(f"2001:db8:1:2::{n}") for n in range(1, 4)] == [200, 200, 429]
    assert sign_in("2001:db8:1:3::1") == 200


@pytest.mark.django_db
def test_api_limit_counts_clients_and_not_the_proxy(client, settings):
    settings.TRUSTED_PROXIES = parse_trusted_proxies("1")

    def remaining(forwarded_for: str) -> str:
        answer = client.get("/api/v1/programs", REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_FOR=forwarded_for)
        return answer.headers["RateLimit"].split(";")[1]

    assert remaining(CLIENT) == "r=119"
    assert remaining(f"{FORGED_ADDRESS}, {CLIENT}") == "r=118"
    assert remaining("203.0.113.10") == "r=119"
