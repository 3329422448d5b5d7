"""Tests of valid and invalid handshakes."""

import base64

import pytest

from verification.plugins.handshake import (
    TERRAFORM_COOKIE,
    Handshake,
    HandshakeError,
    build_environment,
    parse_handshake,
)

CERTIFICATE = base64.b64encode(b"der").decode().rstrip("=")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1|5|unix|/tmp/plugin1|grpc|", Handshake(5, "unix", "/tmp/plugin1")),
        ("1|6|unix|/tmp/plugin1|grpc", Handshake(6, "unix", "/tmp/plugin1")),
        ("1|6|tcp|127.0.0.1:1234|grpc|", Handshake(6, "tcp", "127.0.0.1:1234")),
        (f"1|6|unix|/tmp/p|grpc|{CERTIFICATE}", Handshake(6, "unix", "/tmp/p", b"der")),
        ("1|5|unix|/tmp/p|grpc||true", Handshake(5, "unix", "/tmp/p")),
        ("1|5|unix|/tmp/p|grpc||false\r", Handshake(5, "unix", "/tmp/p")),
    ],
)
def test_valid_handshake_is_parsed(line, expected):
    assert parse_handshake(line.encode(), (5, 6)) == expected


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("", "fields"),
        ("Hello", "fields"),
        ("1|5|unix", "fields"),
        ("2|5|unix|/tmp/p|grpc|", "core"),
        ("|5|unix|/tmp/p|grpc|", "core"),
        ("1|4|unix|/tmp/p|grpc|", "version"),
        ("1|7|unix|/tmp/p|grpc|", "version"),
        ("1|six|unix|/tmp/p|grpc|", "app"),
        ("1|-5|unix|/tmp/p|grpc|", "app"),
        ("1|٥|unix|/tmp/p|grpc|", "text"),
        ("1|5|udp|/tmp/p|grpc|", "network"),
        ("1|5|unix||grpc|", "address"),
        ("1|5|tcp|10.0.0.1:80|grpc|", "address"),
        ("1|5|tcp|127.0.0.1:http|grpc|", "address"),
        (f"1|5|tcp|127.0.0.1:{'1' * 5000}|grpc|", "address"),
        ("1|5|unix|/tmp/p|netrpc|", "protocol"),
        ("1|5|unix|/tmp/p", "protocol"),
        ("1|5|unix|/tmp/p|grpc|no base64 at all", "certificate"),
        ("1|5|unix|/tmp/p|grpc|" + "A" * 70_000, "long"),
    ],
)
def test_invalid_handshake_is_refused_with_the_key_of_its_problem(line, key):
    with pytest.raises(HandshakeError) as error:
        parse_handshake(line.encode(), (5, 6))
    assert error.value.key == key
    assert str(error.value).endswith(".")


def test_handshake_with_an_unsupported_protocol_is_refused():
    with pytest.raises(HandshakeError, match=r"offers protocol 5\. Supported: 6"):
        parse_handshake(b"1|5|unix|/tmp/p|grpc|", (6,))


@pytest.mark.parametrize(
    ("line", "key"),
    [("1|6|unix|/tmp/p|grpc|", "plain"), ("1|6|unix|/tmp/p|grpc", "plain"), ("1|4|unix|/p|grpc|", "version")],
)
def test_handshake_without_a_certificate_is_refused_if_tls_is_required(line, key):
    with pytest.raises(HandshakeError) as error:
        parse_handshake(line.encode(), (5, 6), has_tls=True)
    assert error.value.key == key


def test_environment_has_the_cookie_and_the_protocols():
    assert build_environment(TERRAFORM_COOKIE, (5, 6)) == {
        TERRAFORM_COOKIE[0]: TERRAFORM_COOKIE[1],
        "PLUGIN_PROTOCOL_VERSIONS": "5,6",
    }


def test_environment_has_the_certificate_of_the_client():
    assert build_environment(TERRAFORM_COOKIE, (6,), "PEM")["PLUGIN_CLIENT_CERT"] == "PEM"
