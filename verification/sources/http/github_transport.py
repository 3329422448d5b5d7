"""Time and size limits for PyGithub's connections.

A response that takes too long, is too large, or is redirected too often raises an error.
"""

import threading
import time
from functools import cache

import requests
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester, RequestsResponse
from urllib3.exceptions import HTTPError

TIMEOUT_SECONDS = 20.0  # for one response
MAX_RESPONSE_BYTES = 10 * 1024 * 1024  # decoded
MAX_HOPS = 4  # the request itself and three redirects
READ_BYTES = 65536
_thread_state = threading.local()


class InvalidGitHubResponseError(ValueError):
    """Response that is too large, too slow, redirected too often, or incomplete, or that has an invalid encoding."""


def reset_hops() -> None:
    """Reset the redirect count before a new request. Call it in the thread that sends the request."""
    _thread_state.hops = 0


@cache
def _get_session(protocol: str, host: str, port: int) -> requests.Session:
    """Return the session for a host, which keeps connections open and ignores passwords in a .netrc file."""
    session = requests.Session()
    session.auth = Requester.noopAuth
    return session


def _send_bounded(connection: HTTPRequestsConnectionClass | HTTPSRequestsConnectionClass) -> RequestsResponse:
    _thread_state.hops = getattr(_thread_state, "hops", 0) + 1
    if _thread_state.hops > MAX_HOPS:
        raise InvalidGitHubResponseError("GitHub sent too many redirects.")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    response = _get_session(connection.protocol, connection.host, connection.port).request(
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
        response._content = _read(response, deadline)
        response._content_consumed = True  # type: ignore[attr-defined]
        response.encoding = "utf-8"
    return RequestsResponse(response)


def _read(response: requests.Response, deadline: float) -> bytes:
    body = bytearray()
    try:
        while part := response.raw.read1(READ_BYTES, decode_content=True):
            body += part
            if len(body) > MAX_RESPONSE_BYTES or time.monotonic() > deadline:
                raise InvalidGitHubResponseError("GitHub's response is too large or too slow.")
    except HTTPError as error:
        raise InvalidGitHubResponseError("GitHub's response is incomplete.") from error
    if response.raw.length_remaining:
        raise InvalidGitHubResponseError("GitHub's response is incomplete.")
    return bytes(body)


class BoundedHttpConnection(HTTPRequestsConnectionClass):
    """Adapter for http, used for a local test server."""

    getresponse = _send_bounded


class BoundedHttpsConnection(HTTPSRequestsConnectionClass):
    """Adapter for https."""

    getresponse = _send_bounded


Requester.injectConnectionClasses(BoundedHttpConnection, BoundedHttpsConnection)
