"""Limits that the kernel enforces for each process."""

import resource
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from verification.sandbox.bubblewrap import build_unavailable_error, find_program
from verification.sandbox.types import Limits

SPARE_PROCESSES = 32  # the monitor stops a program at its own limit first, and can report it
MAX_OPEN_FILES = 256  # each can use kernel memory: sockets, pipes, watches
MAX_SIGNALS = 1024  # queued signals and timers are counted per user, and other processes need them too


def set_limits(enter: Sequence[str], child: int, limits: Limits, seconds: float) -> None:
    """Set the limits of a process that waits in its sandbox. Its program inherits them.

    Processes are counted per user and user namespace, so the limit must be set after the process has entered its own
    namespace. `enter` is the command that runs another one as the sandbox's user, who is allowed to set the limits. The
    monitor enforces a lower limit of memory.
    """
    values_by_option = {
        "core": (resource.RLIMIT_CORE, 0),
        "cpu": (resource.RLIMIT_CPU, (int(seconds) + 2) * 4),
        "data": (resource.RLIMIT_DATA, 2 * limits.memory),
        "nofile": (resource.RLIMIT_NOFILE, MAX_OPEN_FILES),
        "nproc": (resource.RLIMIT_NPROC, limits.processes + SPARE_PROCESSES),
        "memlock": (resource.RLIMIT_MEMLOCK, 0),
        "sigpending": (resource.RLIMIT_SIGPENDING, MAX_SIGNALS),
    }
    options = [f"--{name}={_format_limit(number, value)}" for name, (number, value) in values_by_option.items()]
    completed_process = subprocess.run(  # noqa: S603 - a program of the system
        [*enter, find_program("prlimit"), "--pid", str(child), *options], env={}, capture_output=True, check=False
    )
    with suppress(OSError):
        Path(f"/proc/{child}/oom_score_adj").write_text("1000")  # out of memory, the kernel kills the program first
    if completed_process.returncode:
        raise build_unavailable_error(
            completed_process.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or "prlimit was killed"
        )


def _format_limit(number: int, value: int) -> str:
    """Return the value, or the limit of this process if it is lower and can't be raised."""
    hard = resource.getrlimit(number)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    return f"{value}:{value}"
