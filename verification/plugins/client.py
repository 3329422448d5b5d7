"""Plugins of HashiCorp's go-plugin: started in the sandbox, called over gRPC from outside."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import grpc

from verification.plugins import handshake, mutual_tls
from verification.plugins.handshake import Handshake, HandshakeError
from verification.sandbox.environment import Environment
from verification.sandbox.process import SandboxProcess
from verification.sandbox.types import CommandResult, ExitReason

# gRPC's default of 4 MiB is less than the schema of a large provider.
MAX_MESSAGE_BYTES = 256 * 1024 * 1024
EXIT_WAIT_SECONDS = 3.0


class PluginStartError(Exception):
    """The program failed to start as a plugin.

    `key`: of a HandshakeError, "ended", or an exit reason of the sandbox. `result`: how the program ended.
    """

    def __init__(self, key: str, message: str, result: CommandResult) -> None:
        super().__init__(message)
        self.key = key
        self.result = result


@dataclass(frozen=True, slots=True)
class RunningPlugin:
    """A plugin that has completed its handshake. `channel`: to its services. `process`: in the sandbox."""

    handshake: Handshake
    channel: grpc.Channel
    process: SandboxProcess

    def explain_error(self, error: grpc.RpcError) -> tuple[str, str]:
        """Return the key and the message for a call without a response.

        The key is "ended", an exit reason of the sandbox, or a gRPC status such as "UNIMPLEMENTED".
        """
        code = error.code()
        # The channel breaks a moment before we see that the process has ended.
        result = self.process.wait(EXIT_WAIT_SECONDS if code == grpc.StatusCode.UNAVAILABLE else 0)
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
    has_tls: bool = False,
    timeout_seconds: float,
) -> Iterator[RunningPlugin]:
    """Start a plugin and open a channel to it. Stop it at the end.

    Args:
        has_tls: Require mutual TLS, as Terraform does. Nomad doesn't.

    Raises:
        PluginStartError: The program fails to start as a plugin.
        SandboxUnavailable: There is no sandbox.
    """
    context, certificate = mutual_tls.create_context() if has_tls else (None, "")
    process = environment.start(argv, env=handshake.build_environment(cookie, versions, certificate))
    try:
        answer = handshake.parse_handshake(_read_handshake(process, timeout_seconds), versions, has_tls=has_tls)
        with ExitStack() as stack:
            path = stack.enter_context(process.open_target(answer.network, answer.address, environment.staging))
            if context is not None:
                relay_path = f"{environment.staging}/tls-{len(environment.processes)}"
                stack.enter_context(mutual_tls.open_relay(path, relay_path, context, answer.certificate))
                path = relay_path
            yield RunningPlugin(answer, stack.enter_context(_open_channel(path)), process)
    except HandshakeError as error:
        raise PluginStartError(error.key, str(error), process.stop()) from error
    finally:
        process.stop()


def _read_handshake(process: SandboxProcess, timeout_seconds: float) -> bytes:
    line = process.read_line(timeout_seconds)
    if line is None:
        # Neither a line nor an end, so the time is up. stop() alone would report that we stopped the plugin.
        result = process.wait() or replace(process.stop(), reason=ExitReason.TIMED_OUT)
        key = "ended" if result.reason == ExitReason.FINISHED else str(result.reason)
        raise PluginStartError(key, _describe_result(result), result)
    return line


def _describe_result(result: CommandResult) -> str:
    if result.reason == ExitReason.FINISHED:
        return f"The plugin exited before its handshake, with exit code {result.exit_code}."
    if result.reason == ExitReason.TIMED_OUT:
        return "The plugin didn't print its handshake in time, so we stopped it."
    return result.message


def _open_channel(path: str) -> grpc.Channel:
    options = [
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        # Messages to a local socket must not go to the proxy that the environment names.
        ("grpc.enable_http_proxy", 0),
        ("grpc.enable_retries", 0),
    ]
    return grpc.insecure_channel(f"unix:{path}", options)
