"""Processes that are forks. They start quickly and share the memory of all modules that this process has loaded."""

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
    """Function that runs in a fork of this process, with the part of Popen's interface that the supervisor needs.

    `stdout` has its output. This process must have only one thread.
    """

    def __init__(self, name: str, function: Callable[[], None], prepare: Callable[[], None]) -> None:
        """Start the function.

        Args:
            name: Name of the process, which Linux shows.
            function: Function to run. The exit code is 0 if it returns.
            prepare: Function to call first, for example to close files that the process must not share.
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
    """Return a function for a new process to call first. On Linux, it asks to be killed when this process dies."""
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
    """Exclude all present objects from garbage collection, which would make the forks copy their memory."""
    gc.collect()
    gc.freeze()


def _run(name: str, function: Callable[[], None], prepare: Callable[[], None], output: int) -> NoReturn:
    exit_code = 1
    try:
        os.setsid()  # Ctrl+C reaches only the supervisor, which stops the others in order
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for descriptor in (1, 2):
            os.dup2(output, descriptor)
        os.close(output)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
        sys.stdout = _open_output(1)
        sys.stderr = _open_output(2)
        prepare()
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_NAME, f"portal-{name}".encode()[:15])
        function()
        exit_code = 0
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            exit_code = error.code or 0
        else:
            sys.stderr.write(f"{error.code}\n")
    except BaseException:  # no code of the supervisor may run here
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
        finally:
            os._exit(exit_code)


def _open_output(descriptor: int) -> IO[str]:
    return open(descriptor, "w", buffering=1, errors="backslashreplace", closefd=False)
