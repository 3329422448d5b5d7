"""What do addresses that partners can influence answer? The one client for all of them; it reaches public hosts only.

https only; one resolution, every answer of it checked, the connection made to what was checked; each redirect judged
anew; one deadline for everything; a limit of decoded bytes for each kind of answer. Nothing is sent along that could
be worth having. Plain http to this machine is for development and has to be asked for.
"""

import hashlib
import http.client
import io
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from ipaddress import ip_network
from typing import BinaryIO

from verification.sources.errors import Denied, NotFound, Refused, Unavailable
from verification.sources.http import urls
from verification.sources.http.address_policy import forbidden, is_loopback
from verification.sources.http.decoding import Decoder, Unpackable
from verification.sources.http.transport import (
    HEADER_BYTES,
    READ,
    Address,
    Connection,
    Deadline,
    Resolve,
    TooMuch,
    TooSlow,
    resolved,
    system_resolve,
)
from verification.sources.http.urls import Link

__all__ = ["ARCHIVE", "JSON", "KEY", "PAGE", "SIGNATURE", "SUMS", "Answer", "Broken", "Kind", "Outbound", "TooLong",
           "TooSlow"]  # fmt: skip

MEGABYTE = 1024 * 1024
MAX_REDIRECTS = 3
AGENT = "partner-portal"
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class TooLong(Refused):
    """The answer is longer than its kind may be."""


class Forbidden(Refused):
    """The name leads to an address that no request may go to."""


class Broken(Unavailable):
    """The connection or the answer broke off, or is no HTTP."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of answer: its most decoded bytes, the seconds it may take, and whether packing is welcome."""

    name: str
    limit: int
    seconds: float = 20
    packed: bool = True
    accept: str = "*/*"


JSON = Kind("JSON document", 10 * MEGABYTE, accept="application/json")
PAGE = Kind("page", 5 * MEGABYTE)
SUMS = Kind("list of checksums", MEGABYTE, packed=False)
SIGNATURE = Kind("signature", 64 * 1024, packed=False)
KEY = Kind("key", 256 * 1024)
ARCHIVE = Kind("archive", 500 * MEGABYTE, seconds=300, packed=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `link` is where it came from after redirects; `body` is empty where it went to a file."""

    status: int
    reason: str
    link: Link
    headers: Mapping[str, str]
    body: bytes = b""
    size: int = 0
    sha256: str = ""
    seconds: float = 0  # from the first question to the last byte, redirects included

    @property
    def status_line(self) -> str:
        return f"{self.status} {self.reason}".strip()


@dataclass
class Outbound:
    """A client. `loopback` lets plain http to this machine pass; `closed` are further networks, our own."""

    loopback: bool = False
    closed: tuple[str, ...] = ()
    resolve: Resolve = system_resolve
    context: ssl.SSLContext | None = None

    def get(self, address: str, kind: Kind, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer, if it is 200. Raises NotFound, Denied, Unavailable and Refused, each with a sentence."""
        return _wanted(self.ask(address, kind, headers), kind)

    def download(self, address: str, kind: Kind, into: BinaryIO) -> Answer:
        """As get(), with the body written to a file; `size` and `sha256` say what was written."""
        return _wanted(self.ask(address, kind, into=into), kind)

    def ask(
        self,
        address: str,
        kind: Kind,
        headers: Mapping[str, str] | None = None,
        *,
        into: BinaryIO | None = None,
        redirects: int = MAX_REDIRECTS,
    ) -> Answer:
        """The answer, whatever its status. Raises Refused and Unavailable. `headers` go to the first address only."""
        deadline = Deadline(kind.seconds)
        link = urls.read(address, loopback=self.loopback)
        seen = {str(link)}
        for _ in range(redirects + 1):
            answer = self._once(link, kind, headers or {}, into, deadline)
            location = answer.headers.get("location", "")
            if answer.status not in REDIRECTS or not location:
                return replace(answer, seconds=deadline.gone())
            link, headers = urls.follow(link, location, loopback=self.loopback), {}
            if str(link) in seen:
                raise Refused(f"{link.netloc} redirects in a circle.")
            seen.add(str(link))
        raise Refused(f"{urls.shown(address)} redirects more than {redirects} times.")

    def _once(
        self, link: Link, kind: Kind, headers: Mapping[str, str], into: BinaryIO | None, deadline: Deadline
    ) -> Answer:
        try:
            with self.talking(link, deadline) as connection:
                return _exchange(connection, link, kind, headers, into)
        except TooMuch:
            raise TooLong(f"The answer of {link.netloc} is longer than a {kind.name} may be.") from None

    @contextmanager
    def talking(self, link: Link, deadline: Deadline) -> Iterator[Connection]:
        """A connection to what was checked. What goes wrong on it is Refused or Unavailable, but for TooMuch."""
        connection = Connection(link.host, link.port, self.addresses(link, deadline), deadline)
        connection.context = (self.context or _trusted()) if link.scheme == "https" else None
        try:
            yield connection
        except TimeoutError as error:
            raise TooSlow(f"{link.netloc} did not answer in time.") from error
        except ssl.SSLCertVerificationError as error:
            raise Refused(f"The certificate of {link.netloc} does not hold: {error.verify_message}.") from error
        except (OSError, http.client.HTTPException) as error:
            raise Broken(f"{link.netloc} did not answer usably.") from error
        finally:
            connection.hang_up()

    def addresses(self, link: Link, deadline: Deadline) -> list[Address]:
        """The host's addresses, if every one of them may be asked. Raises Forbidden and Unavailable."""
        literal = link.literal
        found = [literal] if literal else resolved(self.resolve, link.host, link.port, deadline)
        for address in found:
            what = self._forbidden(address)
            if what:
                raise Forbidden(f"{link.host} leads to {address}, {what}; name a public host instead.")
        if link.scheme == "http" and not all(is_loopback(address) for address in found):
            raise Forbidden(f"{link.host} is not this machine; only https is read.")
        return found

    def _forbidden(self, address: Address) -> str:
        if self.loopback and is_loopback(address):
            return ""
        ours = any(address in ip_network(network) for network in self.closed)
        return "an address of the portal's own network" if ours else forbidden(address)


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that this machine trusts, read once."""
    return ssl.create_default_context()


def _exchange(
    connection: Connection, link: Link, kind: Kind, headers: Mapping[str, str], into: BinaryIO | None
) -> Answer:
    ours = {
        "Host": link.netloc,
        "User-Agent": AGENT,
        "Accept": kind.accept,
        "Accept-Encoding": "gzip" if kind.packed else "identity",
        "Connection": "close",
    }
    connection.request("GET", link.target, headers=ours | dict(headers))
    response = connection.getresponse()
    told = {name.lower(): value for name, value in response.getheaders()}
    if response.status != 200:
        return Answer(response.status, response.reason, link, told)
    # a body that is cut into the smallest pieces needs several bytes on the wire for each of its own
    connection.allow(8 * kind.limit + HEADER_BYTES)
    sink = into or io.BytesIO()
    size, digest = _poured(response, kind, told.get("content-encoding", ""), sink, link)
    body = sink.getvalue() if isinstance(sink, io.BytesIO) and into is None else b""
    return Answer(response.status, response.reason, link, told, body, size, digest)


def _poured(response: http.client.HTTPResponse, kind: Kind, coding: str, sink: BinaryIO, link: Link) -> tuple[int, str]:
    """The body into the sink, decoded and counted. Returns its size and SHA-256."""
    if response.length is not None and response.length > kind.limit:
        raise TooMuch
    digest, size = hashlib.sha256(), 0
    try:
        for part in _parts(response, Decoder(coding, kind.packed), kind.limit + 1):
            size += len(part)
            if size > kind.limit:
                raise TooMuch
            digest.update(part)
            sink.write(part)
    except Unpackable as error:
        raise Refused(f"{link.netloc} packs the {kind.name} in a way that is not read: {error}.") from error
    return size, digest.hexdigest()


def _parts(response: http.client.HTTPResponse, decoder: Decoder, most: int) -> Iterable[bytes]:
    while chunk := response.read1(READ):
        yield from decoder.feed(chunk, most)
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    decoder.finish()


def _wanted(answer: Answer, kind: Kind) -> Answer:
    """The answer, if it is what was asked for. 404 and 410 say that it is not there, 401 and 403 that we may not."""
    place = answer.link.netloc
    if answer.status == 200:
        return answer
    if answer.status in {404, 410}:
        raise NotFound(f"{place} has no such {kind.name}: it answered {answer.status}.")
    if answer.status in {401, 403, 451}:
        raise Denied(f"{place} does not let the portal read the {kind.name}: it answered {answer.status}.")
    raise Unavailable(f"{place} answered {answer.status}, so the {kind.name} was not read.")
