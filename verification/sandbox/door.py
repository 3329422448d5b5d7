"""Which hosts does a room reach? A proxy that knows nothing but CONNECT, and only to hosts that were named.

Every connection goes to an address that the outbound guard has checked: public ones only, resolved once.
"""

import socket
import socketserver
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from verification.base import Unreadable
from verification.sandbox.inside.relay import pump
from verification.sources import links
from verification.sources.http import Outbound
from verification.sources.wire import Deadline

SECONDS = 10.0
LONGEST = 8 * 1024
MOST_REFUSED = 100


class Door(socketserver.ThreadingUnixStreamServer):
    """`hosts` as "name" or "name:port"; `refused` fills with what was asked for in vain."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: Path, hosts: Sequence[str], refused: list[str], outbound: Outbound) -> None:
        self.hosts = {host.lower() if ":" in host else f"{host.lower()}:443" for host in hosts}
        self.refused, self.outbound = refused, outbound
        super().__init__(str(path), Knock)

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever hangs up is no fault of ours."""


class Knock(socketserver.StreamRequestHandler):
    """One connection that asks for a host."""

    timeout = 60

    def handle(self) -> None:
        line = self.rfile.readline(LONGEST).decode("latin-1").split()
        while self.rfile.readline(LONGEST).strip():
            pass
        target = line[1].lower() if len(line) > 1 and line[0] == "CONNECT" else ""
        door = self.server
        assert isinstance(door, Door)
        far = reached(target, door) if target in door.hosts else None
        if far is None:
            if len(door.refused) < MOST_REFUSED and line:
                door.refused.append(" ".join(line[:2])[:200])
            self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        with far:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=pump, args=(far, self.connection), daemon=True)
            back.start()
            pump(self.connection, far)
            back.join()


def reached(target: str, door: Door) -> socket.socket | None:
    """A connection to the host at an address that may be reached; None where there is none."""
    try:
        link = links.read(f"https://{target}/", loopback=door.outbound.loopback)
        addresses = door.outbound.addresses(link, Deadline(SECONDS))
    except Unreadable:
        return None
    for address in addresses:
        try:
            far = socket.create_connection((str(address), link.port), timeout=SECONDS)
        except OSError:
            continue
        far.settimeout(None)
        return far
    return None


@contextmanager
def opened_door(path: Path, hosts: Sequence[str], refused: list[str], *, loopback: bool = False) -> Iterator[None]:
    """A door that listens on the path."""
    with Door(path, hosts, refused, Outbound(loopback=loopback)) as door:
        path.chmod(0o666)
        serving = threading.Thread(target=door.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        serving.start()
        try:
            yield
        finally:
            door.shutdown()
            serving.join()
