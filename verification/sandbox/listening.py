"""What does a room say, and what do the programs in it print? Heard in a thread, so that no pipe fills up."""

import json
import os
import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from verification.sandbox.base import Kind, NoSandbox, Outcome

T = TypeVar("T")
GONE = "No sandbox on this worker: it ended before it was ready."


@dataclass
class Heard:
    """What was heard of one program."""

    most: int
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    open: set[int] = field(default_factory=set)
    end: dict[str, Any] | None = None

    @property
    def size(self) -> int:
        return len(self.stdout) + len(self.stderr)


class Listener:
    """Hears one room. Every method may be called from any thread."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._changed, self.sending = threading.Condition(), threading.Lock()
        self._heard: dict[int, Heard] = {}
        self._answers: dict[int, dict[str, Any]] = {}
        self._new: list[tuple[int, Callable[[int], bool]]] = []
        self._is_ready, self._is_gone, self._refused, self._buffer = False, False, "", b""
        self._woken, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._hear, daemon=True, name="sandbox")
        self._thread.start()

    def expect(self, number: int, out: int, err: int, most: int) -> None:
        """A program is about to be started that prints into these pipes."""
        heard = Heard(most, open={out, err})
        with self._changed:
            self._heard[number] = heard
            self._new += [(out, lambda fd: self._printed(heard, heard.stdout, fd))]
            self._new += [(err, lambda fd: self._printed(heard, heard.stderr, fd))]
        os.write(self._wake, b".")

    def ready(self, seconds: float) -> None:
        """Wait until the room stands. Raises NoSandbox with the reason."""
        self._until(lambda: self._is_ready or self._is_gone or bool(self._refused), seconds)
        if not self._is_ready:
            why = f"No sandbox on this worker: {self._refused}." if self._refused else GONE
            raise NoSandbox(why)

    def line(self, number: int, seconds: float) -> bytes | None:
        heard = self._heard[number]
        self._until(lambda: b"\n" in heard.stdout or self._is_over(heard), seconds)
        line, end, _ = bytes(heard.stdout).partition(b"\n")
        return line.rstrip(b"\r") if end else None

    def outcome(self, number: int, seconds: float) -> Outcome:
        heard = self._heard[number]
        self._until(lambda: self._is_over(heard), seconds)
        return self._outcome(heard)

    def ended(self, number: int) -> Outcome | None:
        heard = self._heard[number]
        return self._outcome(heard) if self._is_over(heard) else None

    def answer(self, number: int, seconds: float) -> str:
        self._until(lambda: number in self._answers or self._is_gone, seconds)
        answer = self._answers.pop(number, {"error": "the sandbox has ended"})
        if "error" in answer:
            raise OSError(answer["error"])
        return str(answer["data"])

    def close(self) -> None:
        os.write(self._wake, b"x")
        self._thread.join()
        os.close(self._wake)
        os.close(self._woken)

    def _until(self, is_so: Callable[[], bool], seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(is_so, seconds)

    def _is_over(self, heard: Heard) -> bool:
        return self._is_gone or (heard.end is not None and not heard.open)

    def _outcome(self, heard: Heard) -> Outcome:
        told = heard.end or {"kind": Kind.LOST, "code": None, "seconds": 0.0, "peak": 0}
        out, err = bytes(heard.stdout[: heard.most]), bytes(heard.stderr[: heard.most])
        return Outcome(Kind(told["kind"]), told["code"], out, err, told["seconds"], told["peak"])

    def _hear(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ, self._told)
            selector.register(self._woken, selectors.EVENT_READ, None)
            while self._round(selector):
                pass
            for key in list(selector.get_map().values()):
                if key.data is not None and key.fd != self._control.fileno():
                    os.close(key.fd)

    def _round(self, selector: selectors.BaseSelector) -> bool:
        """Hear what is there. Returns whether to go on."""
        for key, _ in selector.select():
            if key.data is None:
                if b"x" in os.read(self._woken, 64):
                    return False
                self._take_new(selector)
            elif key.data(key.fd):
                selector.unregister(key.fd)
        return True

    def _take_new(self, selector: selectors.BaseSelector) -> None:
        with self._changed:
            new, self._new = self._new, []
        for fd, hears in new:
            selector.register(fd, selectors.EVENT_READ, hears)

    def _printed(self, heard: Heard, into: bytearray, fd: int) -> bool:
        """Take what a program printed. Returns whether there is no more to come."""
        data = os.read(fd, 64 * 1024)
        with self._changed:
            if data and heard.size <= heard.most:
                into += data
                if heard.size > heard.most:
                    self._stop(Kind.OUTPUT)
            if not data:
                heard.open.discard(fd)
                os.close(fd)
            self._changed.notify_all()
        return not data

    def _stop(self, kind: Kind) -> None:
        with suppress(OSError), self.sending:
            self._control.sendall(json.dumps({"do": "stop", "kind": str(kind)}).encode() + b"\n")

    def _told(self, _fd: int) -> bool:
        try:
            data = self._control.recv(1024 * 1024)
        except OSError:
            data = b""
        with self._changed:
            self._is_gone = self._is_gone or not data
            *lines, self._buffer = (self._buffer + data).split(b"\n")
            for line in lines:
                self._note(json.loads(line))
            self._changed.notify_all()
        return not data

    def _note(self, told: dict[str, Any]) -> None:
        self._is_ready = self._is_ready or "ready" in told
        self._refused = told.get("refused", self._refused)
        if "ended" in told:
            self._heard[told["ended"]].end = told
        if "answer" in told:
            self._answers[told["answer"]] = told
