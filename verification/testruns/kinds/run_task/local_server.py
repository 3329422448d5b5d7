"""Where do results come in when there is no portal? A small server with the callback address, the plan, the files."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Any
from uuid import uuid4

from verification.testruns.kinds.run_task import callback_service
from verification.testruns.kinds.run_task.callback_parsing import MOST_READ
from verification.testruns.kinds.run_task.driver import Target
from verification.testruns.kinds.run_task.protocol import CALLBACK_TYPE, Places, configuration_of
from verification.testruns.kinds.run_task.records import Knock
from verification.testruns.kinds.run_task.scenario import Act

SECONDS = 10  # that a call may take to be read
LENGTH_DIGITS = 12
PIECE, LINE = re.compile(rb"([0-9A-Fa-f]{1,12})[;\r\n]"), 1024


@dataclass
class Room:
    """One run at the desk."""

    act: Act
    token_hash: str
    begun: float
    is_final: bool = False


@dataclass
class MemoryDesk:
    """The desk of one rehearsal. `base`: our address as the endpoint sees it."""

    target: Target
    base: str = ""
    rooms: dict[str, Room] = field(default_factory=dict)
    noted: list[Knock] = field(default_factory=list)
    fetched: dict[str, list[str]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self, act: Act, token_hash: str, result_id: str) -> Places:
        name = str(uuid4())
        with self.lock:
            self.rooms[name] = Room(act, token_hash, time.monotonic())
        stem = f"{self.base}/task-results/{name}"
        return Places(f"{stem}/callback", f"{stem}/plan", f"{stem}/configuration")

    def knocks(self) -> tuple[Knock, ...]:
        with self.lock:
            return tuple(self.noted)

    def take(self, name: str, call: callback_service.Call) -> tuple[int, str]:
        """What a call to a callback address is answered."""
        with self.lock:
            room = self.rooms.get(name)
            if room is None:
                return 404, "There is no such result."
            knock, sentence = callback_service.take(self._place(name, room), call)
            room.is_final = room.is_final or knock.is_final
            self.noted.append(knock)
            return knock.answered, sentence

    def _place(self, name: str, room: Room) -> callback_service.Place:
        others = {other.token_hash: other.act.key for key, other in self.rooms.items() if key != name}
        age = time.monotonic() - room.begun
        return callback_service.Place(room.act.key, room.token_hash, age, room.is_final, others, self.target.limits.end)

    def give(self, name: str, what: str, authorization: str) -> bytes | None:
        """The plan or the configuration, for whoever has the run's token."""
        with self.lock:
            room = self.rooms.get(name)
            if room is None or callback_service.token_state(self._place(name, room), authorization) not in (
                "right",
                "used",
            ):
                return None
            self.fetched.setdefault(room.act.key, []).append(what)
        scenario = self.target.scenario_of(room.act)
        return scenario.plan.encode() if what == "plan" else configuration_of(scenario)


class Handler(BaseHTTPRequestHandler):
    """One call."""

    timeout = SECONDS
    server: Any
    server_version, sys_version = "partner-portal-rehearsal", ""

    def do_GET(self) -> None:
        name, what = self._path()
        found = self.server.desk.give(name, what, self.headers.get("Authorization", ""))
        if found is None or what not in ("plan", "configuration"):
            self._say(404, b"There is nothing here for this token.")
        else:
            self._say(200, found, "application/json" if what == "plan" else "application/gzip")

    def do_PATCH(self) -> None:
        name, what = self._path()
        body, size = self._body()
        call = callback_service.Call(
            self.command, self.headers.get("Authorization", ""), self.headers.get("Content-Type", ""), body, size
        )
        status, sentence = self.server.desk.take(name, call) if what == "callback" else (404, "Not here.")
        self._say(status, sentence.encode())

    do_POST = do_PUT = do_PATCH

    def _body(self) -> tuple[bytes, int]:
        """What was read of the body, and the size of the whole."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            body = b"".join(_pieces(self.rfile))
            return body, len(body)
        length = self.headers.get("Content-Length") or "0"
        size = int(length) if length.isdecimal() and len(length) < LENGTH_DIGITS else 0
        return self.rfile.read(min(size, MOST_READ)), size

    def _path(self) -> tuple[str, str]:
        parts = self.path.partition("?")[0].strip("/").split("/")
        return (parts[-2], parts[-1]) if len(parts) > 1 else ("", "")

    def _say(self, status: int, body: bytes, content_type: str = CALLBACK_TYPE) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: what came is in the rehearsal's own record."""


def _pieces(stream: BufferedIOBase) -> Iterator[bytes]:
    """A body that comes in pieces, each with its length before it; a little more than we read of any, at most."""
    left = MOST_READ + 1
    while left > 0 and (size := PIECE.match(stream.readline(LINE))) and int(size[1], 16):
        yield stream.read(min(int(size[1], 16), left))
        left -= int(size[1], 16)
        stream.readline(LINE)
    if left > 0:
        stream.readline(LINE)  # the empty line at its end; else the answer could meet a reset connection


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], found: MemoryDesk) -> None:
        super().__init__(address, Handler)
        self.desk = found

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Somebody who hangs up is no news."""


@contextmanager
def listening(target: Target, host: str = "127.0.0.1", port: int = 0, base: str = "") -> Iterator[MemoryDesk]:
    """A desk that can be called while this lasts. `base`: our address from outside, where it is another one."""
    found = MemoryDesk(target)
    server = Server((host, port), found)
    found.base = (base or f"http://{host}:{server.server_address[1]}").rstrip("/")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
