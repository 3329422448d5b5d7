"""Texts about checks for the help pages and docs/reference/checks.md, taken from the code alone."""

import inspect

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Program
from verification.checks import execution
from verification.checks.types import Check


def get_check_question(check: Check) -> str:
    """Return the question that the check answers: the first paragraph of its function's docstring, on one line."""
    return " ".join((inspect.getdoc(check.run) or "").split("\n\n")[0].split())


def get_check_details(check: Check) -> tuple[str, ...]:
    """Return the further paragraphs of that docstring."""
    paragraphs = (inspect.getdoc(check.run) or "").split("\n\n")[1:]
    return tuple(" ".join(paragraph.split()) for paragraph in paragraphs)


def list_programs_using_check(key: str) -> tuple[Program, ...]:
    """Return the programs whose newest edition requires the check."""
    return tuple(program for program in PROGRAMS.values() if key in execution.list_check_keys(program.newest))
