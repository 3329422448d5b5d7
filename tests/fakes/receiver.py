"""Webhook receiver on loopback that accepts, refuses, stalls, or cuts the connection."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class ReceivedRequest:
    """One received request."""

    path: str
    headers: dict[str, str]
    body: str
    at: float = field(default_factory=time.monotonic)


@dataclass
class Answers:
    """How the receiver answers: statuses of `script`, then `status`; with `cut` it closes the connection."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"ok"
    script: list[int] = field(default_factory=list)
    stall: threading.Event | None = None
    cut: bool = False
    before: Callable[[], None] = lambda: None


class Receiver:
    """The receiver of requests to `url`. Requests below `/slow` wait until `slow` is set."""

    def __init__(self) -> None:
        self.requests: list[ReceivedRequest] = []
        self.answers = Answers()
        self.slow = threading.Event()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/in"

    def reset(self) -> None:
        self.slow.set()
        self.requests = []
        self.answers = Answers()
        self.slow = threading.Event()

    def stop(self) -> None:
        self.slow.set()
        self.server.shutdown()
        self.server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.requests.append(ReceivedRequest(self.path, headers, body))
                if self.path.startswith("/slow"):
                    receiver.slow.wait(30)
                self.answer(receiver.answers)

            do_GET = do_POST

            def answer(self, answers: Answers) -> None:
                answers.before()
                if answers.cut:
                    self.close_connection = True
                    self.connection.close()
                    return
                self.send_response(answers.script.pop(0) if answers.script else answers.status)
                for name, value in answers.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answers.body)))
                self.end_headers()
                self.wfile.write(answers.body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler
