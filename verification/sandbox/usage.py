"""Monitoring of a sandbox's resource usage and access attempts, from outside and many times per second."""

import ctypes
import io
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from verification.sandbox.control_groups import ControlGroup
from verification.sandbox.socket_memory import SocketMemory
from verification.sandbox.types import ExitReason, Limits

MAX_FILES = 20_000  # each uses kernel memory that the size of the tmpfs doesn't include
NO_ROUTE = {"OutNoRoutes", "Ip6OutNoRoutes"}
IN_OPEN = 0x20
MEMORY_LINES = {b"VmRSS", b"VmPTE"}  # in /proc/PID/status; a program can have page tables without pages


def watch_files(paths: list[Path]) -> int:
    """Return a descriptor that becomes readable when one of the files is opened."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    for path in paths:
        if descriptor < 0 or libc.inotify_add_watch(descriptor, os.fsencode(path), IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify")
    return int(descriptor)


def _read_kilobytes(lines: Mapping[bytes, bytes], name: bytes) -> int:
    """Return the value of a line "name: number kB" in bytes, or 0 without the line."""
    return int(lines.get(name, b"0").split()[0]) * 1024


class UsageMonitor:
    """Comparison of the processes in one sandbox with its limits.

    Everything that is read later is opened at the start: the network counters outlive the last process only through
    these descriptors. `decoys` is a descriptor from watch_files(). It is -1 for a sandbox that isn't strict, in which
    attempts to access the network or credentials don't count.
    """

    def __init__(
        self, child: int, storage: int, limits: Limits, sockets: SocketMemory, group: ControlGroup | None, decoys: int
    ) -> None:
        self.limits = limits
        self.peak_bytes = 0
        self._storage = storage
        self._sockets = sockets
        self._group = group
        self._decoys = decoys
        self._processes = os.open(Path(f"/proc/{child}/root", "proc"), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._counters = [
            os.open(f"/proc/{child}/net/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in ("snmp", "snmp6")
        ]

    def find_breach(self) -> ExitReason | None:
        """Return the exceeded limit, if any. In a strict sandbox, an access attempt also counts."""
        memory, shared, threads = self._measure_processes()
        if threads > self.limits.processes:
            return ExitReason.PROCESSES
        memory += self._sockets.measure()
        if memory > self.limits.memory:
            memory -= shared - self._measure_shared_once()
        self.peak_bytes = max(self.peak_bytes, memory)
        if memory > self.limits.memory:
            return ExitReason.MEMORY
        return self.find_lasting_breach()

    def find_lasting_breach(self) -> ExitReason | None:
        """Return an exceeded limit that is still visible after all processes have ended."""
        disk = os.fstatvfs(self._storage)
        if disk.f_bavail * 50 < disk.f_blocks or disk.f_files - disk.f_ffree > MAX_FILES:
            return ExitReason.DISK
        if self._group is not None and (breach := self._group.find_breach()) is not None:
            return breach
        return self._find_attempt() if self._decoys >= 0 else None

    def _find_attempt(self) -> ExitReason | None:
        if any(self._count_unroutable(descriptor) for descriptor in self._counters):
            return ExitReason.NETWORK
        with suppress(BlockingIOError):
            if os.read(self._decoys, 4096):
                return ExitReason.HOME
        return None

    def close(self) -> None:
        """Close the resources of the sandbox, and record the peak that the kernel counted."""
        if self._group is not None:
            self.peak_bytes = self._group.read_peak() or self.peak_bytes
        self._sockets.close()
        for descriptor in (self._processes, *self._counters):
            os.close(descriptor)

    def _list_processes(self) -> list[str]:
        return [name for name in os.listdir(self._processes) if name.isdecimal()]

    def _read(self, path: str) -> dict[bytes, bytes]:
        """Return the lines of a file of a process by name, or none if the process has ended.

        Any other error is raised: a process that cannot be measured must not count as nothing.
        """
        try:
            with io.FileIO(os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._processes)) as file:
                lines = file.read(16 * 1024).splitlines()
        except (FileNotFoundError, ProcessLookupError):
            return {}
        return {name: value for name, _, value in (line.partition(b":") for line in lines)}

    def _measure_processes(self) -> tuple[int, int, int]:
        """Return the memory in bytes with and without page tables, and the number of threads."""
        memory = pages = threads = 0
        for name in self._list_processes():
            status = self._read(f"{name}/status")
            sizes = {line: _read_kilobytes(status, line) for line in MEMORY_LINES}
            memory += sum(sizes.values())
            pages += sizes[b"VmRSS"]
            threads += int(status.get(b"Threads", 0))
        return memory, pages, threads

    def _measure_shared_once(self) -> int:
        """Return the memory in bytes with shared pages counted once. This is slower."""
        return sum(_read_kilobytes(self._read(f"{name}/smaps_rollup"), b"Pss") for name in self._list_processes())

    def _count_unroutable(self, descriptor: int) -> int:
        """Return the number of packets without a route to their address."""
        lines = [line.split() for line in os.pread(descriptor, 64 * 1024, 0).decode().splitlines()]
        pairs = [(words[0], words[1]) for words in lines if len(words) == 2]  # snmp6: a name and a value
        tables = [words for words in lines if len(words) > 2]  # snmp: a line of names, then one of values
        for names, values in zip(tables[::2], tables[1::2], strict=False):
            pairs += zip(names, values, strict=False)
        return sum(int(value) for name, value in pairs if name in NO_ROUTE)
