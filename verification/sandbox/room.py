"""How is a room had, and how is a program run in it? The side that asks; what happens within is in `inside/`."""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verification.sandbox.base import HOME, MEGABYTE, WORK, Kind, Limits, NoSandbox, Outcome
from verification.sandbox.door import opened_door
from verification.sandbox.inside.build import OUTSIDE
from verification.sandbox.listening import Listener

ROOT = Path(__file__).resolve().parents[2]
BOOT = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from verification.sandbox.inside.main import main; main()"
PATH = "/usr/local/bin:/usr/bin:/bin"
PLAIN = {"PATH": PATH, "HOME": HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8", "USER": "sandbox"}  # noqa: S108 - within
THROUGH = "http://127.0.0.1:3128"
PATIENCE = 15.0  # seconds for what the first process of a room does at once, on a busy machine
SHORT = "/tmp"  # noqa: S108 - paths of sockets may have 108 characters; the folder is made by mkdtemp
AGAIN = 600.0  # seconds for which "no room can be had" is believed


@dataclass
class Process:
    """A program in a room."""

    room: "Room"
    number: int
    most: int

    def line(self, seconds: float) -> bytes | None:
        """Its first line on stdout without the end of the line; None where it ends or the time is over before."""
        return self.room.listener.line(self.number, seconds)

    def wait(self) -> Outcome:
        """How it ended; it is stopped when its time is over."""
        return self.room.listener.outcome(self.number, self.room.limits.seconds + PATIENCE)

    def settle(self, seconds: float) -> None:
        """Wait so long at most for its end."""
        self.room.listener.outcome(self.number, seconds)

    @property
    def ended(self) -> Outcome | None:
        """How it ended, None while it runs."""
        return self.room.listener.ended(self.number)

    def stop(self) -> Outcome:
        """End it, and with it everything that runs in the room."""
        self.room.send(do="stop", kind=str(Kind.CLOSED))
        return self.wait()


@dataclass
class Room:
    """A room that is open: see the package's docstring. `refused` names the hosts that the door did not let pass."""

    control: socket.socket
    staging: Path
    limits: Limits
    env: Mapping[str, str]
    listener: Listener
    refused: list[str] = field(default_factory=list)
    numbers: int = 0

    def start(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0) -> Process:
        """Start a program in /project. `env` is added to the room's own. Raises NoSandbox where the room is gone."""
        self.numbers += 1
        out, out_there = os.pipe()
        err, err_there = os.pipe()
        self.listener.expect(self.numbers, out, err, self.limits.output)
        order = {
            "do": "start", "number": self.numbers, "argv": [str(word) for word in argv],
            "env": {**PLAIN, **self.env, **(env or {})}, "seconds": seconds or self.limits.seconds,
        }  # fmt: skip
        try:
            self.send(fds=(out_there, err_there), **order)
        finally:
            os.close(out_there)
            os.close(err_there)
        return Process(self, self.numbers, self.limits.output)

    def run(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0) -> Outcome:
        """Run a program in /project to its end. Raises NoSandbox where the room is gone."""
        return self.start(argv, env=env, seconds=seconds).wait()

    def connect(self, network: str, address: str) -> str:
        """The path of a socket of ours that leads to the address within, "unix" or "tcp"."""
        self.numbers += 1
        path = str(self.staging / f"in{self.numbers}.sock")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            listening.bind(path)
            listening.listen(16)
            self.send(fds=(listening.fileno(),), do="relay", network=network, address=address)
        return path

    def write(self, name: str, data: bytes) -> None:
        """A file of /project. Raises OSError."""
        self._ask(do="write", name=name, data=base64.b64encode(data).decode())

    def read(self, name: str, most: int = 20 * MEGABYTE) -> bytes:
        """The first bytes of a file of /project. Raises OSError where there is none."""
        return base64.b64decode(self._ask(do="read", name=name, most=most))

    def _ask(self, **order: Any) -> str:
        self.numbers += 1
        self.send(number=self.numbers, **order)
        return self.listener.answer(self.numbers, PATIENCE)

    def send(self, *, fds: Sequence[int] = (), **order: Any) -> None:
        data = json.dumps(order).encode() + b"\n"
        try:
            with self.listener.sending:
                sent = socket.send_fds(self.control, [data], list(fds)) if fds else 0
                self.control.sendall(data[sent:])
        except OSError as error:
            raise NoSandbox("The sandbox has ended.") from error


@contextmanager
def open_room(
    limits: Limits | None = None,
    *,
    files: Mapping[str, bytes | Path] | None = None,
    readable: Sequence[Path] = (),
    hosts: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    strict: bool = True,
    loopback: bool = False,
) -> Iterator[Room]:
    """A room. Raises NoSandbox, with the reason, where none can be had.

    `files` are put into /project by their names: bytes are written there, what a Path names is seen and cannot be
    changed. `readable` are further folders of this machine that are seen under their own paths. `strict`: whoever
    reaches for the network or for credentials in the home folder is stopped; else nothing is found, and no more.
    `hosts` are names that HTTPS_PROXY lets pass on port 443, and "name:port" on others; `loopback` lets the door lead
    to this machine, for tests.
    """
    limits = limits or Limits()
    with ExitStack() as stack:
        staging = Path(tempfile.mkdtemp(prefix=f"sandbox-{os.getpid()}-", dir=SHORT))
        stack.callback(shutil.rmtree, staging, ignore_errors=True)
        binds = [[str(path), str(path)] for path in readable]
        binds += [[str(path), f"{WORK}/{name}"] for name, path in (files or {}).items() if isinstance(path, Path)]
        refused: list[str] = []
        if hosts:
            stack.enter_context(opened_door(staging / "door.sock", hosts, refused, loopback=loopback))
            binds.append([str(staging / "door.sock"), "/run/outbound"])
        control = stack.enter_context(_first_process(staging))
        given = _through(bool(hosts)) | dict(env or {})
        room = Room(control, staging, limits, given, Listener(control), refused)
        stack.callback(room.listener.close)
        room.send(staging=str(staging), limits=limits.as_dict(), binds=binds, strict=strict, outbound=bool(hosts))
        room.listener.ready(PATIENCE)
        for name, data in (files or {}).items():
            if isinstance(data, bytes):
                room.write(name, data)
        yield room


def _through(is_open: bool) -> dict[str, str]:
    names = ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy") if is_open else ()
    return dict.fromkeys(names, THROUGH)


@contextmanager
def _first_process(staging: Path) -> Iterator[socket.socket]:
    """The process that makes the room, with a socket to it. It ends when the socket is closed."""
    (staging / "root").mkdir()
    for folder in (staging, staging / "root"):
        folder.chmod(0o711)
    if os.geteuid() == 0:
        os.chown(staging / "root", OUTSIDE, OUTSIDE)
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-I", "-S", "-c", BOOT, str(theirs.fileno())],
            pass_fds=(theirs.fileno(),), env={"PATH": PATH}, cwd="/", start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        yield ours
    finally:
        ours.shutdown(socket.SHUT_RDWR)
        ours.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


_tried: tuple[float, str] | None = None
_trying = threading.Lock()


def unavailable() -> str:
    """Why no room can be had on this machine, as a sentence; blank where one can. Tried, and believed for a while."""
    global _tried
    with _trying:
        if _tried is None or (_tried[1] and time.monotonic() - _tried[0] > AGAIN):
            _tried = time.monotonic(), _try()
        return _tried[1]


def _try() -> str:
    if not sys.platform.startswith("linux"):
        return "No sandbox on this worker: it needs Linux."
    try:
        with open_room(Limits(seconds=10, disk=MEGABYTE)) as room:
            outcome = room.run(["/bin/sh", "-c", "echo ready"])
    except NoSandbox as sentence:
        return str(sentence)
    if outcome.stdout == b"ready\n":
        return ""
    said = outcome.stderr[:300].decode("utf-8", "replace").strip() or outcome.sentence
    return f"No sandbox on this worker: a first command did not run in it. {said}"
