"""Stub checks, and programs without checks."""

from dataclasses import replace
from typing import Any

from integrations.programs.schema import Edition, Program
from verification.checks.types import CHECKS, Check, Subject
from verification.outcomes import Outcome, Result


def remove_checks(program: Program) -> Program:
    """Return the program without checks."""
    return replace(program, editions=tuple(map(_remove_from_edition, program.editions)))


def _remove_from_edition(edition: Edition) -> Edition:
    steps = (replace(s, requirements=tuple(replace(r, checks=()) for r in s.requirements)) for s in edition.steps)
    return replace(edition, steps=tuple(steps), tiers=tuple(replace(t, requirements=()) for t in edition.tiers))


class Stubs:
    """Stubs of checks, which return a result or raise an exception."""

    def __init__(self) -> None:
        self.answers: dict[str, Result | Exception] = {}
        self.default_answer: Result | Exception = Result(Outcome.PASS, "In order.")
        self.subjects: list[Subject] = []

    def set_result(self, key: str, outcome: Outcome, summary: str = "Summary.", **fields: Any) -> None:
        self.answers[key] = Result(outcome, summary, **fields)

    def build_check(self, key: str) -> Check:
        return replace(CHECKS[key], run=lambda subject, _sources: self._run(key, subject))

    def _run(self, key: str, subject: Subject) -> Result:
        self.subjects.append(subject)
        answer = self.answers.get(key, self.default_answer)
        if isinstance(answer, Exception):
            raise answer
        return answer
