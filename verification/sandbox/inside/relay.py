"""How do bytes get in and out of a room? From a socket that somebody listens on to one that somebody else does."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

Dial = Callable[[], socket.socket]
MOST = 64  # connections at a time


def dial(network: str, address: str) -> socket.socket:
    """A connection to a plugin's address: "unix" with a path, "tcp" with host:port. Raises OSError and ValueError."""
    if network == "unix":
        found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        found.connect(address)
        return found
    host, _, port = address.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), timeout=10)


def serve(listening: socket.socket, to: Dial) -> None:
    """Join every connection to one of its own, for as long as the process lives."""
    threading.Thread(target=_accept, args=(listening, to, threading.BoundedSemaphore(MOST)), daemon=True).start()


def _accept(listening: socket.socket, to: Dial, places: threading.BoundedSemaphore) -> None:
    while True:
        try:
            near = listening.accept()[0]
        except OSError:
            return
        if not places.acquire(blocking=False):
            near.close()
            continue
        threading.Thread(target=_join, args=(near, to, places), daemon=True).start()


def _join(near: socket.socket, to: Dial, places: threading.BoundedSemaphore) -> None:
    try:
        with near, to() as far:
            far.settimeout(None)
            back = threading.Thread(target=pump, args=(far, near), daemon=True)
            back.start()
            pump(near, far)
            back.join()
    except (OSError, ValueError):
        return
    finally:
        places.release()


def pump(source: socket.socket, target: socket.socket) -> None:
    """Every byte, until one side has no more."""
    with suppress(OSError):
        while data := source.recv(64 * 1024):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
