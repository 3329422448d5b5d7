"""Services that project events to issues and clocks, and retract breaches.

Everything that a projection writes can be rebuilt from events.
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q

from integrations.sla.engine.types import BreachOutcome, ClockState, ClockStatus, IssueState
from integrations.sla.models import SlaBreach, SlaClock, SupportIssue
from integrations.sla.selectors import issue_states
from integrations.sla.tasks import create_alert, get_next_check_at

logger = logging.getLogger(__name__)
ISSUE_FIELDS = ("is_open", "severity", "last_commenter_role", "last_commented_at", "projected_at")
CLOCK_FIELDS = [field.name for field in SlaClock._meta.concrete_fields if not (field.primary_key or field.is_relation)]
UNMET_STATUSES = (ClockStatus.LATE, ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE, ClockStatus.RUNNING)
# Server clocks differ, and a long poll or batch of webhooks reads events that are later than its own time. An issue
# whose opening is left out has no clocks until its next event.
MAX_EVENT_LEAD = timedelta(days=1)
DEFAULT_RETRACTION_REASON = "New events moved the due date or show that the reply was on time."


def load_issues(pks: Iterable[int]) -> list[SupportIssue]:
    """Load issues with everything that their projection needs, in a fixed order."""
    return list(issue_states.select_issues().filter(pk__in=pks).order_by("pk"))


def rebuild_projections(pks: Iterable[int], now: datetime, reason: str = DEFAULT_RETRACTION_REASON) -> None:
    """Project issues and store the results.

    Call this in the transaction that stored the events. `reason` is stored with retracted breaches. Issues that can't
    be projected stay unchanged and are logged.
    """
    issues = load_issues(pks)
    # Due clocks are processed concurrently, so lock them before their columns are computed, always in this order.
    locked_clocks = SlaClock.objects.filter(issue__in=issues).order_by("pk").select_for_update(no_key=True)
    clocks_by_key = {(clock.issue_id, clock.target_type): clock for clock in locked_clocks}
    changed_clocks = []
    for issue in issues:
        try:
            state = issue_states.compute_issue_state(issue, get_projection_time(issue, now))
        except Exception:  # one broken issue must not stop the repository's other clocks
            logger.exception("cannot project issue %s", issue)
            continue
        for name, value in build_issue_columns(state).items():
            setattr(issue, name, value)
        issue.projected_at = now
        for clock_state in state.clocks:
            clock = clocks_by_key.get((issue.pk, str(clock_state.target_type))) or _build_clock(issue, clock_state)
            changed_clocks.append(clock)
            _apply_clock_state(clock, clock_state, issue, now, reason)
    SupportIssue.objects.bulk_update(issues, ISSUE_FIELDS, batch_size=200)
    existing_clocks = [clock for clock in changed_clocks if clock.pk is not None]
    SlaClock.objects.bulk_create([clock for clock in changed_clocks if clock.pk is None], batch_size=200)
    SlaClock.objects.bulk_update(existing_clocks, CLOCK_FIELDS, batch_size=200)


def get_projection_time(issue: SupportIssue, now: datetime) -> datetime:
    """Return now or the end of monitoring, but never a time before the last event, since server clocks differ.

    Events in the distant future, which only a forged webhook reports, are left out.
    """
    ended_at = issue.monitoring_ended_at
    cutoff_at = min(now, ended_at) if ended_at else now
    latest_at = now + MAX_EVENT_LEAD
    return max([cutoff_at, *(row.at for row in issue.events.all() if row.at <= latest_at)])


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
    if clock.pk and clock.breached_at and retract_invalid_breaches(clock, now, reason):
        clock.breached_at = None
    # After the end of monitoring, no further data arrives that could change a clock.
    clock.next_at = None if issue.monitoring_ended_at else calculate_next_check_at(clock)


def calculate_next_check_at(clock: SlaClock) -> datetime | None:
    """Return when to check a projected clock next: at its next warning, its due date, or never.

    A missed target without a recorded breach is due immediately, even if a late reply has stopped the clock. A breach
    that a dispute retracted counts as recorded.
    """
    if not clock.is_committed or clock.due_at is None:
        return None
    if clock.state == ClockStatus.DATA_INCOMPLETE and clock.stopped_at and clock.stopped_at <= clock.due_at:
        return None  # probably on time; decided when the data is complete
    if clock.state in (ClockStatus.LATE, ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE):
        is_recorded = Q(retracted_at=None) | ~Q(outcome="")
        has_breach = clock.pk and SlaBreach.objects.filter(is_recorded, clock=clock, due_at=clock.due_at).exists()
        return None if has_breach else clock.due_at
    return get_next_check_at(clock, clock.warned) if clock.state == ClockStatus.RUNNING else None


def retract_invalid_breaches(clock: SlaClock, now: datetime, reason: str) -> int:
    """Retract breaches that new events disprove, and notify earlier recipients.

    A breach is valid while its due date is the clock's and the clock is not met. Call this in the transaction that
    stored the events.

    Returns:
        Number of retracted breaches.
    """
    invalid_breaches = SlaBreach.objects.filter(clock=clock, retracted_at=None)
    if clock.state in UNMET_STATUSES and clock.due_at:
        invalid_breaches = invalid_breaches.exclude(due_at=clock.due_at)
    locked_breaches = list(invalid_breaches.select_for_update())
    for breach in locked_breaches:
        clock_at_breach = SlaClock(pk=clock.pk, integration_id=clock.integration_id, due_at=breach.due_at)
        create_alert(clock_at_breach, "retracted", 100, now)  # first, because its key counts earlier retractions
        breach.retracted_at = now
        breach.retraction_reason = reason[:300]
        breach.save(update_fields=["retracted_at", "retraction_reason"])
        disputed_breach = SupportIssue.objects.filter(pk=breach.issue_id, disputed=SupportIssue.DisputeSubject.BREACH)
        disputed_breach.update(disputed="", disputed_at=None)
    return len(locked_breaches)


def settle_breaches(issue: SupportIssue, outcome: BreachOutcome, reason: str, now: datetime) -> int:
    """Retract the breaches of an issue by a decision, and return their number.

    The email of the decision notifies the partner: the portal didn't report these breaches by mistake.
    """
    breaches = list(SlaBreach.objects.filter(issue=issue, retracted_at=None).select_for_update())
    for breach in breaches:
        breach.retracted_at = now
        breach.retraction_reason = reason[:300]
        breach.outcome = outcome
    SlaBreach.objects.bulk_update(breaches, ("retracted_at", "retraction_reason", "outcome"))
    SlaClock.objects.filter(issue=issue).update(breached_at=None)
    return len(breaches)
