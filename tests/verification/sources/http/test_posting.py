"""Tests of POST requests."""

import pytest

from tests.verification.sources.http.server import HEAD, Server, respond, send_raw
from verification.sources.http.client import OutboundClient
from verification.sources.http.posting import post

MAX_BYTES = 100_000


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (respond(b"thanks"), b"thanks"),
        (respond(b"a" * (MAX_BYTES + 1)), b"a" * MAX_BYTES),
        (send_raw(HEAD, b"Content-Length: 500\r\n\r\n", b"thanks"), b"thanks"),
        (send_raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\nno size\r\n"), b""),
        (send_raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\n6\r\nthanks\r\n", b"0" * 70_000), b"thanks"),
    ],
)
def test_received_status_counts_whatever_the_body_is(answer, body):
    server = Server({"/": answer})
    try:
        response = post(OutboundClient(loopback=True), server.url, b"{}", {}, timeout_seconds=5, max_bytes=MAX_BYTES)
    finally:
        server.stop()
    assert (response.status, response.body) == (200, body)
