"""How is one request made to an address that was checked? Sockets under one deadline, counted byte by byte.

Only verification.sources.http.client uses this. Standard library only.
"""

import http.client
import io
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from verification.sources.errors import Unavailable

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]
CONNECT_SECONDS = 10.0
HEADER_BYTES = 64 * 1024
READ = 64 * 1024


class TooSlow(Unavailable):
    """No whole answer within the deadline."""


class TooMuch(Exception):
    """More bytes came over the wire than were agreed on."""


class Deadline:
    """A moment by which all must be over, by the clock on the wall."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + seconds

    def gone(self) -> float:
        """Seconds since the beginning."""
        return self.seconds - (self._until - time.monotonic())

    def left(self) -> float:
        """Seconds left. Raises TooSlow where there are none."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TooSlow(f"There was no whole answer within {self.seconds:g} seconds.")
        return left


def system_resolve(host: str, port: int) -> list[str]:
    """Every address that the system's resolver knows for the host."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def resolved(resolve: Resolve, host: str, port: int, deadline: Deadline) -> list[Address]:
    """The host's addresses, asked once, within the deadline. Raises Unavailable.

    Resolvers cannot be told to stop, so one that stalls keeps a thread of its own until it gives up.
    """
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put([ip_address(text) for text in resolve(host, port)])
        except (OSError, ValueError) as error:
            answers.put(error)

    threading.Thread(target=ask, daemon=True, name="resolve").start()
    try:
        answer = answers.get(timeout=deadline.left())
    except queue.Empty:
        raise TooSlow(f"The name {host} was not resolved within {deadline.seconds:g} seconds.") from None
    if isinstance(answer, Exception) or not answer:
        raise Unavailable(f"The name {host} leads nowhere at the moment.")
    return list(answer)


class _Counted(io.RawIOBase):
    """Reads of a socket under the deadline and under a budget of bytes."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock, self._deadline = sock, deadline
        self.budget = HEADER_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.budget <= 0:
            raise TooMuch
        self._sock.settimeout(self._deadline.left())
        try:
            count = self._sock.recv_into(memoryview(buffer)[: self.budget])
        except TimeoutError:
            self._deadline.left()
            raise
        self.budget -= count
        return count


class _Socket:
    """What http.client needs of a socket, and no more."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock, self._deadline = sock, deadline
        self.reader = _Counted(sock, deadline)

    def sendall(self, data: Any) -> None:
        self._sock.settimeout(self._deadline.left())
        self._sock.sendall(data)

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(self.reader, READ)

    def close(self) -> None:
        """http.client closes early and trusts its reader to hold on; hang_up() is what ends it."""

    def hang_up(self) -> None:
        self._sock.close()


class Connection(http.client.HTTPConnection):
    """One request to one of these addresses, and to no other, under the name of the host."""

    def __init__(self, host: str, port: int, addresses: Sequence[Address], deadline: Deadline) -> None:
        super().__init__(host, port)
        self._addresses, self._deadline = addresses, deadline
        self.context: ssl.SSLContext | None = None
        self.counted: _Socket | None = None
        self.is_reached = False  # somebody took the connection, whatever became of it

    def connect(self) -> None:
        raw = self._dialled()
        self.is_reached = True
        try:
            if self.context is not None:
                raw.settimeout(self._deadline.left())
                raw = self.context.wrap_socket(raw, server_hostname=self.host)
        except BaseException:
            raw.close()
            raise
        self.counted = _Socket(raw, self._deadline)
        self.sock = self.counted  # type: ignore[assignment]

    def hang_up(self) -> None:
        if self.counted is not None:
            self.counted.hang_up()

    def allow(self, count: int) -> None:
        """So many more bytes may come over the wire."""
        if self.counted is not None:
            self.counted.reader.budget = count

    def _dialled(self) -> socket.socket:
        """The first address that answers. The peer is compared with it once more."""
        failure: OSError = OSError("no address")
        for address in self._addresses:
            wait = min(CONNECT_SECONDS, self._deadline.left())
            try:
                raw = socket.create_connection((str(address), self.port), timeout=wait)
            except OSError as error:
                failure = error
                continue
            if ip_address(raw.getpeername()[0]) != address:
                raw.close()
                raise OSError("another peer")
            return raw
        raise failure
