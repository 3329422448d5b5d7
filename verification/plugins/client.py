"""Plugins of HashiCorp's go-plugin: started in the sandbox, called over gRPC from outside."""

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import grpc

from verification.plugins import handshake
from verification.plugins.handshake import Handshake, HandshakeError
from verification.sandbox.environment import Environment
from verification.sandbox.process import SandboxProcess
from verification.sandbox.types import CommandResult, ExitReason

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
CERTIFICATE_HOST = "localhost"  # that certificates of plugins are made out to
EXIT_WAIT_SECONDS = 3.0


class PluginStartError(Exception):
    """The program failed to start as a plugin.

    `key`: of a HandshakeError, "silent", "ended", or an exit reason of the sandbox. `result`: how the program ended.
    """

    def __init__(self, key: str, message: str, result: CommandResult) -> None:
        super().__init__(message)
        self.key, self.result = key, result


@dataclass(frozen=True, slots=True)
class RunningPlugin:
    """A plugin that has completed its handshake. `channel`: to its services. `process`: in the sandbox."""

    handshake: Handshake
    channel: grpc.Channel
    process: SandboxProcess

    def explain_error(self, error: grpc.RpcError) -> tuple[str, str]:
        """Return the key and a sentence for a call without a response.

        The key is "ended", an exit reason of the sandbox, or a gRPC status such as "UNIMPLEMENTED".
        """
        code = error.code()
        # the channel breaks a moment before the end of the process is seen
        result = self.process.wait(EXIT_WAIT_SECONDS) if code == grpc.StatusCode.UNAVAILABLE else self.process.result
        if result is not None:
            return ("ended" if result.reason == ExitReason.FINISHED else str(result.reason)), result.message
        if code == grpc.StatusCode.DEADLINE_EXCEEDED:
            return str(ExitReason.TIMED_OUT), "The plugin didn't respond in time."
        return code.name, f"The plugin returned {code.name}: {str(error.details())[:300]}"


@contextmanager
def start_plugin(
    environment: Environment,
    argv: Sequence[str],
    cookie: tuple[str, str],
    versions: Sequence[int],
    *,
    timeout_seconds: float = 20,
) -> Iterator[RunningPlugin]:
    """Start a plugin and open a channel to it, with TLS if it offers a certificate. Stop it at the end.

    Raises:
        PluginStartError: The program fails to start as a plugin.
        SandboxUnavailable: There is no sandbox.
    """
    process = environment.start(argv, env=handshake.build_environment(cookie, versions))
    try:
        answer = _perform_handshake(process, versions, timeout_seconds)
        with (
            process.open_target(answer.network, answer.address, environment.staging) as path,
            _open_channel(path, answer.certificate) as channel,
        ):
            yield RunningPlugin(answer, channel, process)
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
        return "The plugin printed no handshake in time, so we stopped it."
    return result.message


@contextmanager
def _open_channel(path: str, certificate: bytes) -> Iterator[grpc.Channel]:
    options = [
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.enable_http_proxy", 0),
        ("grpc.enable_retries", 0),
        ("grpc.ssl_target_name_override", CERTIFICATE_HOST),
    ]
    if certificate:
        credentials = grpc.ssl_channel_credentials(ssl.DER_cert_to_PEM_cert(certificate).encode())
        channel = grpc.secure_channel(f"unix:{path}", credentials, options)
    else:
        channel = grpc.insecure_channel(f"unix:{path}", options)
    with suppress(ValueError), channel:
        yield channel
