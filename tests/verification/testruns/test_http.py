"""Tests of the reasons for a missing response."""

import errno
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from verification.sources.http import transport
from verification.sources.http.client import OutboundClient
from verification.testruns.kinds.run_task.http import post


@pytest.fixture
def url_with_full_backlog() -> Iterator[str]:
    """Yield the URL of a server that accepts no further connection."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        for each in waiting:
            each.close()


@pytest.fixture
def silent_url() -> Iterator[str]:
    """Yield the URL of a server that accepts connections but never responds."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def post_body(address: str, **how: Any) -> tuple[int, str]:
    reply = post(OutboundClient(loopback=True, **how), address, b"{}", {}, timeout_seconds=0.4)
    return reply.status, reply.end_state


def test_unaccepted_connection_is_unreachable(url_with_full_backlog: str) -> None:
    assert post_body(url_with_full_backlog) == (0, "unreachable")


def test_silent_connection_is_slow(silent_url: str) -> None:
    assert post_body(silent_url) == (0, "slow")


def test_unreachable_network_is_reported_as_unresolved(silent_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_unreachable(*_: Any, **__: Any) -> socket.socket:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(transport.socket, "create_connection", raise_unreachable)
    assert post_body(silent_url) == (0, "unresolved")


def test_stalling_resolver_is_reported_as_unresolved() -> None:
    def stall(host: str, port: int) -> list[str]:
        release_event.wait(5)
        return []

    release_event = threading.Event()
    try:
        assert post_body("https://run.acme.io/", resolve=stall) == (0, "unresolved")
    finally:
        release_event.set()
