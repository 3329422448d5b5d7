"""Tests of the messages of bin/up on machines that lack a requirement."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.source import ROOT

TOOLS = ("bash", "env", "dirname", "mkdir", "cmp", "cp")
OLD = '#!/bin/sh\n[ "$1" = --version ] && { echo "Python 3.9.2"; exit 0; }\nexit 1\n'
WITHOUT_VENV = (
    '#!/bin/sh\n[ "$1" = --version ] && { echo "Python 3.11.2"; exit 0; }\ncase "$2" in *venv*) exit 1;; esac\nexit 0\n'
)


@pytest.fixture
def machine(tmp_path):
    """Return a clone on a machine that has only the programs in TOOLS."""
    clone, path = tmp_path / "clone", tmp_path / "path"
    shutil.copytree(ROOT / "bin", clone / "bin")
    path.mkdir()
    for tool in TOOLS:
        (path / tool).symlink_to(str(shutil.which(tool)))

    def up(python: str = "", **settings: str) -> str:
        if python:
            (path / "python3").write_text(python)
            (path / "python3").chmod(0o755)
        environment = {"PATH": str(path), "HOME": str(tmp_path), **settings}
        process = subprocess.run(["bin/up"], cwd=clone, env=environment, capture_output=True, text=True)
        assert (process.returncode, process.stdout) == (1, "")
        assert not (clone / ".venv").exists()
        return process.stderr

    return up


def test_up_without_python(machine):
    assert machine() == (
        "The portal requires Python 3.11 or newer, but python3 was not found. Run"
        " “apt-get install python3 python3-venv”, or set PYTHON=/path/to/python3.\n"
    )


def test_up_with_an_older_python(machine):
    assert machine(OLD) == (
        "The portal requires Python 3.11 or newer, but found Python 3.9.2. Install a newer version, or set"
        " PYTHON=/path/to/python3.\n"
    )


def test_up_without_venv(machine):
    assert machine(WITHOUT_VENV) == (
        "The venv module of Python 3.11.2 is missing. Run “apt-get install python3-venv”, then try again.\n"
    )


def test_up_with_a_data_folder_that_cannot_be_created(machine):
    assert machine(PORTAL_DATA="/dev/null/data") == (
        "The data folder /dev/null/data is not writable. Make it writable, or set PORTAL_DATA=/path.\n"
    )


def test_scripts_are_executable():
    scripts = [path for path in (ROOT / "bin").iterdir() if path.suffix != ".sh"] + [ROOT / ".ci" / "run"]
    assert [script.name for script in scripts if not script.stat().st_mode & 0o100] == []


def test_scripts_parse():
    for script in [*(ROOT / "bin").iterdir(), ROOT / ".ci" / "run"]:
        if "bash" in Path(script).read_text()[:40]:
            assert subprocess.run(["bash", "-n", script]).returncode == 0
