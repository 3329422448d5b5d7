"""Services that project events to issues and clocks and retract disproved breaches.

Everything written here can be rebuilt from events.
"""

import logging
from collections.abc import Iterable
from datetime import datetime

from integrations.sla.engine import inputs
from integrations.sla.engine.types import ClockState, IssueState
from integrations.sla.models import SlaClock, SupportIssue
from integrations.sla.services import breaches

log = logging.getLogger(__name__)
ISSUE_FIELDS = ("is_open", "severity", "last_commenter_role", "last_commented_at", "projected_at")
CLOCK_FIELDS = [field.name for field in SlaClock._meta.concrete_fields if not (field.primary_key or field.is_relation)]
DEFAULT_RETRACTION_REASON = "New events moved the due date or show that the reply was on time."


def load_issues(pks: Iterable[int]) -> list[SupportIssue]:
    """Load issues with everything that their projection needs, in a fixed order."""
    return list(inputs.select_issues().filter(pk__in=pks).order_by("pk"))


def rebuild_projections(pks: Iterable[int], now: datetime, reason: str = DEFAULT_RETRACTION_REASON) -> int:
    """Project issues and store the results. Return the number of issues.

    Call this in the transaction that stored the events. `reason` is stored with retracted breaches. Issues that can't
    be projected stay unchanged and are logged.
    """
    issues = load_issues(pks)
    # Due clocks are processed concurrently, so lock them before their columns are computed and saved.
    clocks_by_key = {(clock.issue_id, clock.target_type): clock for clock in _lock_clocks(issues)}
    changed_clocks = []
    for issue in issues:
        state = _compute_state(issue, now)
        if state is None:
            continue
        apply_issue_state(issue, state, now)
        for clock_state in state.clocks:
            clock = clocks_by_key.get((issue.pk, str(clock_state.target_type))) or _build_clock(issue, clock_state)
            changed_clocks.append(clock)
            _apply_clock_state(clock, clock_state, issue, now, reason)
    SupportIssue.objects.bulk_update(issues, ISSUE_FIELDS, batch_size=200)
    _save_clocks(changed_clocks)
    return len(issues)


def _compute_state(issue: SupportIssue, now: datetime) -> IssueState | None:
    try:
        return inputs.compute_issue_state(issue, get_projection_time(issue, now))
    except Exception:  # one broken issue must not stop the repository's other clocks
        log.exception("cannot project issue %s", issue)
        return None


def get_projection_time(issue: SupportIssue, now: datetime) -> datetime:
    """Return now or the end of monitoring, but never a time before the last event, since server clocks differ."""
    ended_at = issue.monitored_repository.ended_at
    cutoff_at = min(now, ended_at) if ended_at else now
    return max([cutoff_at, *(row.at for row in issue.events.all())])


def apply_issue_state(issue: SupportIssue, state: IssueState, now: datetime) -> None:
    """Set the issue's columns without saving."""
    for name, value in build_issue_columns(state).items():
        setattr(issue, name, value)
    issue.projected_at = now


def build_issue_columns(state: IssueState) -> dict[str, object]:
    """Return the columns for an issue's state."""
    return {
        "is_open": state.is_open,
        "severity": str(state.severity),
        "last_commenter_role": state.last_commenter_role,
        "last_commented_at": state.last_commented_at,
    }


def build_clock_columns(state: ClockState) -> dict[str, object]:
    """Return the columns for a clock's state."""
    warning_times = zip(("warn50_at", "warn75_at", "warn90_at"), (*state.warn_at, None, None, None), strict=False)
    return {
        "is_committed": state.is_committed,
        "severity": str(state.severity),
        "state": str(state.state),
        "started_at": state.started_at,
        "due_at": state.due_at,
        "ideal_due_at": state.ideal_due_at,
        "stopped_at": state.stopped_at,
        **dict(warning_times),
        "counted_seconds": int(state.counted.total_seconds()),
        "paused_seconds": int(state.paused_time.total_seconds()),
    }


def _lock_clocks(issues: list[SupportIssue]) -> list[SlaClock]:
    """Lock the issues' clocks in a fixed order."""
    return list(SlaClock.objects.filter(issue__in=issues).order_by("pk").select_for_update(no_key=True))


def _build_clock(issue: SupportIssue, state: ClockState) -> SlaClock:
    return SlaClock(
        issue=issue,
        monitored_repository_id=issue.monitored_repository_id,
        integration_id=issue.integration_id,
        target_type=str(state.target_type),
        severity="",
    )


def _apply_clock_state(clock: SlaClock, state: ClockState, issue: SupportIssue, now: datetime, reason: str) -> None:
    """Set the clock's columns without saving, and retract breaches that the events disprove."""
    if clock.severity != state.severity:
        # A warning about the previous target says nothing about this one.
        clock.warned = 0
    for name, value in build_clock_columns(state).items():
        setattr(clock, name, value)
    if clock.pk and clock.breached_at and breaches.retract_invalid_breaches(clock, now, reason):
        clock.breached_at = None
    # After the end of monitoring, no further data will arrive to judge a clock by.
    clock.next_at = None if issue.monitored_repository.ended_at else breaches.calculate_next_check_at(clock)


def _save_clocks(clocks: list[SlaClock]) -> None:
    new_clocks = [clock for clock in clocks if clock.pk is None]
    existing_clocks = [clock for clock in clocks if clock.pk is not None]
    SlaClock.objects.bulk_create(new_clocks, batch_size=200)
    SlaClock.objects.bulk_update(existing_clocks, CLOCK_FIELDS, batch_size=200)
