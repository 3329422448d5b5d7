"""Proxy that lets a sandbox connect to named hosts. Its only method is CONNECT.

Every connection goes to an address that the outbound guard has checked: public ones only, resolved once.
"""

import socket
import socketserver
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from verification.sandbox.network import join_sockets
from verification.sources.errors import RequestRefusedError, SourceError, SourceUnavailableError
from verification.sources.http import urls
from verification.sources.http.client import OutboundClient
from verification.sources.http.transport import RequestDeadline

CONNECT_SECONDS = 10.0
REQUEST_SECONDS = 10.0
MAX_REQUEST_BYTES = 8 * 1024  # of the request line and the headers
MAX_CONNECTIONS = 64  # each takes two threads and two descriptors of the supervisor


class EgressRules:
    """Hosts that an environment can connect to, as "name" or "name:port". `outbound` checks their addresses."""

    def __init__(self, hosts: Sequence[str], outbound: OutboundClient | None = None) -> None:
        self.hosts = {host.lower() if ":" in host else f"{host.lower()}:443" for host in hosts}
        self.outbound = outbound or OutboundClient()

    @contextmanager
    def serve(self, listener: socket.socket) -> Iterator[None]:
        """Run the proxy on a listening socket, and close it at the end."""
        with EgressProxy(listener, self) as proxy:
            serving = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
            serving.start()
            try:
                yield
            finally:
                proxy.shutdown()
                serving.join()
                proxy.close_connections()


class EgressProxy(socketserver.ThreadingTCPServer):
    """Proxy on a listening socket."""

    daemon_threads = True
    # A host can keep a connection open, which must not delay the end of the sandbox.
    block_on_close = False

    def __init__(self, listener: socket.socket, rules: EgressRules) -> None:
        self.rules = rules
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._far: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), ProxyConnection, bind_and_activate=False)
        # The listener belongs to the sandbox's network, in which this process can't create one.
        self.socket.close()
        self.socket = listener

    def verify_request(self, request: object, client_address: object) -> bool:
        """Return whether the number of connections is below the limit. Otherwise, close the connection."""
        return self._slots.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle a connection, then allow another one."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    @contextmanager
    def track(self, far: socket.socket) -> Iterator[None]:
        """Close the connection to a host at the end, or when the proxy ends."""
        with far:
            self._far.add(far)
            try:
                yield
            finally:
                self._far.discard(far)

    def close_connections(self) -> None:
        """Close the connections to hosts, which may keep them open."""
        for far in list(self._far):
            with suppress(OSError):
                far.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore broken connections, because the program can close them anytime."""


class ProxyConnection(socketserver.BaseRequestHandler):
    """Connection that requests a host.

    http.server doesn't read the request, because it sets no limit for the whole: a program could occupy the memory and
    the threads of the supervisor.
    """

    request: socket.socket

    def handle(self) -> None:
        method, _, rest = self._read_request().partition(" ")
        target = rest.partition(" ")[0].lower()
        assert isinstance(self.server, EgressProxy)
        rules = self.server.rules
        try:
            if method != "CONNECT" or target not in rules.hosts:
                raise RequestRefusedError("Host not allowed.")
            far = connect(target, rules.outbound)
        except SourceError as error:
            status = "403 Forbidden" if isinstance(error, RequestRefusedError) else "502 Bad Gateway"
            self.request.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
            return
        with self.server.track(far):
            self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self.request.settimeout(None)
            join_sockets(self.request, far)

    def _read_request(self) -> str:
        """Return the request line and the headers, or "" above the limit. Raise OSError if they take too long."""
        deadline = RequestDeadline(REQUEST_SECONDS)
        data = b""
        while b"\r\n\r\n" not in data:
            self.request.settimeout(deadline.get_remaining_seconds())
            piece = self.request.recv(MAX_REQUEST_BYTES)
            data += piece
            if not piece or len(data) > MAX_REQUEST_BYTES:
                return ""
        return data.decode("latin-1")


def connect(target: str, outbound: OutboundClient) -> socket.socket:
    """Connect to the host at an allowed address.

    Raises:
        RequestRefusedError: An address is not allowed.
        SourceUnavailableError: No address answers.
    """
    link = urls.parse_url(f"https://{target}/", loopback=outbound.loopback)
    deadline = RequestDeadline(CONNECT_SECONDS)
    for address in outbound.resolve_addresses(link, deadline):
        try:
            far = socket.create_connection((str(address), link.port), timeout=deadline.get_remaining_seconds())
        except OSError:
            continue
        far.settimeout(None)
        return far
    raise SourceUnavailableError(f"{target} doesn't answer.")
