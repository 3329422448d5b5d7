"""HTTP client for every URL that partners can influence. It connects to public hosts only.

https only; one DNS resolution, with every address checked and the connection made to a checked one; each redirect
checked again; one deadline for the whole request; a limit of decoded bytes per response kind.
Given headers go to the first URL only. Plain http to this machine is for development and must be enabled.
"""

import hashlib
import http.client
import io
import ssl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from ipaddress import ip_network
from typing import BinaryIO

from verification.sources.errors import (
    AccessDeniedError,
    RequestRefusedError,
    SourceNotFoundError,
    SourceUnavailableError,
)
from verification.sources.http import urls
from verification.sources.http.address_policy import describe_forbidden_address, is_loopback
from verification.sources.http.decoding import Decoder, DecodingError
from verification.sources.http.transport import (
    HEADER_BYTES,
    READ_BYTES,
    ByteLimitExceededError,
    DeadlineExceededError,
    IpAddress,
    PinnedConnection,
    RequestDeadline,
    Resolver,
    resolve_host,
    resolve_with_system,
)
from verification.sources.http.urls import ParsedUrl

MEGABYTE = 1024 * 1024
MAX_REDIRECTS = 3
USER_AGENT = "partner-portal"
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})


class ResponseTooLargeError(RequestRefusedError):
    """Response above the size limit of its type."""


class ForbiddenAddressError(RequestRefusedError):
    """Host name that resolves to a forbidden address."""


class BrokenConnectionError(SourceUnavailableError):
    """Interrupted connection, or a response that isn't HTTP."""


@dataclass(frozen=True, slots=True)
class ResponseKind:
    """Kind of response: its maximum size in decoded bytes, its timeout in seconds, and whether gzip is allowed."""

    name: str
    limit: int
    seconds: float = 20
    is_gzip_allowed: bool = True
    accept: str = "*/*"


JSON = ResponseKind("JSON document", 10 * MEGABYTE, accept="application/json")
PAGE = ResponseKind("page", 5 * MEGABYTE)
SUMS = ResponseKind("list of checksums", MEGABYTE, is_gzip_allowed=False)
SIGNATURE = ResponseKind("signature", 64 * 1024, is_gzip_allowed=False)
ARCHIVE = ResponseKind("archive", 500 * MEGABYTE, seconds=300, is_gzip_allowed=False)


@dataclass(frozen=True, slots=True)
class SourceResponse:
    """HTTP response. `link` is the URL after redirects. `body` is empty if the body was written to a file."""

    status: int
    reason: str
    link: ParsedUrl
    headers: Mapping[str, str]
    body: bytes = b""
    size: int = 0
    sha256: str = ""
    seconds: float = 0  # from the first request to the last byte, including redirects

    @property
    def status_line(self) -> str:
        return f"{self.status} {self.reason}".strip()


@dataclass
class OutboundClient:
    """Client. `loopback` allows plain http to this machine. `blocked_networks` are refused like private ones."""

    loopback: bool = False
    blocked_networks: Sequence[str] = ()
    resolve: Resolver = resolve_with_system
    context: ssl.SSLContext | None = None

    def get(
        self, address: str, kind: ResponseKind, headers: Mapping[str, str] | None = None, into: BinaryIO | None = None
    ) -> SourceResponse:
        """Return the response with status 200. Raises SourceError for any other status and for a failed request.

        With `into`, the body is written to this file. `size` and `sha256` of the response are then those of the file.
        """
        response = self.request(address, kind, headers, into=into)
        host = response.link.netloc
        if response.status in {404, 410}:
            raise SourceNotFoundError(f"{kind.name} not found on {host} (status {response.status}).")
        if response.status in {401, 403, 451}:
            raise AccessDeniedError(f"{host} denied access to the {kind.name} (status {response.status}).")
        if response.status != 200:
            raise SourceUnavailableError(f"Can't read the {kind.name}: {host} returned status {response.status}.")
        return response

    def request(
        self,
        address: str,
        kind: ResponseKind,
        headers: Mapping[str, str] | None = None,
        *,
        into: BinaryIO | None = None,
        redirects: int = MAX_REDIRECTS,
    ) -> SourceResponse:
        """Return the response with any status. `headers` are sent to the first URL only.

        Raises:
            RequestRefusedError: The portal doesn't request this URL or accept its response.
            SourceUnavailableError: The host didn't respond in time.
        """
        deadline = RequestDeadline(kind.seconds)
        link = urls.parse_url(address, loopback=self.loopback)
        visited_urls = {str(link)}
        for _ in range(redirects + 1):
            try:
                with self.open_connection(link, deadline) as connection:
                    response = _exchange(connection, link, kind, headers or {}, into)
            except ByteLimitExceededError:
                raise ResponseTooLargeError(f"{link.netloc} sent a {kind.name} above the size limit.") from None
            location = response.headers.get("location", "")
            if response.status not in REDIRECT_STATUSES or not location:
                return replace(response, seconds=deadline.get_elapsed_seconds())
            # The given headers can contain a credential, which must not follow a redirect to another host.
            link = urls.follow_redirect(link, location, loopback=self.loopback)
            headers = {}
            if str(link) in visited_urls:
                raise RequestRefusedError(f"{link.netloc} has a redirect loop.")
            visited_urls.add(str(link))
        raise RequestRefusedError(f"{urls.format_untrusted_url(address)} has more than {redirects} redirects.")

    @contextmanager
    def open_connection(self, link: ParsedUrl, deadline: RequestDeadline) -> Iterator[PinnedConnection]:
        """Open a connection to a checked address. Errors on it become SourceError, except ByteLimitExceededError."""
        connection = PinnedConnection(link.host, link.port, self.resolve_addresses(link, deadline), deadline)
        connection.context = (self.context or _create_trusted_context()) if link.scheme == "https" else None
        try:
            yield connection
        # All but HTTPException are OSErrors, so the order is from specific to general.
        except TimeoutError as error:
            raise DeadlineExceededError(f"{link.netloc} didn't respond in time.") from error
        # A retry wouldn't help: the owner of the host has to renew the certificate.
        except ssl.SSLCertVerificationError as error:
            raise RequestRefusedError(
                f"The certificate of {link.netloc} is invalid: {error.verify_message}."
            ) from error
        except http.client.HTTPException as error:
            raise BrokenConnectionError(f"{link.netloc} sent an invalid response.") from error
        except OSError as error:
            raise BrokenConnectionError(f"The connection to {link.netloc} failed.") from error
        finally:
            # http.client closes nothing of ours: see _SocketAdapter.close().
            connection.hang_up()

    def resolve_addresses(self, link: ParsedUrl, deadline: RequestDeadline) -> list[IpAddress]:
        """Return the addresses of the host if all of them are allowed.

        Raises:
            ForbiddenAddressError: An address is not allowed.
            SourceUnavailableError: The host can't be resolved.
        """
        literal = link.literal
        addresses = [literal] if literal else resolve_host(self.resolve, link.host, link.port, deadline)
        # All of them have to be allowed, because the connection can use any.
        for address in addresses:
            description = self._describe_forbidden_address(address)
            if description:
                raise ForbiddenAddressError(f"{link.host} resolves to {address}, {description}. Use a public host.")
        if link.scheme == "http" and not all(is_loopback(address) for address in addresses):
            raise ForbiddenAddressError(f"{link.host} is not a loopback address. Use https.")
        return addresses

    def _describe_forbidden_address(self, address: IpAddress) -> str:
        if self.loopback and is_loopback(address):
            return ""
        is_blocked = any(address in ip_network(network) for network in self.blocked_networks)
        return "an address in a blocked network" if is_blocked else describe_forbidden_address(address)


@cache
def _create_trusted_context() -> ssl.SSLContext:
    """Return the TLS context with the system's trusted certificates, cached."""
    return ssl.create_default_context()


def send_request(
    connection: PinnedConnection, link: ParsedUrl, method: str, headers: Mapping[str, str], body: bytes | None = None
) -> tuple[http.client.HTTPResponse, dict[str, str]]:
    """Send a request. Return the response, whose body is unread, and its headers by lowercase name."""
    own_headers = {"Host": link.netloc, "User-Agent": USER_AGENT, "Connection": "close"}
    connection.request(method, link.target, body=body, headers=own_headers | dict(headers))
    try:
        response = connection.getresponse()
    # A large body counts as a response, but without a status nothing is known.
    except ByteLimitExceededError:
        raise BrokenConnectionError(f"{link.netloc} sent headers above the size limit.") from None
    return response, {name.lower(): value for name, value in response.getheaders()}


def _exchange(
    connection: PinnedConnection, link: ParsedUrl, kind: ResponseKind, headers: Mapping[str, str], into: BinaryIO | None
) -> SourceResponse:
    own_headers = {"Accept": kind.accept, "Accept-Encoding": "gzip" if kind.is_gzip_allowed else "identity"}
    response, response_headers = send_request(connection, link, "GET", own_headers | dict(headers))
    if response.status != 200:
        return SourceResponse(response.status, response.reason, link, response_headers)
    # The announced length saves reading a body that will be refused.
    if response.length is not None and response.length > kind.limit:
        raise ByteLimitExceededError
    # With the smallest chunks, each byte of the body takes several bytes on the wire.
    connection.allow(8 * kind.limit + HEADER_BYTES)
    body = io.BytesIO()
    digest = hashlib.sha256()
    size = 0
    try:
        decoder = Decoder(response_headers.get("content-encoding", ""), kind.is_gzip_allowed)
        for part in _iterate_body(response, decoder, kind.limit + 1):
            size += len(part)
            if size > kind.limit:
                raise ByteLimitExceededError
            digest.update(part)
            (into or body).write(part)
    except DecodingError as error:
        raise RequestRefusedError(f"{link.netloc} sent an unsupported encoding: {error}.") from error
    content = body.getvalue()
    return SourceResponse(response.status, response.reason, link, response_headers, content, size, digest.hexdigest())


def _iterate_body(response: http.client.HTTPResponse, decoder: Decoder, max_bytes: int) -> Iterable[bytes]:
    while chunk := response.read1(READ_BYTES):
        yield from decoder.feed(chunk, max_bytes)
    # read1() reports a connection that closes too early as the end of the body.
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    decoder.finish()
