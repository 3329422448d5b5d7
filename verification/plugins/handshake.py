"""What does a plugin say first, and is it what was asked for? One line on stdout, seven fields at most. Pure.

CORE|APP|NETWORK|ADDRESS|PROTOCOL|CERTIFICATE|MULTIPLEX
"""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass

CORE = "1"
NETWORKS = ("unix", "tcp")
LONGEST = 64 * 1024
TERRAFORM_COOKIE = ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
NOMAD_COOKIE = ("NOMAD_PLUGIN_MAGIC_COOKIE", "e4327c2e01eabfd75a8a67adb114fb34a757d57eee7728d857a8cec6e91a7255")


class BadHandshake(ValueError):
    """What was said is no handshake to be accepted. `key` names the rule; the text is a sentence fit to show."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


@dataclass(frozen=True, slots=True)
class Handshake:
    """What the plugin chose. `certificate`: DER, empty where it speaks without TLS."""

    app: int
    network: str
    address: str
    certificate: bytes = b""
    multiplex: bool = False


def environment(cookie: tuple[str, str], versions: Iterable[int]) -> dict[str, str]:
    """What the plugin is told before it starts: the cookie, and which versions of the protocol we speak."""
    return {cookie[0]: cookie[1], "PLUGIN_PROTOCOL_VERSIONS": ",".join(str(version) for version in versions)}


def read(line: bytes, versions: Iterable[int]) -> Handshake:
    """The handshake in the line. Raises BadHandshake for what the table of handshakes refuses."""
    if len(line) > LONGEST:
        raise BadHandshake("long", "The handshake is longer than any handshake.")
    try:
        fields = line.decode("ascii").strip().split("|")
    except UnicodeDecodeError:
        raise BadHandshake("text", "The handshake is not plain text.") from None
    if len(fields) < 4:
        raise BadHandshake("fields", f"The first line on stdout is no handshake: “{_shown(line)}”.")
    core, app, network, address, *more = fields
    protocol, certificate, multiplex, *_ = (*more, "", "", "")
    if core != CORE:
        raise BadHandshake("core", f"The handshake is of version “{core[:20]}” of the plugin system, not 1.")
    _of_the_channel(network, address, protocol)
    return Handshake(_app(app, versions), network, address, _certificate(certificate), multiplex == "true")


def _shown(line: bytes) -> str:
    return line[:100].decode("ascii", "replace").replace("\ufffd", "?")


def _app(text: str, versions: Iterable[int]) -> int:
    asked = sorted(versions)
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        raise BadHandshake("app", f"“{text[:20]}” is no version of a protocol.")
    if int(text) not in asked:
        spoken = " or ".join(str(version) for version in asked)
        raise BadHandshake("version", f"It answers with protocol {int(text)}, but was asked for {spoken}.")
    return int(text)


def _of_the_channel(network: str, address: str, protocol: str) -> None:
    if network not in NETWORKS:
        raise BadHandshake("network", f"It listens on “{network[:20]}”; a plugin listens on unix or tcp.")
    if not address:
        raise BadHandshake("address", "It does not say where it listens.")
    if protocol != "grpc":
        said = f"“{protocol[:20]}”" if protocol else "the old net/rpc, since it names none"
        raise BadHandshake("protocol", f"It speaks {said}; only grpc is spoken here.")
    if network == "tcp" and not _is_local(address):
        raise BadHandshake("address", f"It listens on “{address[:60]}”, which is not the machine itself.")


def _is_local(address: str) -> bool:
    host, _, port = address.rpartition(":")
    return host in ("127.0.0.1", "[::1]", "localhost") and port.isdecimal() and 0 < int(port) < 65536


def _certificate(text: str) -> bytes:
    """The bytes of an unpadded base64 text."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise BadHandshake("certificate", "The certificate in the handshake is no base64.") from None
