"""A server on loopback that stalls, lies and streams for ever, and one that only counts who knocks."""

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

END = b"\r\n"
HEAD = b"HTTP/1.1 200 OK\r\n"


def plain(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> Callable[..., None]:
    """A whole answer."""

    def say(sock: socket.socket, **_: Any) -> None:
        lines = (b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers)
        sock.sendall(END.join(lines) + END + END + body)

    return say


def raw(*pieces: bytes) -> Callable[..., None]:
    """These bytes and the end."""

    def say(sock: socket.socket, **_: Any) -> None:
        for piece in pieces:
            sock.sendall(piece)

    return say


def endless(first: bytes, piece: bytes, pause: float = 0) -> Callable[..., None]:
    """The first bytes, then the piece again and again until the other side has had enough."""

    def say(sock: socket.socket, stop: threading.Event, **_: Any) -> None:
        sock.sendall(first)
        while not stop.wait(pause) if pause else not stop.is_set():
            sock.sendall(piece)

    return say


def silent(sock: socket.socket, stop: threading.Event, **_: Any) -> None:
    """Nothing at all."""
    stop.wait(30)


def bomb(megabytes: int) -> bytes:
    """So many MiB of zeros, packed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1024 * 1024)
    return b"".join(packer.compress(zeros) for _ in range(megabytes)) + packer.flush()


GZIPPED_BODY = gzip.compress(b'{"a": 1}')


class Server:
    """Answers each request by the path's entry in `answers`; keeps the heads of the requests in `heard`."""

    def __init__(self, answers: dict[str, Callable[..., None]] | None = None, wrap: Any = None) -> None:
        self.answers, self.heard, self.wrap = answers or {}, [], wrap
        self.stop_now = threading.Event()
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
                self.heard.append(head)
                path = head.split(" ")[1] if " " in head else ""
                self.answers.get(path, plain(b"", status=b"404 Not Found"))(inner, stop=self.stop_now)
        except OSError:
            pass

    def stop(self) -> None:
        self.stop_now.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)


class Canary:
    """A listener that must hear nothing."""

    def __init__(self) -> None:
        self.knocks = 0
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
            self.knocks += 1
            sock.close()

    def stop(self) -> int:
        """How many knocked, after a moment for the last of them."""
        time.sleep(0.05)
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)
        return self.knocks
