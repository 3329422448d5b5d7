"""Remarks about a file, each with a name, an outcome and a sentence. Standard library only."""

from collections.abc import Iterable
from dataclasses import dataclass

from verification.outcomes import WORST_FIRST, Outcome


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding about a file. `key` names it for tests and tables; `text` is a sentence to show."""

    key: str
    outcome: Outcome
    text: str


def fail(key: str, text: str) -> Remark:
    return Remark(key, Outcome.FAIL, text)


def warn(key: str, text: str) -> Remark:
    return Remark(key, Outcome.WARN, text)


def select_remarks(*candidates: tuple[object, Remark]) -> list[Remark]:
    """Return the remarks whose condition is true."""
    return [remark for condition, remark in candidates if condition]


def outcome_of(remarks: Iterable[Remark]) -> Outcome:
    """Return the worst outcome of the remarks, PASS where there are none."""
    present = {remark.outcome for remark in remarks}
    return next((outcome for outcome in WORST_FIRST if outcome in present), Outcome.PASS)
