"""Tests of relays: both directions, the limit of connections, and the end."""

import asyncio
import socket
import struct
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


def listen_on_unix_socket(path):
    """Return a listening Unix socket."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    return listener


def open_client(path):
    """Return a connection to a Unix socket."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(5)
    client.connect(path)
    return client


def limit_send_buffer(near):
    """Let the kernel keep so little that unread data stays in the relay."""
    near[1].get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)


def test_connection_with_unread_data_counts_towards_the_limit(monkeypatch, tmp_path):
    monkeypatch.setattr(relays, "MAX_CONNECTIONS", 1)
    path = str(tmp_path / "relay")

    async def answer(near):
        limit_send_buffer(near)
        near[1].write(b"x" * 100_000)

    with relays.serve(listen_on_unix_socket(path), answer), open_client(path) as first:
        received = first.recv(1)
        with open_client(path) as second:
            assert second.recv(1) == b""
        assert received + first.makefile("rb").read() == b"x" * 100_000


def test_unexpected_error_of_the_handler_closes_the_connection():
    async def fail(_near):
        raise ValueError("unexpected")

    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()
    with relays.serve(listener, fail), socket.create_connection(address, timeout=5) as client:
        assert client.recv(1) == b""


def test_reset_by_the_target_loses_no_data_that_arrived_before(tmp_path):
    path = str(tmp_path / "relay")
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as target_server:

        async def connect(near):
            limit_send_buffer(near)
            try:
                await relays.join(near, await asyncio.open_connection(*target_server.getsockname()))
            finally:
                is_over.set()

        with relays.serve(listen_on_unix_socket(path), connect), open_client(path) as client:
            client.shutdown(socket.SHUT_WR)
            with target_server.accept()[0] as target:
                target.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # resets at the end
                target.sendall(b"x" * 30_000)
                received = client.recv(1)
            assert is_over.wait(5)
            assert received + client.makefile("rb").read() == b"x" * 30_000
