"""Tests of relays: both directions, the limit of connections, and the end."""

import asyncio
import socket
import threading

from verification.sandbox import relays


def relay_to(target_server):
    """Return a listening socket and the handler that relays its connections to a server."""

    async def connect(near):
        await relays.join(near, await asyncio.open_connection(*target_server.getsockname()))

    return socket.create_server(("127.0.0.1", 0)), connect


def test_relay_delivers_an_answer_after_the_end_of_the_request():
    with socket.create_server(("127.0.0.1", 0)) as target_server:

        def answer():
            with target_server.accept()[0] as connection, connection.makefile("rb") as request:
                connection.sendall(request.read().upper())

        threading.Thread(target=answer, daemon=True).start()
        listener, connect = relay_to(target_server)
        address = listener.getsockname()
        with relays.serve(listener, connect), socket.create_connection(address, timeout=5) as client:
            client.sendall(b"hello" * 100_000)
            client.shutdown(socket.SHUT_WR)
            assert client.makefile("rb").read() == b"HELLO" * 100_000


def test_end_of_relay_closes_open_connections_of_both_sides():
    with socket.create_server(("127.0.0.1", 0)) as target_server:
        listener, connect = relay_to(target_server)
        address = listener.getsockname()
        with relays.serve(listener, connect):
            near = socket.create_connection(address, timeout=5)
            far = target_server.accept()[0]
        with near, far:
            far.settimeout(5)
            assert (near.recv(1), far.recv(1)) == (b"", b"")


def test_connection_above_the_limit_is_closed(monkeypatch):
    monkeypatch.setattr(relays, "MAX_CONNECTIONS", 1)
    with socket.create_server(("127.0.0.1", 0)) as target_server:
        listener, connect = relay_to(target_server)
        address = listener.getsockname()
        with (
            relays.serve(listener, connect),
            socket.create_connection(address, timeout=5),
            target_server.accept()[0],
            socket.create_connection(address, timeout=5) as second,
        ):
            assert second.recv(1) == b""
