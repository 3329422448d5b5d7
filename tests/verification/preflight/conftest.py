"""Fixtures of preflight: programs with checks that a test defines, and an installed preflight."""

import io
import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from integrations.programs.registry import PROGRAMS
from tests.fakes.github.server import TOKEN, GitHub, Repo
from tests.fakes.registry import Provider, Registry
from tests.verification.preflight.distribution import PROJECT, build_wheel, install_alone
from verification.checks import execution
from verification.checks.types import CHECKS, Check, Subject
from verification.outcomes import Result
from verification.preflight.cli import main

Answer = Result | Exception | Callable[[Subject, Any], Result]
NAME = "acme/terraform-provider-rocket"
PROGRAM = "terraform-provider"
# pipx isn't among the locked packages. This one has the same call and runs what the tests have installed.
PIPX = '#!/bin/sh\n[ "$1 $2" = "run --spec" ] || exit 9\nshift 3\nname=$1; shift\nexec "{bin}/$name" "$@"\n'


def give_answer(answer: Answer, subject: Subject, sources: Any) -> Result:
    """Return or raise the answer of a check, or call its function."""
    if isinstance(answer, Exception):
        raise answer
    return answer(subject, sources) if callable(answer) else answer


@pytest.fixture
def run_program(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs preflight with checks such as `first=Result(...)`: (exit code, stdout, stderr)."""

    def run(*arguments: str, out: io.StringIO | None = None, **answers: Answer) -> tuple[int, str, str]:
        for key, answer in answers.items():
            run_check = partial(give_answer, answer)
            monkeypatch.setitem(
                CHECKS, key, Check(key, f"Title of {key}", "", f"Advice of {key}.", version=3, run=run_check)
            )
        monkeypatch.setattr("verification.checks.execution.list_check_keys", lambda edition, category: tuple(answers))
        hints = frozenset(key for key in answers if key.startswith("hint"))
        monkeypatch.setattr("verification.checks.execution.list_advisory_check_keys", lambda edition, category: hints)
        out = out or io.StringIO()
        err = io.StringIO()
        code = main([PROGRAM, NAME, *arguments], out, err)
        return code, out.getvalue(), err.getvalue()

    return run


@pytest.fixture
def subject() -> Subject:
    program = PROGRAMS[PROGRAM]
    return execution.build_subject(program, program.editions[-1], NAME)


@pytest.fixture
def world(github: GitHub, registry: Registry) -> dict[str, Any]:
    """Seed two providers: one without problems, and one with a forbidden license and without a listing."""
    bad = "acme/terraform-provider-lander"
    github.seed(Repo(NAME, releases=("v1.0.0", "v1.1.0")), Repo(bad, license="GPL-3.0-only", releases=()))
    registry.publish(Provider("acme/rocket", versions=("1.0.0", "1.1.0")))
    return {name: github.request("GET", f"/repos/{name}") for name in (NAME, bad)}


@pytest.fixture(scope="session")
def preflight_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(PROJECT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def preflight_environment(preflight_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a virtual environment with the wheel and the packages that it requires."""
    folder = tmp_path_factory.mktemp("environment")
    install_alone(preflight_wheel, folder)
    return folder


@pytest.fixture
def run_installed(
    preflight_environment: Path, world: dict[str, Any], github: GitHub, registry: Registry, tmp_path: Path
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command in an empty folder, with the recorded repositories and without the portal's sources."""
    folder = tmp_path / "empty"
    folder.mkdir()
    pipx = tmp_path / "pipx"
    pipx.write_text(PIPX.format(bin=preflight_environment / "bin"))
    pipx.chmod(0o755)
    path = os.pathsep.join(map(str, (preflight_environment / "bin", tmp_path, os.environ["PATH"])))
    addresses = {"GITHUB_API_URL": github.url, "REGISTRY_URL": registry.url, "GITHUB_TOKEN": TOKEN}

    def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": path, **addresses, **variables}
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=120
        )

    return run
