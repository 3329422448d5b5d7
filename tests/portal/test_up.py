"""bin/up: what it says when it cannot start, and that it starts and ends everything."""

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

from portal.runtime.preconditions import describe_full_disk, lock_data_folder, require_free_port
from portal.runtime.valkey import find_server
from tests.servers.base import free_port

ROOT = Path(__file__).resolve().parents[2]
HAS_PROC = Path("/proc/self/environ").exists()


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_taken_port_is_named_with_the_remedy(taken):
    with pytest.raises(CommandError) as refusal:
        require_free_port("127.0.0.1", taken)
    assert str(refusal.value) == (
        f"Port {taken} of 127.0.0.1 cannot be used (Address already in use); stop what uses it or take another:"
        " PORT=8001 bin/up"
    )


def test_number_that_is_no_port_is_named():
    with pytest.raises(CommandError, match=r"^Port 70000 of 127.0.0.1 cannot be used \(no such port\);"):
        require_free_port("127.0.0.1", 70000)


def test_data_folder_is_locked_until_the_lock_is_closed(tmp_path):
    lock = lock_data_folder(tmp_path)
    with pytest.raises(CommandError) as refusal:
        lock_data_folder(tmp_path)
    assert str(refusal.value) == (
        f"The portal already runs with the data folder {tmp_path} (process {os.getpid()}); stop it first"
        " or use another folder: PORTAL_DATA=/path bin/up"
    )
    lock.close()
    lock_data_folder(tmp_path).close()


def test_full_disk_is_named_with_the_remedy(tmp_path):
    assert describe_full_disk(tmp_path, min_free_mb=0) == ""
    message = describe_full_disk(tmp_path, min_free_mb=10**12)
    assert message.startswith(f"The disk of {tmp_path} has ")
    assert message.endswith(
        f" MB left and the portal needs {10**12} MB; free some space or use another folder: PORTAL_DATA=/path bin/up"
    )


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


def test_up_stops_before_it_touches_the_database(taken, tmp_path):
    done = up(taken, tmp_path)
    words = done.communicate()[0]
    assert done.returncode == 1
    assert words.startswith(f"CommandError: Port {taken} of 127.0.0.1 cannot be used")
    assert not (tmp_path / "portal.sqlite3").exists()


def health(port):
    with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=20) as answer:
        return json.load(answer)


def processes_with(marker):
    """Ids and command lines of processes in whose environment these words stand."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
    return found


def wait_for(is_true):
    """Wait up to half a minute. Returns whether it became true."""
    return any(is_true() or Event().wait(0.1) for _ in range(300))


def read_until(portal, words):
    said = ""
    for line in portal.stdout:
        said += line
        if words in line:
            return said
    raise AssertionError(said)


@pytest.mark.skipif(not HAS_PROC, reason="no /proc on this machine")
@pytest.mark.any_database
def test_up_serves_restarts_a_killed_helper_and_ends_everything(tmp_path):
    port, marker = free_port(), f"PORTAL_DATA={tmp_path}\0"
    (tmp_path / "valkey").mkdir()
    (tmp_path / "valkey" / "dump.rdb").write_bytes(b"REDIS0011 torn")
    portal = up(port, tmp_path, "--empty")
    try:
        read_until(portal, f"The portal is ready at http://127.0.0.1:{port} (Ctrl-C stops it).")
        assert wait_for(lambda: health(port)["background"] == "ok")
        running = processes_with(marker)
        named = [name for name in ("valkey", " worker ", " beat ", " sweep ") if name in str(running)]
        assert named == (["valkey", " worker ", " beat ", " sweep "] if find_server() else [" sweep "])
        sweep = next(pid for pid, command in running.items() if " sweep " in command)
        os.kill(sweep, signal.SIGKILL)
        read_until(portal, "The sweep process stopped (killed by SIGKILL); it starts again in 0.5 s.")
        assert wait_for(lambda: " sweep " in str(processes_with(marker)))
        second = up(free_port(), tmp_path)
        assert second.communicate()[0] == (
            f"CommandError: The portal already runs with the data folder {tmp_path} (process {portal.pid}); stop it"
            " first or use another folder: PORTAL_DATA=/path bin/up\n"
        )
    finally:
        portal.send_signal(signal.SIGINT)
        rest = portal.communicate(timeout=60)[0]
    assert (portal.returncode, *(word for word in ("Traceback", "ERROR") if word in rest)) == (0,), rest
    assert processes_with(marker) == {}
