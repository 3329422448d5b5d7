"""Services of the embedded portal, and the state of the process that runs one."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from portal.runtime.forked_process import ForkedProcess


def do_nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Service:
    """A process to keep running.

    Attributes:
        command: The program and its arguments, or the function that a fork of this process runs.
        is_essential: Everything ends if it exits before `is_ready` was ever true.
        is_last: It is stopped last, because the others need it to shut down.
        is_quiet: Its output is not printed, except for the reason of a failure.
        environment: Additional environment variables of the program.
        reload_code: The exit code that requests an immediate restart.
    """

    name: str
    command: Sequence[str] | Callable[[], None]
    prepare: Callable[[], None] = do_nothing
    is_ready: Callable[[], bool] = lambda: True
    is_essential: bool = False
    is_last: bool = False
    is_quiet: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    reload_code: int | None = None


class Child:
    """The running process of a service, and when it may start again."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.process: subprocess.Popen[bytes] | ForkedProcess | None = None
        self.started_at = 0.0
        self.restart_at = 0.0
        self.failures = 0
        self.was_ready = False
        self.unfinished_line = b""
        self.last_line = ""

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the process and to all that it has started in its session."""
        if self.process is not None:
            try:
                # Each process is the first of its session, so its ID is that of the group.
                os.killpg(self.process.pid, number)
            except (ProcessLookupError, PermissionError):
                return  # the process has ended; macOS then reports a missing permission

    def describe_exit(self) -> str:
        """Return why the process ended, in a few words."""
        assert self.process is not None
        code = self.process.returncode or 0
        if code < 0:
            return f"killed by {name_signal(-code)}"
        reason = f"exit code {code}" if code else "it exited"
        return f"{reason}: {self.last_line[:200]}" if self.last_line and code else reason


def name_signal(number: int) -> str:
    """Return the name of a signal, or its number for a real-time signal, which has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def describe_error(error: Exception) -> str:
    """Return an error as one line: the system's message and the file, or else the error's class and text."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return " ".join(f"{type(error).__name__}: {error}".split())


def is_ready(service: Service) -> bool:
    """Return whether a service is ready. False if the check fails."""
    try:
        # A check can fail in any way while a service starts.
        return service.is_ready()
    except Exception:
        return False
