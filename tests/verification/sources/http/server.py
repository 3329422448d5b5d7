"""Loopback servers: one that can misbehave, and one that only counts connections."""

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

END = b"\r\n"
HEAD = b"HTTP/1.1 200 OK\r\n"


def respond(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> Callable[..., None]:
    """Return a handler that sends a complete response."""

    def send(sock: socket.socket, **_: Any) -> None:
        lines = (b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers)
        sock.sendall(END.join(lines) + END + END + body)

    return send


def send_raw(*pieces: bytes) -> Callable[..., None]:
    """Return a handler that sends these bytes and closes the connection."""

    def send(sock: socket.socket, **_: Any) -> None:
        for piece in pieces:
            sock.sendall(piece)

    return send


def stream_forever(first: bytes, piece: bytes, pause: float = 0) -> Callable[..., None]:
    """Return a handler that sends the first bytes, then the piece repeatedly until the client disconnects."""

    def send(sock: socket.socket, stop: threading.Event, **_: Any) -> None:
        sock.sendall(first)
        while not stop.wait(pause) if pause else not stop.is_set():
            sock.sendall(piece)

    return send


def send_nothing(sock: socket.socket, stop: threading.Event, **_: Any) -> None:
    """Send nothing until the server stops."""
    stop.wait(30)


def build_gzip_bomb(megabytes: int) -> bytes:
    """Return this many MiB of zeros, compressed."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1024 * 1024)
    return b"".join(compressor.compress(zeros) for _ in range(megabytes)) + compressor.flush()


GZIPPED_BODY = gzip.compress(b'{"a": 1}')


class Server:
    """Server that handles a request with the path's entry in `answers` and records request heads."""

    def __init__(self, answers: dict[str, Callable[..., None]] | None = None, wrap: Any = None) -> None:
        self.answers = answers or {}
        self.wrap = wrap
        self.request_heads: list[str] = []
        self.stop_event = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        for sock in self._accept_connections():
            threading.Thread(target=self._answer, args=(sock,), daemon=True).start()

    def _accept_connections(self) -> Iterator[socket.socket]:
        while True:
            try:
                yield self.listener.accept()[0]
            except OSError:
                return

    def _answer(self, sock: socket.socket) -> None:
        try:
            with self.wrap(sock) if self.wrap else sock as inner:
                head = inner.recv(65536).decode("latin-1")
                self.request_heads.append(head)
                path = head.split(" ")[1] if " " in head else ""
                self.answers.get(path, respond(b"", status=b"404 Not Found"))(inner, stop=self.stop_event)
        except OSError:
            pass

    def stop(self) -> None:
        self.stop_event.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)


class Canary:
    """Listener that counts connections. No test may cause one."""

    def __init__(self) -> None:
        self.connection_count = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self) -> None:
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            self.connection_count += 1
            sock.close()

    def stop(self) -> int:
        """Stop, and return the number of connections, including one that is just arriving."""
        time.sleep(0.05)
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)
        return self.connection_count
