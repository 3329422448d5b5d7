"""Services that retract breaches and schedule the next check of a clock after new events."""

from datetime import datetime

from django.db.models import Q

from integrations.sla.engine.types import BreachOutcome, ClockStatus
from integrations.sla.models import SlaBreach, SlaClock, SupportIssue
from integrations.sla.tasks import create_alert, list_warning_times

STANDING_STATUSES = (ClockStatus.LATE, ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE, ClockStatus.RUNNING)


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
    if clock.state != ClockStatus.RUNNING:
        return None
    upcoming_times = [
        warning_at
        for share, warning_at in list_warning_times(clock)
        if warning_at and share > clock.warned and warning_at < clock.due_at
    ]
    return min([*upcoming_times, clock.due_at])


def retract_invalid_breaches(clock: SlaClock, now: datetime, reason: str) -> int:
    """Retract breaches that new events disprove, and notify earlier recipients.

    A breach is valid while its due date is the clock's and the clock is not met. Call this in the transaction that
    stored the events.

    Returns:
        Number of retracted breaches.
    """
    invalid_breaches = SlaBreach.objects.filter(clock=clock, retracted_at=None)
    if clock.state in STANDING_STATUSES and clock.due_at:
        invalid_breaches = invalid_breaches.exclude(due_at=clock.due_at)
    locked_breaches = list(invalid_breaches.select_for_update())
    for breach in locked_breaches:
        _retract_breach(breach, clock, now, reason)
    return len(locked_breaches)


def _retract_breach(breach: SlaBreach, clock: SlaClock, now: datetime, reason: str) -> None:
    clock_at_breach = SlaClock(pk=clock.pk, integration_id=clock.integration_id, due_at=breach.due_at)
    create_alert(clock_at_breach, "retracted", 100, now)  # first, because its key counts earlier retractions
    breach.retracted_at, breach.retraction_reason = now, reason[:300]
    breach.save(update_fields=["retracted_at", "retraction_reason"])
    SupportIssue.objects.filter(pk=breach.issue_id, disputed=SupportIssue.DisputeSubject.BREACH).update(
        disputed="", disputed_at=None
    )


def settle_breaches(issue: SupportIssue, outcome: BreachOutcome, reason: str, now: datetime) -> int:
    """Retract the breaches of an issue by a decision, and return their number.

    The email of the decision notifies the partner: the portal didn't report these breaches by mistake.
    """
    breaches = list(SlaBreach.objects.filter(issue=issue, retracted_at=None).select_for_update())
    for breach in breaches:
        breach.retracted_at, breach.retraction_reason, breach.outcome = now, reason[:300], outcome
    SlaBreach.objects.bulk_update(breaches, ("retracted_at", "retraction_reason", "outcome"))
    SlaClock.objects.filter(issue=issue).update(breached_at=None)
    return len(breaches)
