"""Parser of a plugin's handshake: one line on stdout with at most seven fields. Pure functions.

CORE|APP|NETWORK|ADDRESS|PROTOCOL|CERTIFICATE|MULTIPLEX
"""

import base64
from collections.abc import Iterable
from dataclasses import dataclass

CORE_VERSION = "1"
NETWORKS = ("unix", "tcp")
MAX_HANDSHAKE_BYTES = 64 * 1024
# These are constants of the products, not secrets. They keep people from starting a plugin by hand.
TERRAFORM_COOKIE = ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
NOMAD_COOKIE = ("NOMAD_PLUGIN_MAGIC_COOKIE", "e4327c2e01eabfd75a8a67adb114fb34a757d57eee7728d857a8cec6e91a7255")


class HandshakeError(ValueError):
    """Rejected plugin handshake. `key` identifies the rule; the message can be shown to users."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class Handshake:
    """Handshake of a plugin. `certificate` is DER, and empty without TLS."""

    app: int
    network: str
    address: str
    certificate: bytes = b""


def build_environment(cookie: tuple[str, str], versions: Iterable[int], certificate: str = "") -> dict[str, str]:
    """Return the environment variables for a plugin: the cookie, the supported protocol versions, and the certificate.

    A plugin that gets the client's certificate must speak mutual TLS.
    """
    variables = {cookie[0]: cookie[1], "PLUGIN_PROTOCOL_VERSIONS": ",".join(str(version) for version in versions)}
    return variables | ({"PLUGIN_CLIENT_CERT": certificate} if certificate else {})


def parse_handshake(line: bytes, versions: Iterable[int], *, has_tls: bool = False) -> Handshake:
    """Return the handshake in a line. Raises HandshakeError if a rule refuses it."""
    if len(line) > MAX_HANDSHAKE_BYTES:
        raise HandshakeError("long", "The handshake is longer than 64 KiB.")
    try:
        fields = line.decode("ascii").strip().split("|")
    except UnicodeDecodeError:
        raise HandshakeError("text", "The handshake is not plain text.") from None
    # go-plugin without gRPC writes only the first four fields.
    if len(fields) < 4:
        start = line[:100].decode()
        raise HandshakeError("fields", f"The first line on stdout is not a handshake: “{start}”.")
    core, app, network, address, *rest = fields
    protocol, certificate, *_ = (*rest, "", "")
    if core != CORE_VERSION:
        raise HandshakeError("core", f"The handshake is of version “{core[:20]}” of the plugin system, not 1.")
    _validate_channel(network, address, protocol)
    version = _parse_app_version(app, versions)
    if has_tls and not certificate:
        raise HandshakeError("plain", "The handshake has no certificate. Terraform only connects with mutual TLS.")
    return Handshake(version, network, address, _decode_certificate(certificate))


def _parse_app_version(text: str, versions: Iterable[int]) -> int:
    supported_versions = sorted(versions)
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        raise HandshakeError("app", f"“{text[:20]}” is not a protocol version.")
    # A plugin that supports none of the offered versions starts with one of its own, so the client has to refuse it.
    if int(text) not in supported_versions:
        choices = " or ".join(str(version) for version in supported_versions)
        raise HandshakeError("version", f"The plugin offers protocol {int(text)}. Supported: {choices}.")
    return int(text)


def _validate_channel(network: str, address: str, protocol: str) -> None:
    if network not in NETWORKS:
        raise HandshakeError("network", f"The plugin listens on “{network[:20]}”. Use unix or tcp.")
    if not address:
        raise HandshakeError("address", "The handshake has no address.")
    if protocol != "grpc":
        spoken_protocol = f"“{protocol[:20]}”" if protocol else "the old net/rpc, since it names none"
        raise HandshakeError("protocol", f"The plugin uses {spoken_protocol}. Only grpc is supported.")
    if network == "tcp" and not _is_local(address):
        raise HandshakeError("address", f"The plugin listens on “{address[:60]}”, which is not a local address.")


def _is_local(address: str) -> bool:
    host, _, port = address.rpartition(":")
    # int() raises an error of its own for thousands of digits.
    is_port = port.isdecimal() and len(port) < 6 and 0 < int(port) < 65536
    return host in ("127.0.0.1", "[::1]", "localhost") and is_port


def _decode_certificate(text: str) -> bytes:
    """Return the bytes of an unpadded Base64 text."""
    try:
        # go-plugin writes Base64 without padding.
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        raise HandshakeError("certificate", "The certificate in the handshake is not valid Base64.") from None
