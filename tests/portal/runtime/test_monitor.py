"""Test of the announcement of bin/up after a database that did not answer at first."""

import socket
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection

from portal.runtime import services
from portal.runtime.monitor import Monitor


@pytest.mark.django_db(transaction=True)
def test_portal_is_announced_once_when_the_database_answers(settings: Any, tmp_path: Path) -> None:
    def refuse(execute: Any, sql: str, params: Any, many: bool, context: Any) -> None:
        raise OperationalError("database is locked")

    lines: list[str] = []
    monitor = Monitor(lines.append)
    with socket.create_server((services.HOST, 0)) as listener:
        port = listener.getsockname()[1]
        settings.DATA_DIR = tmp_path
        settings.PORT = port
        with connection.execute_wrapper(refuse), pytest.raises(OperationalError):
            monitor.tick()
        assert lines == []
        monitor.tick()
        monitor.tick()
    assert lines == [f"\nThe portal is ready at http://127.0.0.1:{port}. Press Ctrl+C to stop.\n"]
