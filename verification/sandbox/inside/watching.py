"""Is a limit passed? What the programs of a room use, looked at many times a second from within it."""

import os
from dataclasses import dataclass, field
from typing import Any

from verification.sandbox.base import Kind

PAGE = os.sysconf("SC_PAGE_SIZE")
NO_ROUTE = ("Ip6OutNoRoutes", "OutNoRoutes")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def used() -> tuple[int, int]:
    """Bytes of memory and number of tasks of every process but this one."""
    memory = tasks = 0
    for name in os.listdir("/proc"):
        if name.isdecimal() and name != "1":
            statm, stat = _read(f"/proc/{name}/statm").split(), _read(f"/proc/{name}/stat")
            if len(statm) > 1 and stat:
                memory += int(statm[1]) * PAGE
                tasks += int(stat.rpartition(b")")[2].split()[17])
    return memory, tasks


def apart() -> int:
    """Bytes of memory of every process but this one, what they share counted once. Slower than used()."""
    found = 0
    for name in os.listdir("/proc"):
        if name.isdecimal() and name != "1":
            lines = _read(f"/proc/{name}/smaps_rollup").splitlines()
            found += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:"))
    return found


def lost_ways() -> int:
    """How often somebody wanted to reach an address to which there is no way."""
    found = 0
    lines = _read("/proc/net/snmp").decode().splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=False):
        found += sum(int(n) for name, n in zip(names.split(), values.split(), strict=False) if name == "OutNoRoutes")
    for line in _read("/proc/net/snmp6").decode().splitlines():
        name, _, value = line.partition(" ")
        found += int(value) if name == "Ip6OutNoRoutes" else 0
    return found


@dataclass
class Watch:
    """Looks, and says which limit is passed. `decoys` is a descriptor that is readable when one was opened, or -1."""

    limits: dict[str, Any]
    strict: bool
    decoys: int
    peak: int = 0
    lost: int = field(default_factory=lost_ways)

    def look(self) -> Kind | None:
        memory, tasks = used()
        if tasks > self.limits["processes"]:
            return Kind.PROCESSES
        if memory > self.limits["memory"]:
            memory = apart()
        self.peak = max(self.peak, memory)
        if memory > self.limits["memory"]:
            return Kind.MEMORY
        disk = os.statvfs("/")
        if disk.f_bavail * 50 < disk.f_blocks or disk.f_favail < 100:
            return Kind.DISK
        return self._reached() if self.strict else None

    def _reached(self) -> Kind | None:
        if lost_ways() > self.lost:
            return Kind.NETWORK
        try:
            return Kind.HOME if self.decoys >= 0 and os.read(self.decoys, 4096) else None
        except BlockingIOError:
            return None
