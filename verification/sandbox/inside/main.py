"""What does the first process of a room do? It builds the room, takes orders through a socket, and watches.

One JSON object a line each way. It ends, and everything with it, when nobody holds the other end any more.
"""

import base64
import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verification.sandbox.base import WORK, Kind
from verification.sandbox.inside import build, filter, kernel, relay, start, watching

LOOK = 0.02  # seconds between two looks
OUTBOUND = ("127.0.0.1", 3128)
MOST_ORDER = 64 * 1024 * 1024


@dataclass
class Running:
    """A program that was started: its number in orders, when, and until when it may run."""

    number: int
    since: float
    until: float


@dataclass
class Keeper:
    """The first process at work."""

    control: socket.socket
    limits: dict[str, Any]
    watch: watching.Watch
    code: bytes
    running: dict[int, Running] = field(default_factory=dict)
    buffer: bytes = b""
    fds: list[int] = field(default_factory=list)

    def tell(self, **what: Any) -> None:
        self.control.sendall(json.dumps(what).encode() + b"\n")

    def keep(self) -> None:
        """Until the other end is closed."""
        self.tell(ready=True)
        while self._orders(LOOK if self.running else 5.0):
            if self.running:
                self._look()

    def _orders(self, seconds: float) -> bool:
        if not select.select([self.control], [], [], seconds)[0]:
            return True
        data, fds, _, _ = socket.recv_fds(self.control, 1024 * 1024, 8)
        self.fds += fds
        if not data or len(self.buffer) > MOST_ORDER:
            return False
        self.buffer += data
        while b"\n" in self.buffer:
            line, _, self.buffer = self.buffer.partition(b"\n")
            self._take(json.loads(line))
        return True

    def _take(self, order: dict[str, Any]) -> None:
        match order["do"]:
            case "start":
                self._start(order)
            case "stop":
                self._end_all(Kind(order["kind"]))
            case "relay":
                listening = socket.socket(fileno=self.fds.pop(0))
                relay.serve(listening, lambda: relay.dial(order["network"], order["address"]))
            case "write":
                self._answer(order, lambda: _write(order["name"], base64.b64decode(order["data"])))
            case "read":
                self._answer(order, lambda: _read(order["name"], order["most"]))

    def _answer(self, order: dict[str, Any], does: Any) -> None:
        try:
            self.tell(answer=order["number"], data=does())
        except OSError as error:
            self.tell(answer=order["number"], error=error.strerror or "it cannot be reached")

    def _start(self, order: dict[str, Any]) -> None:
        pipes, self.fds = self.fds[:2], self.fds[2:]
        now = time.monotonic()
        pid = start.start(order, pipes, self.limits, self.code)
        for pipe in pipes:
            os.close(pipe)
        self.running[pid] = Running(order["number"], now, now + order["seconds"])

    def _look(self) -> None:
        ended = self._reaped()
        breach = self.watch.look()
        for pid, status, peak in ended:
            self._ended(pid, status, peak, breach)
        if breach is not None:
            self._end_all(breach)
        elif any(time.monotonic() > one.until for one in self.running.values()):
            self._end_all(Kind.TIMED_OUT)
        elif ended and not self.running:
            _kill_all()

    def _reaped(self) -> list[tuple[int, int, int]]:
        """(process, wait status, most bytes of memory) of the started programs that have ended; others are buried."""
        found: list[tuple[int, int, int]] = []
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return found
            if pid == 0:
                return found
            self.watch.peak = max(self.watch.peak, usage.ru_maxrss * 1024)
            if pid in self.running:
                found.append((pid, status, usage.ru_maxrss * 1024))

    def _ended(self, pid: int, status: int, peak: int, breach: Kind | None) -> None:
        if breach is None and peak > self.limits["memory"]:
            breach = Kind.MEMORY
        code = os.waitstatus_to_exitcode(status) if breach is None else None
        self._tell_end(self.running.pop(pid), breach or Kind.FINISHED, code)

    def _tell_end(self, one: Running, kind: Kind, code: int | None) -> None:
        seconds = time.monotonic() - one.since
        self.tell(ended=one.number, kind=str(kind), code=code, seconds=seconds, peak=self.watch.peak)

    def _end_all(self, kind: Kind) -> None:
        """Everything that runs is killed, and said to have ended so."""
        _kill_all()
        ended, self.running = list(self.running.values()), {}
        for one in ended:
            self._tell_end(one, kind, None)
        self.watch.lost = watching.lost_ways()


def _kill_all() -> None:
    """Every process of the room but this one, and wait until they are gone."""
    while True:
        try:
            os.kill(-1, signal.SIGKILL)
            os.wait4(-1, 0)
        except (ProcessLookupError, ChildProcessError):
            return


def _place(name: str) -> Path:
    """A path in the working folder that stays in it, whatever links there are by now."""
    path = Path(WORK, name).resolve()
    if not path.is_relative_to(WORK):
        raise PermissionError(1, "it lies outside the working folder")
    return path


def _write(name: str, data: bytes) -> str:
    path = _place(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return ""


def _read(name: str, most: int) -> str:
    path = _place(name)
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such file")
    with path.open("rb") as file:
        return base64.b64encode(file.read(most)).decode()


def _first_process(control: socket.socket, told: dict[str, Any]) -> None:
    kernel.prctl(kernel.PDEATHSIG, signal.SIGKILL)
    build.root(told["staging"], told["limits"]["disk"], told["binds"])
    kernel.loopback_up()
    socket.sethostname("sandbox")
    build.no_further_spaces()
    decoys = kernel.watch(build.decoys()) if told["strict"] else -1
    if told["outbound"]:
        listening = socket.create_server(OUTBOUND)
        relay.serve(listening, lambda: relay.dial("unix", "/run/outbound"))
    os.environ.clear()
    os.umask(0o022)
    os.chdir(WORK)
    code = filter.program(os.uname().machine)
    watch = watching.Watch(told["limits"], told["strict"], decoys)
    Keeper(control, told["limits"], watch, code).keep()


def _guarded(control: socket.socket, does: Any, *given: Any) -> None:
    """What goes wrong is said to whoever asked for the room."""
    try:
        does(*given)
    except (OSError, KeyError, ValueError) as error:
        with suppress(OSError):
            control.sendall(json.dumps({"refused": getattr(error, "strerror", "") or str(error)}).encode() + b"\n")


def _begin(control: socket.socket) -> None:
    told = json.loads(_line(control))
    if os.geteuid() == 0:
        told["binds"] = build.leave_root(told["binds"], told["staging"])
    kernel.prctl(kernel.PDEATHSIG, signal.SIGKILL)
    build.new_spaces()
    child = os.fork()
    if child == 0:
        _guarded(control, _first_process, control, told)
        os._exit(0)
    control.close()
    os.waitpid(child, 0)


def _line(control: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        if not (part := control.recv(65536)):
            raise OSError("nobody asks")
        data += part
    return data


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    _guarded(control, _begin, control)


if __name__ == "__main__":
    main()
