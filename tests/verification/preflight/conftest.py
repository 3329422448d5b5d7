"""Programs with checks of a test's own."""

import io

import pytest

from integrations.programs.registry import PROGRAMS
from verification.checks import execution
from verification.checks.types import CHECKS, Check
from verification.preflight.cli import main

NAME = "acme/terraform-provider-rocket"
PROGRAM = "terraform-provider"


@pytest.fixture
def run_program(monkeypatch):
    """A program with these checks: said(first=Result(...)) runs it with the words and gives (exit code, out, err)."""

    def run(*words, out=None, **results):
        for key, result in results.items():

            def answer(subject, sources, result=result):
                if isinstance(result, Exception):
                    raise result
                return result(subject, sources) if callable(result) else result

            monkeypatch.setitem(
                CHECKS, key, Check(key, f"Title of {key}", "", f"Advice of {key}.", version=3, run=answer)
            )
        monkeypatch.setattr("verification.checks.execution.list_check_keys", lambda edition, category: tuple(results))
        hints = frozenset(key for key in results if key.startswith("hint"))
        monkeypatch.setattr("verification.checks.execution.list_advisory_check_keys", lambda edition, category: hints)
        out, err = out or io.StringIO(), io.StringIO()
        code = main([PROGRAM, NAME, *words], out, err)
        return code, out.getvalue(), err.getvalue()

    return run


@pytest.fixture
def subject():
    program = PROGRAMS[PROGRAM]
    return execution.build_subject(program, program.newest, NAME)
