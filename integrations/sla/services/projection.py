"""What do the facts make of an issue and its clocks, and which breaches does that take back?

Everything written here may be thrown away and made again: it is the fold of the facts as of a moment.
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from integrations.sla.engine import inputs
from integrations.sla.engine.types import ClockState, IssueState
from integrations.sla.models import Clock, Issue
from integrations.sla.services import breaches

log = logging.getLogger(__name__)
OWN = ("is_open", "severity", "spoke_last", "spoke_last_at", "folded_at")
FOLDED = (
    "promised", "severity", "state", "started_at", "due_at", "stopped_at", "warn50_at", "warn75_at", "warn90_at",
    "counted_seconds", "paused_seconds",
)  # fmt: skip
LATER = "New facts moved the due moment, or show that the answer came in time."


def issues_of(pks: Iterable[int]) -> list[Issue]:
    """The issues with all that their fold needs, in a fixed order."""
    found = Issue.objects.filter(pk__in=pks).order_by("pk")
    return list(found.select_related("watch", "calendar", "policy", "integration").prefetch_related(inputs.WITH_EVENTS))


def refold(pks: Iterable[int], now: datetime, why: str = LATER) -> int:
    """Fold these issues and write what follows; `why` is said of breaches that this takes back. Returns how many.

    Call it in the transaction that wrote the facts. What the fold cannot read is left as it was, and said.
    """
    issues = issues_of(pks)
    kept = {(clock.issue_id, clock.verb): clock for clock in _locked(issues)}
    fresh = []
    for issue in issues:
        state = _state_of(issue, now)
        if state is None:
            continue
        take(issue, state, now)
        for clock_state in state.clocks:
            clock = kept.get((issue.pk, str(clock_state.verb))) or _new(issue, clock_state)
            fresh.append(clock)
            _take(clock, clock_state, issue, now, why)
    Issue.objects.bulk_update(issues, OWN, batch_size=200)
    _save(fresh)
    return len(issues)


def _state_of(issue: Issue, now: datetime) -> IssueState | None:
    try:
        return inputs.state_of(issue, moment(issue, now))
    except Exception:  # one issue must not keep a repository's other clocks from running
        log.exception("Issue %s could not be folded.", issue)
        return None


def moment(issue: Issue, now: datetime) -> datetime:
    """Until when it is folded: now, or the end of its watch; never before its last fact, told by another clock."""
    end = issue.watch.ended_at
    until = min(now, end) if end else now
    return max([until, *(row.at for row in issue.events.all())])


def take(issue: Issue, state: IssueState, now: datetime) -> None:
    """The issue's own columns, not yet saved."""
    issue.is_open, issue.severity = state.is_open, state.severity
    issue.spoke_last, issue.spoke_last_at = state.spoke_last, state.spoke_last_at
    issue.folded_at = now


def columns(state: ClockState) -> dict[str, object]:
    """A clock's state as its columns."""
    warnings = (*state.warn_at, None, None, None)
    paused = sum((s.length for s in state.segments if not s.counted and s.key), start=timedelta())
    return {
        "promised": state.promised,
        "severity": str(state.severity),
        "state": str(state.state),
        "started_at": state.started_at,
        "due_at": state.due_at,
        "stopped_at": state.stopped_at,
        "warn50_at": warnings[0],
        "warn75_at": warnings[1],
        "warn90_at": warnings[2],
        "counted_seconds": int(state.counted.total_seconds()),
        "paused_seconds": int(paused.total_seconds()),
    }


def _locked(issues: list[Issue]) -> list[Clock]:
    """Their clocks, held against the sweep in a fixed order."""
    return list(Clock.objects.filter(issue__in=issues).order_by("pk").select_for_update(no_key=True))


def _new(issue: Issue, state: ClockState) -> Clock:
    return Clock(
        issue=issue, watch_id=issue.watch_id, integration_id=issue.integration_id, verb=str(state.verb), severity=""
    )


def _take(clock: Clock, state: ClockState, issue: Issue, now: datetime, why: str) -> None:
    """The clock's columns, not yet saved. A recorded breach that no longer follows from the facts is taken back."""
    if clock.severity != state.severity:
        clock.warned = 0  # another promise, with warnings of its own
    for name, value in columns(state).items():
        setattr(clock, name, value)
    if clock.pk and clock.breached_at and breaches.retract_wrong(clock, now, why):
        clock.breached_at = None
    clock.next_at = None if issue.watch.ended_at else breaches.next_moment(clock, now)


def _save(clocks: list[Clock]) -> None:
    new = [clock for clock in clocks if clock.pk is None]
    old = [clock for clock in clocks if clock.pk is not None]
    Clock.objects.bulk_create(new, batch_size=200)
    Clock.objects.bulk_update(old, [*FOLDED, "warned", "breached_at", "next_at"], batch_size=200)
