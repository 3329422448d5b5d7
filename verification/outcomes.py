"""Outcomes of checks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """What came of a check. ERROR is ours, never the partner's; silence is NOT_RUN, never PASS."""

    PASS = "pass"  # noqa: S105
    WARN = "warn"
    FAIL = "fail"
    ERROR = "error"
    NOT_RUN = "not_run"
    WAIVED = "waived"
    STALE = "stale"


WORST_FIRST = (
    Outcome.FAIL,
    Outcome.ERROR,
    Outcome.STALE,
    Outcome.NOT_RUN,
    Outcome.WARN,
    Outcome.WAIVED,
    Outcome.PASS,
)


def get_worst_outcome(outcomes: Iterable[str]) -> Outcome:
    """The outcome that decides for all of them; NOT_RUN where there are none."""
    present_outcomes = set(outcomes)
    return next((outcome for outcome in WORST_FIRST if outcome in present_outcomes), Outcome.NOT_RUN)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing seen: what it is, what it said, and where to see it. `at`: when the source said so, if that matters."""

    label: str
    value: str
    url: str = ""
    at: datetime | None = None

    def as_dict(self) -> dict[str, str]:
        fields = {"label": self.label, "value": self.value, "url": self.url}
        return fields if self.at is None else fields | {"at": self.at.isoformat()}


@dataclass(frozen=True, slots=True)
class Result:
    """What a check says: the outcome, one sentence, what was seen, and which state of the world was looked at.

    `looked_at` pairs a thing with its revision: (("release", "v1.4.2"), ("commit", "9f3c1e…")).
    `advice` says what to do in this very case, in place of the check's own. `observations` holds plain values (texts,
    numbers, lists and mappings of them) that the next run finds in Subject.known; they are kept when the outcome is
    PASS, WARN or FAIL, and a key that is not named keeps its value. `missing_item` names what a source answered that it
    does not have: where it was seen before, the runner asks again a day later before it says so (a check may as
    well let NotFound pass). `retry_at`: with ERROR, from when on it makes sense to look again. `freeze_reason` says why
    nothing may go on before a person has decided, as with a repository in other hands.
    """

    outcome: Outcome
    summary: str
    evidence: tuple[Evidence, ...] = ()
    looked_at: tuple[tuple[str, str], ...] = ()
    advice: str = ""
    observations: Mapping[str, Any] = field(default_factory=dict)
    missing_item: str = ""
    retry_at: datetime | None = None
    freeze_reason: str = ""


def build_conflict_result(topic: str, *claims: Evidence, looked_at: tuple[tuple[str, str], ...] = ()) -> Result:
    """Two sources contradict each other: shown with both and their times, decided by a person, never by us.

    Each claim's label names its source, its value what that source says, its `at` when it said so.
    """
    statements = "; ".join(f"{claim.label} says {claim.value}" for claim in claims)
    summary = f"Two sources contradict each other about {topic}: {statements}. A person decides."
    return Result(Outcome.NOT_RUN, summary, claims, looked_at)
