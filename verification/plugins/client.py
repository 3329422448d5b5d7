"""Plugins of HashiCorp's go-plugin: started in the sandbox, spoken to over gRPC from outside."""

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
from verification.sandbox.environment import Environment
from verification.sandbox.process import SandboxProcess
from verification.sandbox.types import CommandResult, ExitReason

MOST_MESSAGE = 256 * 1024 * 1024
NAME = "localhost"  # that certificates of plugins are made out to


class NoPlugin(Exception):
    """The program did not become a plugin that can be spoken to.

    `key` is one of the handshake's, "silent", "ended" or an exit reason of the sandbox; `result` is how it ended.
    """

    def __init__(self, key: str, sentence: str, result: CommandResult) -> None:
        super().__init__(sentence)
        self.key, self.result = key, result


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that has answered. `channel` leads to its services; `process` runs in the sandbox."""

    handshake: Handshake
    channel: grpc.Channel
    process: SandboxProcess
    argv: tuple[str, ...]


@contextmanager
def plugin(
    environment: Environment,
    argv: Sequence[str],
    cookie: tuple[str, str],
    versions: Sequence[int],
    *,
    seconds: float = 20,
    tls: bool = False,
) -> Iterator[Plugin]:
    """Start a plugin and speak to it; at the end it is stopped with everything that it has started.

    Without `tls` it is asked for a plain channel, and still spoken to with TLS where it answers with a certificate.

    Raises:
        NoPlugin: When it does not become one.
        SandboxUnavailable: When no sandbox can be had.
    """
    key, pem = client_certificate()
    variables = handshake.environment(cookie, versions) | ({"PLUGIN_CLIENT_CERT": pem.decode()} if tls else {})
    process = environment.start(argv, env=variables)
    try:
        answer = _shake_hands(process, versions, seconds)
        with (
            process.open_target(answer.network, answer.address, environment.staging) as path,
            _open_channel(path, answer, key, pem) as channel,
        ):
            yield Plugin(answer, channel, process, tuple(argv))
    finally:
        process.stop()


def _shake_hands(process: SandboxProcess, versions: Sequence[int], seconds: float) -> Handshake:
    line = process.read_line(seconds)
    if line is None:
        result, key = process.result, "ended"
        if result is None:
            result, key = replace(process.stop(), reason=ExitReason.TIMED_OUT), "silent"
        raise NoPlugin(result.reason if result.reason != ExitReason.FINISHED else key, _describe(result), result)
    try:
        return handshake.read(line, versions)
    except BadHandshake as bad:
        raise NoPlugin(bad.key, str(bad), process.stop()) from bad


def _describe(result: CommandResult) -> str:
    if result.reason == ExitReason.FINISHED:
        return f"It ended before it said its handshake, with exit code {result.exit_code}."
    if result.reason == ExitReason.TIMED_OUT:
        return "It did not say its handshake in time and was stopped."
    return result.message


@contextmanager
def _open_channel(path: str, answer: Handshake, key: bytes, pem: bytes) -> Iterator[grpc.Channel]:
    target = f"unix:{path}"
    options = [
        ("grpc.max_receive_message_length", MOST_MESSAGE),
        ("grpc.enable_http_proxy", 0),
        ("grpc.enable_retries", 0),
    ]
    if not answer.certificate:
        made = grpc.insecure_channel(target, options=options)
    else:
        theirs = ssl.DER_cert_to_PEM_cert(answer.certificate).encode()
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
