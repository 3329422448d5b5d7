"""Services that retract breaches and schedule the next check of a clock after new events."""

from datetime import datetime

from integrations.sla.engine.types import ClockStatus
from integrations.sla.models import Alert, SlaBreach, SlaClock, SlaClockEvent, SupportIssue
from integrations.sla.tasks import build_alert_fields, build_alert_key, list_warning_times

STANDING_STATUSES = (ClockStatus.LATE, ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE, ClockStatus.RUNNING)


def calculate_next_check_at(clock: SlaClock, now: datetime) -> datetime | None:
    """Return when to check a projected clock next: at its next warning, its due date, or never.

    A missed target without a recorded breach is due immediately, even if a late reply has stopped the clock.
    """
    if not clock.is_committed or clock.due_at is None:
        return None
    if clock.state == ClockStatus.DATA_INCOMPLETE and clock.stopped_at and clock.stopped_at <= clock.due_at:
        return None  # probably on time; decided when the data is complete
    if clock.state in (ClockStatus.LATE, ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE):
        has_breach = clock.pk and SlaBreach.objects.filter(clock=clock, due_at=clock.due_at, retracted_at=None).exists()
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
    return sum(_retract_breach(breach, clock, now, reason) for breach in invalid_breaches.select_for_update())


def _retract_breach(breach: SlaBreach, clock: SlaClock, now: datetime, reason: str) -> int:
    clock_at_breach = SlaClock(pk=clock.pk, integration_id=clock.integration_id, due_at=breach.due_at)
    key = build_alert_key(clock_at_breach, "retracted", 100)  # computed first: it counts earlier retractions
    breach.retracted_at, breach.retraction_reason = now, reason[:300]
    breach.save(update_fields=["retracted_at", "retraction_reason"])
    SupportIssue.objects.filter(pk=breach.issue_id, disputed=SupportIssue.DisputeSubject.BREACH).update(
        disputed="", disputed_at=None
    )
    SlaClockEvent.objects.create(clock=clock, kind="retracted", share=100, due_at=breach.due_at, at=now)
    alert_fields = build_alert_fields(clock_at_breach, "retracted", 100, now) | {"clock": clock}
    Alert.objects.get_or_create(key=key, defaults=alert_fields)
    return 1
