"""Program in a sandbox that is started, monitored, and stopped from outside, and exchanges data with it.

Its output is read immediately so that no pipe fills up.
"""

import asyncio
import logging
import os
import selectors
import signal
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from verification.sandbox import network, relays
from verification.sandbox.bubblewrap import STARTUP_SECONDS, Bubblewrap
from verification.sandbox.project_files import open_beneath
from verification.sandbox.types import PROJECT, CommandResult, ExitReason
from verification.sandbox.usage import UsageMonitor

logger = logging.getLogger(__name__)
CHECK_SECONDS = 0.02
CHUNK_SIZE = 64 * 1024
DRAIN_SECONDS = 0.5
COULD_NOT_START = 127
SIGNAL_CODES = range(129, 193)  # exit codes of bubblewrap for a program that a signal ended
MAX_TCP_CONNECTIONS = 8


@dataclass
class OutputReader:
    """Standard output and error of one program, up to `limit` bytes together."""

    limit: int
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    size: int = 0

    def __post_init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._open = 0

    def add_stream(self, stream: IO[bytes], target: bytearray) -> None:
        """Read the stream into the target."""
        self._selector.register(stream, selectors.EVENT_READ, target)
        self._open += 1

    def add_event(self, descriptor: int) -> None:
        """Interrupt a wait when the descriptor becomes readable."""
        self._selector.register(descriptor, selectors.EVENT_READ)

    def read(self, timeout: float) -> bool:
        """Wait for output and read it. Return whether there was any."""
        has_printed = False
        for key, _ in self._selector.select(timeout):
            # The descriptor of an event, which only ends the wait.
            if key.data is None:
                continue
            data = os.read(key.fd, CHUNK_SIZE)
            has_printed = has_printed or bool(data)
            self.size += len(data)
            # Beyond the limit, output is counted but not kept.
            key.data.extend(data[: max(0, self.limit + len(data) - self.size)])
            if not data:
                self._selector.unregister(key.fileobj)
                self._open -= 1
        return has_printed

    def read_rest(self, seconds: float) -> None:
        """Read both streams to the end. The program has ended, so they don't stay open for long."""
        deadline = time.monotonic() + seconds
        while self._open and time.monotonic() < deadline:
            self.read(0.01)
        self._selector.close()


class SandboxProcess:
    """Running program, which the monitor watches for at most `seconds`. All methods are thread-safe.

    The process owns `resources` after a successful start, and closes them when the program has ended.
    """

    def __init__(self, bubblewrap: Bubblewrap, monitor: UsageMonitor, seconds: float, resources: ExitStack) -> None:
        self._bubblewrap = bubblewrap
        self._monitor = monitor
        self._seconds = seconds
        self._resources = resources
        self._reason: ExitReason | None = None
        self._result: CommandResult | None = None
        self._changed = threading.Condition()
        self._child = self._keep(os.pidfd_open(bubblewrap.child))
        self._folder = self._keep(os.open(f"/proc/{bubblewrap.child}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
        self._output = OutputReader(monitor.limits.output)
        self._output.add_event(self._keep(os.pidfd_open(bubblewrap.process.pid)))
        self._output.add_stream(cast(IO[bytes], bubblewrap.process.stdout), self._output.stdout)
        self._output.add_stream(cast(IO[bytes], bubblewrap.process.stderr), self._output.stderr)
        # From here on, an error of the caller must not close what the monitor uses.
        self._resources = resources.pop_all()
        threading.Thread(target=self._run, daemon=True, name="sandbox").start()

    def _keep(self, descriptor: int) -> int:
        self._resources.callback(os.close, descriptor)
        return descriptor

    def read_line(self, seconds: float) -> bytes | None:
        """Return the first line of standard output without its end, or None if it doesn't arrive in time."""
        stdout = self._output.stdout
        with self._changed:
            self._changed.wait_for(lambda: b"\n" in stdout or self._result is not None, seconds)
            line, end, _ = bytes(stdout).partition(b"\n")
        return line.rstrip(b"\r") if end else None

    def wait(self, seconds: float = 0) -> CommandResult | None:
        """Return how the program ended, or None if it still runs after the time."""
        with self._changed:
            self._changed.wait_for(lambda: self._result is not None, seconds)
            return self._result

    def finish(self) -> CommandResult:
        """Wait for the end. The program is stopped at its time limit."""
        # The monitor stops the program earlier, so no result means that the monitor itself hangs.
        result = self.wait(self._seconds + STARTUP_SECONDS)
        return result or CommandResult(ExitReason.LOST, None, b"", b"", self._seconds, 0)

    def stop(self) -> CommandResult:
        """Stop the program and all processes that it started."""
        self._kill(ExitReason.STOPPED)
        return self.finish()

    @contextmanager
    def open_target(self, kind: str, address: str, staging: Path) -> Iterator[str]:
        """Yield the path of a socket that leads to an address inside, "unix" or "tcp".

        A Unix socket is opened directly. Its path is resolved in the sandbox without following links, so a plugin can't
        redirect us to a socket of this machine.
        """
        with ExitStack() as stack:
            try:
                if kind == "unix":
                    socket_path = f"{PROJECT}/{address}"[1:] if not address.startswith("/") else address.lstrip("/")
                    descriptor = open_beneath(self._folder, socket_path, os.O_PATH)
                    stack.callback(os.close, descriptor)
                    if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                        raise FileNotFoundError(2, "there is no such socket")
                    path = f"/proc/self/fd/{descriptor}"
                else:
                    path = self._relay(address, staging, stack)
            except (OSError, ValueError):
                path = f"{staging}/no-such-socket"  # connecting to it fails
            yield path

    def _relay(self, address: str, staging: Path, stack: ExitStack) -> str:
        host, _, port = address.rpartition(":")
        family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
        target_address = ("::1" if family == socket.AF_INET6 else "127.0.0.1", int(port))
        targets = network.open_tcp_sockets(self._bubblewrap.child, family, MAX_TCP_CONNECTIONS)
        for target in targets:
            stack.enter_context(closing(target))
            target.setblocking(False)

        async def connect(near: relays.Stream) -> None:
            if targets:
                target = targets.pop()
                await asyncio.get_running_loop().sock_connect(target, target_address)
                await relays.join(near, await asyncio.open_connection(sock=target))

        path = f"{staging}/tcp-{self._bubblewrap.child}"
        listener = stack.enter_context(closing(socket.socket(socket.AF_UNIX)))
        listener.bind(path)
        stack.enter_context(relays.serve(listener, connect))
        return path

    def _kill(self, reason: ExitReason) -> None:
        """Kill the first process inside. The kernel then kills all others."""
        with self._changed:
            if self._result is None:
                self._reason = self._reason or reason
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._child, signal.SIGKILL)

    def _run(self) -> None:
        """Monitor the program until it has ended. An error here stops it, so that it never runs unmonitored."""
        start = time.monotonic()
        reason = ExitReason.LOST
        code = None
        try:
            # Not earlier, because nothing would monitor the program.
            self._bubblewrap.release()
            self._watch_program(start)
            reason, code = self._find_ending()
        except Exception:
            logger.exception("A program in the sandbox could not be watched and was stopped.")
            reason = self._reason or ExitReason.LOST
        finally:
            self._finish(reason, code, time.monotonic() - start)

    def _watch_program(self, start: float) -> None:
        next_check = start
        while self._bubblewrap.process.poll() is None:
            self._read(max(0.0, next_check - time.monotonic()))
            if time.monotonic() >= next_check and self._reason is None:
                self._check_limits(start)
                next_check = time.monotonic() + CHECK_SECONDS
        self._output.read_rest(DRAIN_SECONDS)

    def _read(self, timeout: float) -> None:
        if self._output.read(timeout):
            with self._changed:
                self._changed.notify_all()
            if self._output.size > self._output.limit:
                self._kill(ExitReason.OUTPUT)

    def _check_limits(self, start: float) -> None:
        if (breach := self._monitor.find_breach()) is not None:
            self._kill(breach)
        elif time.monotonic() > start + self._seconds:
            self._kill(ExitReason.TIMED_OUT)

    def _finish(self, reason: ExitReason, code: int | None, seconds: float) -> None:
        with self._changed:
            try:
                self._kill(reason)  # no effect on a program that has ended
                self._resources.close()
            finally:
                out = bytes(self._output.stdout)
                err = bytes(self._output.stderr)
                self._result = CommandResult(reason, code, out, err, seconds, self._monitor.peak_bytes)
                self._changed.notify_all()

    def _find_ending(self) -> tuple[ExitReason, int | None]:
        """Return why the program ended, and its exit code if it exited on its own."""
        if reason := self._reason or self._monitor.find_lasting_breach():
            return reason, None
        code = self._bubblewrap.read_exit_code()
        if code is None:
            # The program prints to the same stream, so this counts only if nothing else can have been printed.
            last_line = self._output.stderr.rstrip().rpartition(b"\n")[2]
            if last_line.startswith(b"bwrap: execvp ") and not self._output.stdout:
                return ExitReason.FINISHED, COULD_NOT_START
            return ExitReason.LOST, None
        return ExitReason.FINISHED, 128 - code if code in SIGNAL_CODES else code
