"""Tests of the scripts in bin/, and of the messages of bin/up on machines that lack a requirement."""

import shutil
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from tests.codebase.project_files import ROOT

TOOLS = ("bash", "env", "dirname", "mkdir", "cmp", "cp")
OLD_PYTHON = '#!/bin/sh\n[ "$1" = --version ] && { echo "Python 3.9.2"; exit 0; }\nexit 1\n'
USES_ENSUREPIP = "import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))"
PYTHON_WITHOUT_VENV = (
    '#!/bin/sh\n[ "$1" = --version ] && { echo "Python 3.11.2"; exit 0; }\ncase "$2" in *venv*) exit 1;; esac\nexit 0\n'
)


@pytest.fixture
def run_up_on_machine(tmp_path):
    """Return a function that runs bin/up of a clone with only the programs in TOOLS, and returns its error message."""
    clone = tmp_path / "clone"
    path = tmp_path / "path"
    shutil.copytree(ROOT / "bin", clone / "bin")
    path.mkdir()
    for tool in TOOLS:
        (path / tool).symlink_to(str(shutil.which(tool)))

    def run_up(python: str = "", **settings: str) -> str:
        if python:
            (path / "python3").write_text(python)
            (path / "python3").chmod(0o755)
        environment = {"PATH": str(path), "HOME": str(tmp_path), **settings}
        process = subprocess.run(["bin/up"], cwd=clone, env=environment, capture_output=True, text=True)
        assert (process.returncode, process.stdout) == (1, "")
        assert not (clone / ".venv").exists()
        return process.stderr

    return run_up


def test_up_requires_python(run_up_on_machine):
    assert run_up_on_machine() == (
        "The portal requires Python 3.11 or newer, but python3 was not found. Run"
        " “apt-get install python3 python3-venv”, or set PYTHON=/path/to/python3.\n"
    )


def test_up_refuses_an_older_python(run_up_on_machine):
    assert run_up_on_machine(OLD_PYTHON) == (
        "The portal requires Python 3.11 or newer, but found Python 3.9.2. Install a newer version, or set"
        " PYTHON=/path/to/python3.\n"
    )


def test_up_requires_the_venv_module(run_up_on_machine):
    assert run_up_on_machine(PYTHON_WITHOUT_VENV) == (
        "The venv module of Python 3.11.2 is missing. Run “apt-get install python3-venv”, then try again.\n"
    )


def find_python(**variables: str) -> str:
    """Return the Python with which the scripts create their environment."""
    command = ["bash", "-c", f"source {ROOT}/bin/lib.sh; find_python"]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout


def test_python_of_the_system_is_preferred_to_another_one_on_the_path(tmp_path):
    another = tmp_path / "python3"
    another.symlink_to(sys.executable)
    system = Path("/usr/bin/python3")
    is_usable = system.exists() and subprocess.run([system, "-c", USES_ENSUREPIP]).returncode == 0
    path = f"{tmp_path}:/usr/bin:/bin"
    assert find_python(PATH=path) == (str(system) if is_usable else "python3")
    assert find_python(PATH=path, PYTHON=str(another)) == str(another)


def test_up_requires_a_writable_data_folder(run_up_on_machine):
    assert run_up_on_machine(PORTAL_DATA="/dev/null/data") == (
        "The data folder /dev/null/data is not writable. Make it writable, or set PORTAL_DATA=/path.\n"
    )


def test_scripts_are_executable():
    scripts = [path for path in (ROOT / "bin").iterdir() if path.suffix != ".sh"] + [ROOT / ".ci" / "run"]
    assert [script.name for script in scripts if not script.stat().st_mode & 0o100] == []


def test_scripts_have_valid_syntax():
    for script in [*(ROOT / "bin").iterdir(), ROOT / ".ci" / "run"]:
        if "bash" in Path(script).read_text()[:40]:
            assert subprocess.run(["bash", "-n", script]).returncode == 0


@pytest.mark.parametrize("script", ["bench", "chaos", "soak"])
def test_help_prints_the_comment_and_runs_nothing(script: str) -> None:
    lines = (ROOT / "bin" / script).read_text().splitlines()[1:]
    comment = [line.removeprefix("# ") for line in takewhile(lambda line: line.startswith("# "), lines)]
    process = subprocess.run([ROOT / "bin" / script, "--help"], capture_output=True, text=True)
    assert (process.returncode, process.stdout.splitlines()[: len(comment)]) == (0, comment)


def test_help_of_bench_lists_every_benchmark() -> None:
    benchmarks = {
        path.stem
        for path in (ROOT / "tests" / "bench").glob("*.py")
        if "raise SystemExit(" in path.read_text() or "sys.exit(main())" in path.read_text()
    }
    process = subprocess.run([ROOT / "bin" / "bench", "--help"], capture_output=True, text=True)
    names = [line.split()[0] for line in process.stdout.splitlines()[5:]]
    assert (set(names), names) == (benchmarks, sorted(benchmarks))


def test_bench_refuses_an_unknown_name() -> None:
    process = subprocess.run([ROOT / "bin" / "bench", "page"], capture_output=True, text=True)
    message = "Unknown benchmark: page. For the names, run “bin/bench --help”.\n"
    assert (process.returncode, process.stdout, process.stderr) == (2, "", message)
