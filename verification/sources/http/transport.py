"""A single request to a verified address: sockets with one deadline and a byte limit.

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

from verification.sources.errors import SourceUnavailableError

IpAddress = IPv4Address | IPv6Address
Resolver = Callable[[str, int], Sequence[str]]
# Less than the deadline of most requests, so that a dead address leaves time for the next one.
CONNECT_SECONDS = 10.0
HEADER_BYTES = 64 * 1024
READ_BYTES = 64 * 1024


class DeadlineExceededError(SourceUnavailableError):
    """No complete response within the deadline."""


class ByteLimitExceededError(Exception):
    """Response above the byte limit."""


class RequestDeadline:
    """Deadline of a request on the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + seconds

    def get_elapsed_seconds(self) -> float:
        """Return the seconds since the start."""
        return self.seconds - (self._until - time.monotonic())

    def get_remaining_seconds(self) -> float:
        """Return the seconds that are left. Raises DeadlineExceededError if none are."""
        remaining_seconds = self._until - time.monotonic()
        if remaining_seconds <= 0:
            raise DeadlineExceededError(f"No complete response within {self.seconds:g} seconds.")
        return remaining_seconds


def resolve_with_system(host: str, port: int) -> list[str]:
    """Return the addresses of a host from the system's resolver."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def resolve_host(resolve: Resolver, host: str, port: int, deadline: RequestDeadline) -> list[IpAddress]:
    """Resolve a host once, within the deadline. Raises DeadlineExceededError and SourceUnavailableError.

    A resolver cannot be canceled, so one that stalls keeps its own thread until it gives up.
    """
    answer_queue: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def resolve_in_thread() -> None:
        try:
            answer_queue.put([ip_address(text) for text in resolve(host, port)])
        except (OSError, ValueError) as error:
            answer_queue.put(error)

    # A daemon, so that a stalled resolver doesn't keep the process from ending.
    threading.Thread(target=resolve_in_thread, daemon=True, name="resolve").start()
    try:
        answer = answer_queue.get(timeout=deadline.get_remaining_seconds())
    except queue.Empty:
        raise DeadlineExceededError(f"Resolving {host} took more than {deadline.seconds:g} seconds.") from None
    if isinstance(answer, Exception) or not answer:
        raise SourceUnavailableError(f"Can't resolve {host}.")
    return list(answer)


class _CountingReader(io.RawIOBase):
    """Reader of a socket with a deadline and a byte limit."""

    def __init__(self, sock: socket.socket, deadline: RequestDeadline) -> None:
        self._sock = sock
        self._deadline = deadline
        self.remaining_bytes = HEADER_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.remaining_bytes <= 0:
            raise ByteLimitExceededError
        self._sock.settimeout(self._deadline.get_remaining_seconds())
        try:
            count = self._sock.recv_into(memoryview(buffer)[: self.remaining_bytes])
        except TimeoutError:
            # Raises an error that names the deadline, unlike the socket's own timeout.
            self._deadline.get_remaining_seconds()
            raise
        self.remaining_bytes -= count
        return count


class _SocketAdapter:
    """Minimal socket interface for http.client."""

    def __init__(self, sock: socket.socket, deadline: RequestDeadline) -> None:
        self._sock = sock
        self._deadline = deadline
        self.reader = _CountingReader(sock, deadline)

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self._deadline.get_remaining_seconds())
        self._sock.sendall(data)

    def makefile(self, *_: object, **__: object) -> io.BufferedReader:
        return io.BufferedReader(self.reader, READ_BYTES)

    def close(self) -> None:
        """Do nothing: http.client closes the socket before the body is read. hang_up() closes it."""

    def hang_up(self) -> None:
        self._sock.close()


class PinnedConnection(http.client.HTTPConnection):
    """Connection to one of the given addresses only, with the name of the host for TLS and the Host header."""

    def __init__(self, host: str, port: int, addresses: Sequence[IpAddress], deadline: RequestDeadline) -> None:
        super().__init__(host, port)
        self._addresses = addresses
        self._deadline = deadline
        self.context: ssl.SSLContext | None = None
        self.socket_adapter: _SocketAdapter | None = None
        self.is_reached = False  # whether a host accepted the connection

    def connect(self) -> None:
        raw = self._dial()
        self.is_reached = True
        try:
            if self.context is not None:
                raw.settimeout(self._deadline.get_remaining_seconds())
                # The certificate has to be valid for the name, although the connection goes to a checked address.
                raw = self.context.wrap_socket(raw, server_hostname=self.host)
        except BaseException:
            raw.close()
            raise
        self.socket_adapter = _SocketAdapter(raw, self._deadline)
        self.sock = self.socket_adapter

    def hang_up(self) -> None:
        if self.socket_adapter is not None:
            self.socket_adapter.hang_up()

    def allow(self, count: int) -> None:
        """Set how many more bytes may be received."""
        if self.socket_adapter is not None:
            self.socket_adapter.reader.remaining_bytes = count

    def _dial(self) -> socket.socket:
        """Connect to the first address that accepts. Raises OSError if none does, or if the peer is another address."""
        failure: OSError = OSError("no address")
        for address in self._addresses:
            wait = min(CONNECT_SECONDS, self._deadline.get_remaining_seconds())
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
