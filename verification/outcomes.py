"""Outcomes of checks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Outcome(StrEnum):
    """Outcome of a check. ERROR is an outage, never the partner's fault; a missing result is NOT_RUN, never PASS."""

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


def format_count(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its words, such as "1 file", "2 files", or "2 contacts have"."""
    return f"{count} {singular if count == 1 else plural or f'{singular}s'}"


def get_worst_outcome(outcomes: Iterable[str]) -> Outcome:
    """Return the outcome that decides for all of them, NOT_RUN if there are none."""
    present_outcomes = set(outcomes)
    return next((outcome for outcome in WORST_FIRST if outcome in present_outcomes), Outcome.NOT_RUN)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact with its source. `at`: when the source stated it, if that matters.

    `url` can come from a partner. Only a web address becomes a link.
    """

    label: str
    value: str
    url: str = ""
    at: datetime | None = None

    def as_dict(self) -> dict[str, str]:
        url = self.url if self.url.startswith(("https://", "http://")) else ""
        fields = {"label": self.label, "value": self.value, "url": url}
        return fields if self.at is None else fields | {"at": self.at.isoformat()}


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a check: the outcome, a summary, the evidence, and the inspected state.

    `inspected_revisions` pairs an object with its revision: (("release", "v1.4.2"), ("commit", "9f3c1e…")).
    `advice` replaces the check's own advice in this case. `observations` has plain values (texts, numbers, lists and
    mappings of them) that the next run gets in Subject.known; a key that is absent keeps its value. With ERROR or
    NOT_RUN, they are what was read nevertheless. `missing_item` names what a source doesn't have: if it was there
    before, the runner checks again a day later before it reports a failure (a check may also let SourceNotFoundError
    pass). `retry_at`: with ERROR, when a retry makes sense. `source`: with ERROR, what is not reachable. `is_deferred`:
    with ERROR, the check wasn't started. `freeze_reason`: why the integration is on hold until a reviewer decides, for
    example after a change of the repository's owner. `needs_access`: the repository can't be seen, so a person with
    access to it has to connect GitHub.
    """

    outcome: Outcome
    summary: str
    evidence: tuple[Evidence, ...] = ()
    inspected_revisions: tuple[tuple[str, str], ...] = ()
    advice: str = ""
    observations: Mapping[str, object] = field(default_factory=dict)
    missing_item: str = ""
    retry_at: datetime | None = None
    source: str = ""
    is_deferred: bool = False
    freeze_reason: str = ""
    needs_access: bool = False


def build_conflict_result(
    topic: str, *claims: Evidence, inspected_revisions: tuple[tuple[str, str], ...] = ()
) -> Result:
    """Return the result for two contradicting sources: shown with both and their times, decided by a reviewer.

    Each claim's label is its source, its value is the statement, and `at` is when it was made.
    """
    statements = "; ".join(f"{claim.label} says {claim.value}" for claim in claims)
    summary = f"Two sources contradict each other about {topic}: {statements}. A reviewer decides."
    return Result(Outcome.NOT_RUN, summary, claims, inspected_revisions)


def get_exit_code(outcome: str) -> int:
    """Return 0 if nothing fails, 1 if something fails, 2 if the result is unknown."""
    # Scripts must not take an outage for a success or for a fault of the software.
    return {Outcome.FAIL: 1, Outcome.ERROR: 2, Outcome.NOT_RUN: 2}.get(Outcome(outcome), 0)
