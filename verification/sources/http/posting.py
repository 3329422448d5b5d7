"""POST requests through the same restrictions as all other requests.

Public hosts only, https only, redirects are ordinary responses and are not followed. Long responses are truncated, not
refused, because a receiver may send a long answer.
"""

from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException, HTTPResponse

from verification.sources.http import urls
from verification.sources.http.client import OutboundClient, SourceResponse, send_request
from verification.sources.http.transport import (
    HEADER_BYTES,
    ByteLimitExceededError,
    DeadlineExceededError,
    RequestDeadline,
)


def post(
    outbound: OutboundClient,
    address: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    timeout_seconds: float,
    max_bytes: int,
) -> SourceResponse:
    """Post `body` once and return the response with the first bytes of its body.

    Raises:
        RequestRefusedError: The portal doesn't post to this URL; nothing was sent.
        SourceUnavailableError: The receiver didn't respond.
    """
    deadline = RequestDeadline(timeout_seconds)
    link = urls.parse_url(address, loopback=outbound.loopback)
    # Uncompressed, because the beginning of a compressed body can't be shown.
    own_headers = {"Accept-Encoding": "identity"}
    with outbound.open_connection(link, deadline) as connection:
        response, response_headers = send_request(connection, link, "POST", own_headers | dict(headers), body)
        # The framing of chunks counts too, so the body gets more than its own size.
        connection.allow(max_bytes + HEADER_BYTES)
        beginning = _read_beginning(response, max_bytes)
        seconds = deadline.get_elapsed_seconds()
        return SourceResponse(response.status, response.reason, link, response_headers, beginning, seconds=seconds)


def _read_beginning(response: HTTPResponse, max_bytes: int) -> bytes:
    """Return the first bytes of the body. Errors are ignored because the status has already been received."""
    body = b""
    with suppress(OSError, HTTPException, ByteLimitExceededError, DeadlineExceededError):
        while len(body) < max_bytes and (chunk := response.read1(max_bytes - len(body))):
            body += chunk
    return body
