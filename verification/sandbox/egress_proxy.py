"""Proxy that lets a sandbox connect to named hosts. Its only method is CONNECT.

Every connection goes to an address that the outbound guard has checked: public ones only, resolved once.
"""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress

from verification.sandbox import relays
from verification.sources.errors import RequestRefusedError, SourceError, SourceUnavailableError
from verification.sources.http import urls
from verification.sources.http.client import OutboundClient
from verification.sources.http.transport import RequestDeadline

CONNECT_SECONDS = 10.0
REQUEST_SECONDS = 10.0
MAX_REQUEST_BYTES = 8 * 1024  # of the request line and the headers


class EgressRules:
    """Hosts that an environment can connect to, as "name" or "name:port". `outbound` checks their addresses."""

    def __init__(self, hosts: Sequence[str], outbound: OutboundClient | None = None) -> None:
        self.hosts = {host.lower() if ":" in host else f"{host.lower()}:443" for host in hosts}
        self.outbound = outbound or OutboundClient()

    def serve(self, listener: socket.socket) -> AbstractContextManager[None]:
        """Run the proxy on a listening socket, and close it at the end."""
        return relays.serve(listener, self._handle_connection)

    async def _handle_connection(self, near: relays.Stream) -> None:
        async with asyncio.timeout(REQUEST_SECONDS):
            method, _, rest = (await _read_request(near[0])).partition(" ")
        target = rest.partition(" ")[0].lower()
        try:
            if method != "CONNECT" or target not in self.hosts:
                raise RequestRefusedError("Host not allowed.")
            far = await relays.run_in_thread(connect, target, self.outbound)
        except SourceError as error:
            status = "403 Forbidden" if isinstance(error, RequestRefusedError) else "502 Bad Gateway"
            near[1].write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
            return
        near[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await relays.join(near, await asyncio.open_connection(sock=far))


async def _read_request(reader: asyncio.StreamReader) -> str:
    """Return the request line and the headers, or "" above the limit."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = await reader.read(MAX_REQUEST_BYTES)
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
        with suppress(OSError):
            return socket.create_connection((str(address), link.port), timeout=deadline.get_remaining_seconds())
    raise SourceUnavailableError(f"{target} doesn't answer.")
