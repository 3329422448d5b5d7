"""Tests of a full disk: a clear message, no corruption, and recovery when there is space again."""

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.portal.runtime.running_portal import HAS_PROC, RunningPortal, run_portal

SIZE_MB = 90


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a file system of a few megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted by root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_disk(disk: Path) -> Path:
    """Fill a disk to its last byte. Return the file."""
    path = disk / "ballast"
    with path.open("wb", buffering=0) as ballast:
        for size in (1_000_000, 4096, 1):
            try:
                while True:
                    ballast.write(b"x" * size)
            except OSError:
                continue
    return path


@pytest.mark.any_database
def test_full_disk_stops_startup_with_an_explanation(small_disk: Path, empty_data: Path) -> None:
    data = Path(shutil.copytree(empty_data, small_disk / "data"))
    fill_disk(small_disk)
    with run_portal(data) as portal:
        assert portal.end() == 1
    assert portal.output == (
        f"The disk of {data} has 0 MB left, and the portal needs 50 MB. Free some space,"
        " or run PORTAL_DATA=/path bin/up.\n"
    )


@pytest.mark.skipif(not HAS_PROC, reason="no /proc on this machine")
@pytest.mark.any_database
def test_portal_recovers_when_a_full_disk_has_space_again(small_disk: Path, empty_data: Path) -> None:
    data = Path(shutil.copytree(empty_data, small_disk / "data"))
    with run_portal(data, "--empty") as portal:
        portal.wait_until_ready()
        portal.wait_until(portal.is_working)
        helpers = portal.processes()
        ballast = fill_disk(small_disk)
        portal.wait_for_output(
            f"The disk of {data} has 0 MB left, and the portal needs 50 MB. Free some space."
            " The portal then continues automatically."
        )
        portal.wait_for_output("waits for the database (database or disk is full).")
        assert '"database": "ok"' in portal.read("/healthz")
        ballast.unlink()
        portal.wait_for_output(f"The disk of {data} has space again.")
        wait_for_later_run(portal)
        assert portal.processes() == helpers
        assert portal.stop() == 0
    assert "Traceback" not in portal.output, portal.output
    with closing(sqlite3.connect(data / "portal.sqlite3")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def wait_for_later_run(portal: RunningPortal) -> None:
    def get_last_run() -> str:
        with closing(sqlite3.connect(portal.data / "portal.sqlite3", timeout=20)) as connection:
            return str(connection.execute("SELECT max(finished_at) FROM jobs_periodicrun").fetchone()[0])

    before = get_last_run()
    portal.wait_until(lambda: get_last_run() > before)
    portal.wait_until(portal.is_working)
