"""Limits by control groups (version 2), if the service manager lets the sandbox service create them.

The unit of the service has `Delegate=memory pids`. The service moves itself into the group `supervisor`, since a group
with children holds no processes; each sandbox gets a sibling group.
"""

import logging
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from verification.sandbox.types import ExitReason, Limits

logger = logging.getLogger(__name__)
ROOT = Path("/sys/fs/cgroup")
SUPERVISOR = "supervisor"
CONTROLLERS = {"memory", "pids"}
BREACHES = (("memory.events", "oom_kill", ExitReason.MEMORY), ("pids.events", "max", ExitReason.PROCESSES))


def find_own_group(root: Path = ROOT, membership: Path = Path("/proc/self/cgroup")) -> Path | None:
    """Return the folder of this process's group, or None without a unified hierarchy."""
    with suppress(OSError):
        for line in membership.read_text().splitlines():
            if line.startswith("0::") and (root / "cgroup.controllers").exists():
                return root / line.removeprefix("0::").lstrip("/")
    return None


def become_supervisor(group: Path | None) -> bool:
    """Move this process to its own group so that sandboxes can have groups. Return whether this is allowed."""
    if group is None or not set(_read(group / "cgroup.controllers").split()) >= CONTROLLERS:
        return False
    try:
        (group / SUPERVISOR).mkdir(exist_ok=True)
        (group / SUPERVISOR / "cgroup.procs").write_text(str(os.getpid()))
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in sorted(CONTROLLERS)))
    except OSError:
        return False
    return True


@cache
def report_fallback(reason: str) -> None:
    """Log each reason why sandboxes have no control group once."""
    logger.warning("Sandboxes run without control groups: %s. Usage is checked every 20 ms instead.", reason)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


class ControlGroup:
    """Control group of one sandbox."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, own: Path | None, name: str, limits: Limits, process: int) -> "ControlGroup | None":
        """Create a group with the limits and move the process into it. Return None if this isn't allowed."""
        if own is None or own.name != SUPERVISOR:
            report_fallback("the service manager has not delegated any to this process")
            return None
        group = cls(own.parent / name)
        settings = {  # files in the tmpfs count as memory
            "memory.max": limits.memory + limits.disk,
            # Swapped memory doesn't count for the limit.
            "memory.swap.max": 0,
            "memory.oom.group": 1,
            "pids.max": limits.processes + 8,
            # Last: by then, all limits apply.
            "cgroup.procs": process,
        }
        try:
            group.path.mkdir()
            for file, value in settings.items():
                (group.path / file).write_text(str(value))
        except OSError as error:
            group.remove()
            report_fallback(f"{error.filename}: {error.strerror}")
            return None
        return group

    def find_breach(self) -> ExitReason | None:
        """Return the limit that the kernel enforced."""
        for file, event, reason in BREACHES:
            counts = dict(line.split() for line in _read(self.path / file).splitlines())
            if int(counts.get(event, 0)):
                return reason
        return None

    def read_peak(self) -> int:
        """Return the peak memory usage in bytes, or 0 if the kernel doesn't report it."""
        return int(_read(self.path / "memory.peak") or 0)

    def remove(self) -> None:
        """Remove the group after its processes have ended."""
        with suppress(OSError):
            self.path.rmdir()
