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
def full() -> Iterator[str]:
    """An address that takes no further connection, as one behind a wall does."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        for each in waiting:
            each.close()


@pytest.fixture
def hanging_up() -> Iterator[str]:
    """An address where somebody takes the connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def post_body(address: str, **how: Any) -> tuple[int, str]:
    reply = post(OutboundClient(loopback=True, **how), address, b"{}", {}, timeout_seconds=0.4)
    return reply.status, reply.ended


def test_connection_that_no_one_takes_is_unreachable(full: str) -> None:
    assert post_body(full) == (0, "unreachable")


def test_silence_on_a_connection_is_slow(hanging_up: str) -> None:
    assert post_body(hanging_up) == (0, "slow")


def test_no_way_from_here_is_ours(hanging_up: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_unreachable(*_: Any, **__: Any) -> socket.socket:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(transport.socket, "create_connection", raise_unreachable)
    assert post_body(hanging_up) == (0, "unresolved")


def test_name_that_is_not_resolved_in_time_is_ours() -> None:
    def stalls(host: str, port: int) -> list[str]:
        release_event.wait(5)
        return []

    release_event = threading.Event()
    try:
        assert post_body("https://run.acme.io/", resolve=stalls) == (0, "unresolved")
    finally:
        release_event.set()
