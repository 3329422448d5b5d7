"""Does one command start everything, and end everything?"""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Event
from urllib.request import urlopen

import pytest
from django.core.management import CommandError

from portal.management.commands.up import insist_on_free_port
from tests.servers.base import free_port

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_taken_port_is_said_with_the_remedy(taken):
    with pytest.raises(CommandError) as refusal:
        insist_on_free_port(taken)
    assert str(refusal.value) == (
        f"Port {taken} of 127.0.0.1 cannot be used (Address already in use); stop what uses it or take another:"
        " PORT=8001 bin/up"
    )


def test_a_number_that_is_no_port_is_said():
    with pytest.raises(CommandError, match=r"^Port 70000 of 127.0.0.1 cannot be used \(no such port\);"):
        insist_on_free_port(70000)


def test_up_stops_before_it_touches_the_database(taken, tmp_path):
    done = up(taken, tmp_path)
    words = done.communicate()[0]
    assert done.returncode == 1
    assert words.startswith(f"CommandError: Port {taken} of 127.0.0.1 cannot be used")
    assert not (tmp_path / "portal.sqlite3").exists()


def up(port, data, *words):
    environment = {
        "PATH": os.environ["PATH"],
        "PORTAL_DATA": str(data),
        "PORT": str(port),
    }
    command = [sys.executable, "manage.py", "up", *words]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def health(port):
    with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=20) as answer:
        return json.load(answer)


def processes_with(marker):
    """Ids of processes in whose environment these words stand."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc on this machine")
def test_up_serves_works_and_ends(tmp_path):
    port = free_port()
    portal = up(port, tmp_path, "--empty")
    try:
        said = ""
        for line in portal.stdout:
            said += line
            if line.startswith("The portal is ready"):
                break
        assert line == f"The portal is ready at http://127.0.0.1:{port} (Ctrl-C stops it).\n", said
        for _ in range(100):
            if health(port)["background"] == "ok":
                break
            Event().wait(0.2)
        assert health(port)["background"] == "ok"
        assert len(processes_with(f"PORTAL_DATA={tmp_path}")) > 4
    finally:
        portal.send_signal(signal.SIGTERM)
        rest = portal.communicate(timeout=30)[0]
    assert (portal.returncode, *(word for word in ("Traceback", "ERROR", "WARN") if word in rest)) == (0,), rest
    assert processes_with(f"PORTAL_DATA={tmp_path}") == []
