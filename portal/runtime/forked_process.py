"""Processes that are forks: they share the memory of every module that this process has loaded, and start quickly."""

import ctypes
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import IO, NoReturn

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG = 1  # linux/prctl.h
PR_SET_NAME = 15


class ForkedProcess:
    """A function that runs in a fork of this process; offers the part of Popen's interface that a supervisor needs.

    Its output arrives at `stdout`. This process must have one thread only.
    """

    def __init__(self, name: str, function: Callable[[], None], prepare: Callable[[], None]) -> None:
        """Start the function.

        Args:
            name: Name of the process, as far as the system has such names.
            function: What it runs; it ends with exit code 0 where this returns.
            prepare: What it does before, such as closing what it must not share.
        """
        self.returncode: int | None = None
        sys.stdout.flush()
        sys.stderr.flush()
        reader, writer = os.pipe()
        try:
            self.pid = os.fork()
        except OSError:
            os.close(reader)
            os.close(writer)
            raise
        if not self.pid:
            os.close(reader)
            _run(name, function, prepare, writer)
        os.close(writer)
        self.stdout: IO[bytes] | None = os.fdopen(reader, "rb", buffering=0)

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal, or None while the process runs."""
        return self._wait(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait for the process to end and return its exit code."""
        return self._wait(0)

    def terminate(self) -> None:
        """Ask the process to end."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)

    def _wait(self, options: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def follow_parent() -> Callable[[], None]:
    """Return what a new process does first: on Linux, ask to be killed when this process dies."""
    if sys.platform != "linux":
        return lambda: None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def die_with_parent() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died in between
            os._exit(1)

    return die_with_parent


def share_memory() -> None:
    """Keep the garbage collector off everything loaded so far, whose pages the forks would otherwise copy."""
    gc.collect()
    gc.freeze()


def _run(name: str, function: Callable[[], None], prepare: Callable[[], None], output: int) -> NoReturn:
    exit_code = 1
    try:
        os.setsid()  # Ctrl-C reaches the supervisor alone, which ends the others in order
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for descriptor in (1, 2):
            os.dup2(output, descriptor)
        os.close(output)
        sys.stdin, sys.stdout, sys.stderr = open(0, closefd=False), _open_output(1), _open_output(2)  # noqa: SIM115
        prepare()
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_NAME, f"portal-{name}".encode()[:15])
        function()
        exit_code = 0
    except SystemExit as error:
        exit_code = _read_exit_code(error)
    except BaseException:  # nothing of the supervisor may run here
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
        finally:
            os._exit(exit_code)


def _open_output(descriptor: int) -> IO[str]:
    return open(descriptor, "w", buffering=1, errors="backslashreplace", closefd=False)


def _read_exit_code(error: SystemExit) -> int:
    if isinstance(error.code, int):
        return error.code
    if error.code is None:
        return 0
    sys.stderr.write(f"{error.code}\n")
    return 1
