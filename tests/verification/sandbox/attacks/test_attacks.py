"""Tests of attacks on the sandbox, as root and as an ordinary user."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.codebase.project_files import ROOT
from tests.verification.sandbox.attacks.programs import ATTACKS
from tests.verification.sandbox.attacks.runner import SWAPS
from verification.sandbox import bubblewrap
from verification.sandbox.environment import find_obstacle

ORDINARY_USER = 1000
RUNNER = "tests.verification.sandbox.attacks.runner"
USERS = ("root", "ordinary user") if os.geteuid() == 0 else ("ordinary user",)


@cache
def run_attacks(user: str) -> dict[str, Any]:
    """Return the results of the attacks, which run once for each user in a separate process."""
    command = [sys.executable, "-m", RUNNER]
    if user == "ordinary user" and os.geteuid() == 0:
        command = [*_as_ordinary_user(), *command]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, umask=0o077)
    assert process.returncode == 0, process.stderr[-2000:]
    results: dict[str, Any] = json.loads(process.stdout)
    return results


def _as_ordinary_user() -> list[str]:
    """Return the prefix of a command that runs as an ordinary user with read access to the folders it needs."""
    visible_folders = {
        str(path) for folder in (sys.prefix, sys.base_prefix, ROOT) for path in (folder, Path(folder).resolve())
    }
    parents = sorted({parent for path in visible_folders for parent in Path(path).parents})
    private_folders = [parent for parent in parents if not parent.stat().st_mode & 0o001]
    hide_arguments = [word for path in private_folders for word in ("--perms", "0755", "--tmpfs", str(path))]
    reachable_folders = [path for path in parents if set(path.parents) & set(private_folders)]
    folders = [word for path in reachable_folders for word in ("--perms", "0755", "--dir", str(path))]
    binds = [word for path in sorted(visible_folders) for word in ("--ro-bind", path, path)]
    return [
        str(bubblewrap.find_bubblewrap()),
        "--die-with-parent",
        "--dev-bind",
        "/",
        "/",
        *hide_arguments,
        *folders,
        *binds,
        "--chdir",
        str(ROOT),
        "setpriv",
        "--reuid",
        str(ORDINARY_USER),
        "--regid",
        str(ORDINARY_USER),
        "--clear-groups",
        "--no-new-privs",
        "--inh-caps=-all",
        "--bounding-set=-all",
    ]


@pytest.fixture(params=USERS)
def results(request: Any) -> dict[str, Any]:
    """Return the results of one user's attacks."""
    if request.param != "root" or not find_obstacle():
        results = run_attacks(request.param)
    else:
        results = {"obstacle": find_obstacle()}
    if results["obstacle"]:
        pytest.skip(f"As {request.param}: {results['obstacle']}")
    return results


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_fails_and_is_reported(name: str, results: dict[str, Any]) -> None:
    attack = ATTACKS[name]
    result = results["attacks"][name]
    assert result == {
        "reason": str(attack.reason),
        "exit_code": attack.exit_code,
        "lines": list(attack.lines),
        "error": result["error"],
        "is_host_unchanged": True,
    }, result["error"]


@pytest.mark.parametrize("number", range(len(SWAPS)))
def test_swapped_path_is_not_followed(number: int, results: dict[str, Any]) -> None:
    assert results["swaps"][number] == [SWAPS[number][3], True]


def test_racing_link_is_not_followed(results: dict[str, Any]) -> None:
    assert results["is_host_unchanged_by_race"] is True


def test_attacks_run_as_the_expected_user(results: dict[str, Any]) -> None:
    assert results["user"] in ({0, ORDINARY_USER} if os.geteuid() == 0 else {os.geteuid()})
