"""Stub checks for tests of the engine. The real ones have their own tests."""

from dataclasses import replace
from typing import Any

from integrations.programs.requirements import Requirement
from integrations.programs.schema import Edition, Program
from verification.checks.types import CHECKS, Check, Subject
from verification.outcomes import Outcome, Result


def without_checks(program: Program) -> Program:
    """Return the program without checks."""
    return replace(program, editions=tuple(_remove_checks_of_edition(edition) for edition in program.editions))


def _remove_checks_of_edition(edition: Edition) -> Edition:
    steps = tuple(replace(s, requirements=remove_checks(s.requirements)) for s in edition.steps)
    return replace(edition, steps=steps, tiers=tuple(replace(t, requirements=()) for t in edition.tiers))


def remove_checks(requirements: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    return tuple(replace(requirement, checks=()) for requirement in requirements)


GOOD = Result(Outcome.PASS, "In order.")


class Stubs:
    """Stubs for every registered check, which raise an exception or return a result."""

    def __init__(self) -> None:
        self.said: dict[str, Result | Exception] = {}
        self.every: Result | Exception = GOOD
        self.subjects: list[Subject] = []

    def say(self, key: str, outcome: Outcome, summary: str = "As the test says.", **more: Any) -> None:
        self.said[key] = Result(outcome, summary, **more)

    def check(self, key: str) -> Check:
        return replace(CHECKS[key], run=lambda subject, _sources: self.answer(key, subject))

    def answer(self, key: str, subject: Subject) -> Result:
        self.subjects.append(subject)
        answer = self.said.get(key, self.every)
        if isinstance(answer, Exception):
            raise answer
        return answer
