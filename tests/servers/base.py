"""Real servers for tests: child processes on loopback, stopped by their process ID."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any


class ServerUnavailableError(Exception):
    """A server isn't available on this machine. The message says why."""


def find_package_folder(name: str) -> Path:
    """Return where a package is installed, without importing it. Raise ServerUnavailableError."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ServerUnavailableError(f"the package {name} is not installed")
    return Path(spec.origin).parent


def find_free_port() -> int:
    """Return a port on loopback that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def reserve_closed_port() -> Iterator[int]:
    """Yield a port on loopback that refuses connections and that no other process can get in the meantime."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield int(holder.getsockname()[1])


def can_connect(port: int) -> bool:
    """Return whether something listens on a port on loopback."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


class Server:
    """A child process that has started when `is_ready` returns true."""

    def __init__(
        self, command: Sequence[str], log: Path, is_ready: Callable[[], bool], *, seconds: float = 20, **popen: Any
    ) -> None:
        self.name = Path(command[0]).name
        self.command = command
        self.log = log
        self.is_ready = is_ready
        self.seconds = seconds
        self.popen = popen
        self.start()

    def start(self) -> None:
        """Start the process, or restart it after `stop`, and wait until it is ready. Raise ServerUnavailableError."""
        with self.log.open("ab") as out:
            # in its own session, so that Ctrl-C reaches only the tests, which then stop their servers
            self.process = subprocess.Popen(self.command, stdout=out, stderr=out, start_new_session=True, **self.popen)
        deadline = time.monotonic() + self.seconds
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise ServerUnavailableError(
                    f"{self.name} did not start: {self.log.read_text(errors='replace').strip()[-300:]}"
                )
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGTERM, seconds: float = 10) -> None:
        """End the process, and kill it if it doesn't end in time. Does nothing if it has ended."""
        if self.process.poll() is not None:
            return
        os.kill(self.process.pid, how)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
