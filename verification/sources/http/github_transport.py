"""How long may GitHub take, and how much may it send? PyGithub's connections, with an end to both.

An answer that drips is given up after a while, one that does not end is cut, and a circle of redirects is left.
"""

import threading
import time
from functools import cache

import requests
from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
    RequestsResponse,
)
from urllib3.exceptions import HTTPError

SECONDS = 20.0  # for one answer
MOST_BYTES = 10 * 1024 * 1024  # decoded
MOST_HOPS = 4  # the question itself and three redirects
READ = 65536
_asking = threading.local()


class TooMuch(ValueError):
    """The answer is too long, too slow, or leads on too often."""


class Broken(ValueError):
    """The answer broke off, or is packed in a way that does not hold."""


def begin() -> None:
    """A new question: count its hops from nought. To be called by whoever asks, in the thread that asks."""
    _asking.hops = 0


@cache
def _session(protocol: str, host: str, port: int) -> requests.Session:
    """One a place, so that connections are kept open. A stored password of the machine is never sent along."""
    session = requests.Session()
    session.auth = Requester.noopAuth
    return session


def _bounded(connection: HTTPRequestsConnectionClass | HTTPSRequestsConnectionClass) -> RequestsResponse:
    _asking.hops = getattr(_asking, "hops", 0) + 1
    if _asking.hops > MOST_HOPS:
        raise TooMuch("GitHub redirects too often.")
    until = time.monotonic() + SECONDS
    response = _session(connection.protocol, connection.host, connection.port).request(
        connection.verb,
        f"{connection.protocol}://{connection.host}:{connection.port}{connection.url}",
        headers=connection.headers,
        data=connection.input,
        timeout=connection.timeout,
        verify=connection.verify,
        allow_redirects=False,
        stream=True,
    )
    with response:
        response._content = _read(response, until)
        response._content_consumed = True  # type: ignore[attr-defined]
        response.encoding = "utf-8"
    return RequestsResponse(response)


def _read(response: requests.Response, until: float) -> bytes:
    body = bytearray()
    try:
        while part := response.raw.read1(READ, decode_content=True):
            body += part
            if len(body) > MOST_BYTES or time.monotonic() > until:
                raise TooMuch("GitHub's answer is too long or too slow.")
    except HTTPError as error:
        raise Broken("GitHub's answer broke off.") from error
    if response.raw.length_remaining:
        raise Broken("GitHub's answer broke off.")
    return bytes(body)


class Plain(HTTPRequestsConnectionClass):
    """Plain http, for a stand-in on this machine."""

    def getresponse(self) -> RequestsResponse:
        return _bounded(self)


class Secure(HTTPSRequestsConnectionClass):
    """https."""

    def getresponse(self) -> RequestsResponse:
        return _bounded(self)


Requester.injectConnectionClasses(Plain, Secure)
