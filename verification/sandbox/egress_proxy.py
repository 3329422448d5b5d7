"""A proxy that lets a sandbox reach named hosts. It knows CONNECT alone.

Every connection goes to an address that the outbound guard has checked: public ones only, resolved once.
"""

import socket
import socketserver
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from verification.base import Unreadable
from verification.sandbox.network import join_sockets
from verification.sources import links
from verification.sources.http import Outbound
from verification.sources.wire import Deadline

CONNECT_SECONDS = 10.0
MAX_LINE = 8 * 1024
MAX_REFUSED = 100


class EgressRules:
    """Which hosts an environment may reach, as "name" or "name:port". `refused` collects the others.

    `allow_loopback` lets the proxy connect to this machine, for tests.
    """

    def __init__(self, hosts: Sequence[str], *, allow_loopback: bool = False) -> None:
        self.hosts = {host.lower() if ":" in host else f"{host.lower()}:443" for host in hosts}
        self.outbound = Outbound(loopback=allow_loopback)
        self.refused: list[str] = []

    @contextmanager
    def serve(self, listener: socket.socket) -> Iterator[None]:
        """Run the proxy on a socket that listens already, and close it at the end."""
        with EgressProxy(listener, self) as proxy:
            serving = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
            serving.start()
            try:
                yield
            finally:
                proxy.shutdown()
                serving.join()


class EgressProxy(socketserver.ThreadingTCPServer):
    """A proxy on a socket that listens already."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, rules: EgressRules) -> None:
        self.rules = rules
        super().__init__(("127.0.0.1", 0), ProxyConnection, bind_and_activate=False)
        self.socket.close()
        self.socket = listener

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore connections that break; it is the program's choice to hang up."""


class ProxyConnection(socketserver.StreamRequestHandler):
    """One connection that asks for a host."""

    timeout = 60

    def handle(self) -> None:
        line = self.rfile.readline(MAX_LINE).decode("latin-1").split()
        while self.rfile.readline(MAX_LINE).strip():
            pass
        target = line[1].lower() if len(line) > 1 and line[0] == "CONNECT" else ""
        assert isinstance(self.server, EgressProxy)
        rules = self.server.rules
        far = connect(target, rules.outbound) if target in rules.hosts else None
        if far is None:
            if len(rules.refused) < MAX_REFUSED and line:
                rules.refused.append(" ".join(line[:2])[:200])
            self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        with far:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self.connection.settimeout(None)
            join_sockets(self.connection, far)


def connect(target: str, outbound: Outbound) -> socket.socket | None:
    """Return a connection to the host at an address that may be reached; None where there is none."""
    try:
        link = links.read(f"https://{target}/", loopback=outbound.loopback)
        addresses = outbound.addresses(link, Deadline(CONNECT_SECONDS))
    except Unreadable:
        return None
    for address in addresses:
        try:
            far = socket.create_connection((str(address), link.port), timeout=CONNECT_SECONDS)
        except OSError:
            continue
        far.settimeout(None)
        return far
    return None
