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
from verification.plugins.handshake import Handshake, HandshakeError
from verification.sandbox.environment import Environment
from verification.sandbox.process import SandboxProcess
from verification.sandbox.types import CommandResult, ExitReason

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
CERTIFICATE_HOST = "localhost"  # that certificates of plugins are made out to


class PluginStartError(Exception):
    """The program did not become a plugin that can be spoken to.

    `key` is one of the handshake's, "silent", "ended" or an exit reason of the sandbox; `result` is how it ended.
    """

    def __init__(self, key: str, message: str, result: CommandResult) -> None:
        super().__init__(message)
        self.key, self.result = key, result


@dataclass(frozen=True, slots=True)
class RunningPlugin:
    """A plugin that has answered. `channel` leads to its services; `process` runs in the sandbox."""

    handshake: Handshake
    channel: grpc.Channel
    process: SandboxProcess
    argv: tuple[str, ...]


@contextmanager
def start_plugin(
    environment: Environment,
    argv: Sequence[str],
    cookie: tuple[str, str],
    versions: Sequence[int],
    *,
    timeout_seconds: float = 20,
    tls: bool = False,
) -> Iterator[RunningPlugin]:
    """Start a plugin and speak to it; at the end it is stopped with everything that it has started.

    Without `tls` it is asked for a plain channel, and still spoken to with TLS where it answers with a certificate.

    Raises:
        NoPlugin: When it does not become one.
        SandboxUnavailable: When no sandbox can be had.
    """
    private_key, certificate_pem = generate_client_certificate()
    variables = handshake.build_environment(cookie, versions) | (
        {"PLUGIN_CLIENT_CERT": certificate_pem.decode()} if tls else {}
    )
    process = environment.start(argv, env=variables)
    try:
        answer = _perform_handshake(process, versions, timeout_seconds)
        with (
            process.open_target(answer.network, answer.address, environment.staging) as path,
            _open_channel(path, answer, private_key, certificate_pem) as channel,
        ):
            yield RunningPlugin(answer, channel, process, tuple(argv))
    finally:
        process.stop()


def _perform_handshake(process: SandboxProcess, versions: Sequence[int], timeout_seconds: float) -> Handshake:
    line = process.read_line(timeout_seconds)
    if line is None:
        result, key = process.result, "ended"
        if result is None:
            result, key = replace(process.stop(), reason=ExitReason.TIMED_OUT), "silent"
        raise PluginStartError(
            result.reason if result.reason != ExitReason.FINISHED else key, _describe_result(result), result
        )
    try:
        return handshake.parse_handshake(line, versions)
    except HandshakeError as error:
        raise PluginStartError(error.key, str(error), process.stop()) from error


def _describe_result(result: CommandResult) -> str:
    if result.reason == ExitReason.FINISHED:
        return f"The plugin exited before its handshake, with exit code {result.exit_code}."
    if result.reason == ExitReason.TIMED_OUT:
        return "It did not say its handshake in time and was stopped."
    return result.message


@contextmanager
def _open_channel(path: str, answer: Handshake, private_key: bytes, certificate_pem: bytes) -> Iterator[grpc.Channel]:
    target = f"unix:{path}"
    options = [
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.enable_http_proxy", 0),
        ("grpc.enable_retries", 0),
    ]
    if not answer.certificate:
        grpc_channel = grpc.insecure_channel(target, options=options)
    else:
        server_certificate = ssl.DER_cert_to_PEM_cert(answer.certificate).encode()
        credentials = grpc.ssl_channel_credentials(server_certificate, private_key, certificate_pem)
        grpc_channel = grpc.secure_channel(
            target, credentials, [*options, ("grpc.ssl_target_name_override", CERTIFICATE_HOST)]
        )
    with suppress(ValueError), grpc_channel as channel:
        yield channel


def generate_client_certificate() -> tuple[bytes, bytes]:
    """A key and a certificate for one conversation, both PEM. On P-256, which every plugin's TLS knows."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, CERTIFICATE_HOST)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(CERTIFICATE_HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encryption = serialization.NoEncryption()
    private_key_pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    return private_key_pem, certificate.public_bytes(serialization.Encoding.PEM)
