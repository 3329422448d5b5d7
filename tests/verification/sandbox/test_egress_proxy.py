"""Tests of the egress proxy: allowed hosts and request limits."""

import socket
import threading
from contextlib import suppress

import pytest

from tests.verification.sandbox.programs import PYTHON, READABLE
from tests.verification.sources.http.connections import replace_create_connection
from verification.sandbox import egress_proxy
from verification.sandbox.egress_proxy import EgressRules
from verification.sandbox.environment import open_environment
from verification.sandbox.types import MEGABYTE, Limits
from verification.sources.errors import RequestRefusedError
from verification.sources.http.client import OutboundClient

LIMITS = Limits(seconds=10, disk=20 * MEGABYTE)


def ask_proxy(sandbox, target):
    """Return the lines of the proxy's response to CONNECT and of the data that follows."""
    script = f"""
import socket
connection = socket.create_connection(("127.0.0.1", 3128))
connection.sendall(b"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n")
print(connection.makefile("rb").read().decode())
"""
    return sandbox.run([str(PYTHON), "-IS", "-c", script]).stdout.decode().split("\r\n")


def test_proxy_refuses_hosts_that_are_not_allowed():
    with socket.create_server(("127.0.0.1", 0)) as target_server:
        port = target_server.getsockname()[1]
        egress = EgressRules([f"127.0.0.1:{port}", "10.0.0.1:443"], OutboundClient(loopback=True))
        with open_environment(LIMITS, egress=egress, readable=READABLE, is_strict=False) as sandbox:
            assert ask_proxy(sandbox, "127.0.0.1:1")[0] == "HTTP/1.1 403 Forbidden"
            assert ask_proxy(sandbox, "10.0.0.1:443")[0] == "HTTP/1.1 403 Forbidden"


def test_proxy_distinguishes_an_unreachable_host_from_a_blocked_one():
    with socket.create_server(("127.0.0.1", 0)) as closed_server:
        port = closed_server.getsockname()[1]
    egress = EgressRules([f"127.0.0.1:{port}"], OutboundClient(loopback=True))
    with open_environment(LIMITS, egress=egress, readable=READABLE, is_strict=False) as sandbox:
        assert ask_proxy(sandbox, f"127.0.0.1:{port}")[0] == "HTTP/1.1 502 Bad Gateway"


def test_proxy_connects_to_an_allowed_host():
    with socket.create_server(("127.0.0.1", 0)) as target_server:
        port = target_server.getsockname()[1]

        def answer():
            connection = target_server.accept()[0]
            connection.sendall(b"hello")
            connection.close()

        threading.Thread(target=answer, daemon=True).start()
        egress = EgressRules([f"127.0.0.1:{port}"], OutboundClient(loopback=True))
        with open_environment(LIMITS, egress=egress, readable=READABLE) as sandbox:
            lines = ask_proxy(sandbox, f"127.0.0.1:{port}")
    assert (lines[0], lines[-1].strip()) == ("HTTP/1.1 200 Connection established", "hello")


@pytest.fixture
def proxy_address(monkeypatch):
    """Serve a proxy that allows port 9 of this machine and has a short request timeout."""
    monkeypatch.setattr(egress_proxy, "REQUEST_SECONDS", 0.3)
    listener = socket.create_server(("127.0.0.1", 0))
    with EgressRules(["127.0.0.1:9"], OutboundClient(loopback=True)).serve(listener):
        yield listener.getsockname()


def test_proxy_refuses_a_request_with_headers_above_the_limit(proxy_address):
    with socket.create_connection(proxy_address, timeout=5) as connection:
        connection.sendall(b"CONNECT 127.0.0.1:9 HTTP/1.1\r\nX: " + b"x" * egress_proxy.MAX_REQUEST_BYTES)
        assert connection.recv(100).startswith(b"HTTP/1.1 403 Forbidden")


def test_proxy_closes_a_request_that_arrives_slowly(proxy_address):
    with socket.create_connection(proxy_address, timeout=0.05) as connection:
        answer = None
        sent_count = 0
        while answer is None and sent_count < 100:
            sent_count += connection.send(b"x")
            with suppress(TimeoutError):
                answer = connection.recv(1)
    assert answer == b""


def test_proxy_connects_to_no_address_in_a_blocked_network(monkeypatch):
    replace_create_connection(monkeypatch, lambda *_, **__: pytest.fail("an address was dialed"))
    outbound = OutboundClient(resolve=lambda *_: ["198.41.0.4"], blocked_networks=["198.41.0.0/24"])
    with pytest.raises(RequestRefusedError):
        egress_proxy.connect("portal.acme.io:443", outbound)


def test_stalled_resolver_delays_neither_the_end_of_the_proxy_nor_of_the_process():
    earlier_threads = set(threading.enumerate())
    is_asked = threading.Event()
    is_over = threading.Event()

    def stall(*_):
        is_asked.set()
        is_over.wait(10)
        return []

    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()
    with EgressRules(["acme.io:443"], OutboundClient(resolve=stall)).serve(listener):
        with socket.create_connection(address, timeout=5) as connection:
            connection.sendall(b"CONNECT acme.io:443 HTTP/1.1\r\n\r\n")
            assert is_asked.wait(5)
        new_threads = set(threading.enumerate()) - earlier_threads
    ended_threads = [thread for thread in new_threads if not thread.is_alive()]
    is_over.set()
    assert [thread.name for thread in new_threads if not thread.daemon] == []
    assert [thread.name for thread in ended_threads] == ["relay"]
