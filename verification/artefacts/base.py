"""What is said of a file: remarks, each with a name, an outcome and a sentence. Standard library only."""

from collections.abc import Iterable
from dataclasses import dataclass

from verification.base import WORST_FIRST, Outcome


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that is wrong or odd. `key` is its name, for tests and tables; `text` a sentence fit to show."""

    key: str
    outcome: Outcome
    text: str


def fail(key: str, text: str) -> Remark:
    return Remark(key, Outcome.FAIL, text)


def warn(key: str, text: str) -> Remark:
    return Remark(key, Outcome.WARN, text)


def outcome_of(remarks: Iterable[Remark]) -> Outcome:
    """The worst of the remarks; PASS where nothing was remarked."""
    present = {remark.outcome for remark in remarks}
    return next((outcome for outcome in WORST_FIRST if outcome in present), Outcome.PASS)
