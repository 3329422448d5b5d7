"""Replacement of the function with which a client connects."""

import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest


def replace_create_connection(monkeypatch: pytest.MonkeyPatch, replacement: Callable[..., Any]) -> None:
    """Replace socket.create_connection for this thread. Servers and clients of other threads connect as before."""
    real = socket.create_connection
    own_thread = threading.get_ident()

    def create_connection(*args: Any, **kwargs: Any) -> Any:
        is_own = threading.get_ident() == own_thread
        return (replacement if is_own else real)(*args, **kwargs)

    monkeypatch.setattr(socket, "create_connection", create_connection)
