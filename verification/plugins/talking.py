"""How is a plugin started and reached? In a room of the sandbox, by handshake, then over a channel of gRPC."""

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from verification.plugins import handshake
from verification.plugins.handshake import BadHandshake, Handshake
from verification.sandbox.base import Kind, Outcome
from verification.sandbox.room import Process, Room

MOST_MESSAGE = 256 * 1024 * 1024
NAME = "localhost"  # that certificates of plugins are made out to


class NoPlugin(Exception):
    """The program did not become a plugin that can be spoken to.

    `key` is one of the handshake's, "silent", "ended" or a kind of the sandbox's; `outcome` is how it ended.
    """

    def __init__(self, key: str, sentence: str, outcome: Outcome) -> None:
        super().__init__(sentence)
        self.key, self.outcome = key, outcome


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that has answered. `channel` leads to its services; `process` runs in the room."""

    handshake: Handshake
    channel: grpc.Channel
    process: Process
    argv: tuple[str, ...]


@contextmanager
def plugin(
    room: Room,
    argv: Sequence[str],
    cookie: tuple[str, str],
    versions: Sequence[int],
    *,
    seconds: float = 20,
    tls: bool = False,
) -> Iterator[Plugin]:
    """Start a plugin in the room and speak to it; it is stopped at the end, with all that runs there.

    Without `tls` it is asked for a plain channel, and spoken to with TLS all the same where it answers with a
    certificate. Raises NoPlugin, and NoSandbox where the room is gone.
    """
    key, pem = client_certificate()
    given = handshake.environment(cookie, versions) | ({"PLUGIN_CLIENT_CERT": pem.decode()} if tls else {})
    process = room.start(argv, env=given)
    try:
        said = _said(process, versions, seconds)
        with _channel(room, said, key, pem) as channel:
            yield Plugin(said, channel, process, tuple(argv))
    finally:
        process.stop()


def _said(process: Process, versions: Sequence[int], seconds: float) -> Handshake:
    line = process.line(seconds)
    if line is None:
        outcome, key = process.ended, "ended"
        if outcome is None:
            outcome, key = replace(process.stop(), kind=Kind.TIMED_OUT), "silent"
        raise NoPlugin(outcome.kind if outcome.kind != Kind.FINISHED else key, _why(outcome), outcome)
    try:
        return handshake.read(line, versions)
    except BadHandshake as bad:
        raise NoPlugin(bad.key, str(bad), process.stop()) from bad


def _why(outcome: Outcome) -> str:
    if outcome.kind == Kind.FINISHED:
        return f"It ended before it said its handshake, with exit code {outcome.code}."
    if outcome.kind == Kind.TIMED_OUT:
        return "It did not say its handshake in time and was stopped."
    return outcome.sentence


@contextmanager
def _channel(room: Room, said: Handshake, key: bytes, pem: bytes) -> Iterator[grpc.Channel]:
    target = f"unix:{room.connect(said.network, said.address)}"
    options = [
        ("grpc.max_receive_message_length", MOST_MESSAGE),
        ("grpc.enable_http_proxy", 0),
        ("grpc.enable_retries", 0),
    ]
    if not said.certificate:
        made = grpc.insecure_channel(target, options=options)
    else:
        theirs = ssl.DER_cert_to_PEM_cert(said.certificate).encode()
        credentials = grpc.ssl_channel_credentials(theirs, key, pem)
        made = grpc.secure_channel(target, credentials, [*options, ("grpc.ssl_target_name_override", NAME)])
    with suppress(ValueError), made as channel:
        yield channel


def client_certificate() -> tuple[bytes, bytes]:
    """A key and a certificate for one conversation, both PEM. On P-256, which every plugin's TLS knows."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    return private, made.public_bytes(serialization.Encoding.PEM)
