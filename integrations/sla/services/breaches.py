"""Which breaches stand, and when is a clock looked at next? What a new fact does to both."""

from datetime import datetime

from integrations.sla.engine.types import ClockStatus
from integrations.sla.models import Alert, SlaBreach, SlaClock, SlaClockEvent, SupportIssue
from integrations.sla.tasks import build_alert_fields, build_alert_key

STANDING_STATUSES = (ClockStatus.LATE, ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE, ClockStatus.RUNNING)


def calculate_next_check_at(clock: SlaClock, now: datetime) -> datetime | None:
    """The due column of a clock just folded: its next warning, its due moment, or None.

    A promise that was not kept and stands nowhere yet is due at once, also where the late answer has come since.
    """
    if not clock.is_committed or clock.due_at is None:
        return None
    if clock.state == ClockStatus.DATA_INCOMPLETE and clock.stopped_at and clock.stopped_at <= clock.due_at:
        return None  # stopped in time, as far as we know: to be said once what we know reaches it
    if clock.state in (ClockStatus.LATE, ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE):
        has_breach = clock.pk and SlaBreach.objects.filter(clock=clock, due_at=clock.due_at, retracted_at=None).exists()
        return None if has_breach else clock.due_at
    if clock.state != ClockStatus.RUNNING:
        return None
    warnings = ((50, clock.warn50_at), (75, clock.warn75_at), (90, clock.warn90_at))
    upcoming_times = [
        warning_at
        for share, warning_at in warnings
        if warning_at and share > clock.warned and warning_at < clock.due_at
    ]
    return min([*upcoming_times, clock.due_at])


def retract_invalid_breaches(clock: SlaClock, now: datetime, reason: str) -> int:
    """Take back the breaches of a clock that, as we now know, never were. Each once; those who were told hear of it.

    A breach stands while its due moment is the clock's and the clock is not met. Returns how many were retracted.
    Call it in the transaction that wrote the facts.
    """
    invalid_breaches = SlaBreach.objects.filter(clock=clock, retracted_at=None)
    if clock.state in STANDING_STATUSES and clock.due_at:
        invalid_breaches = invalid_breaches.exclude(due_at=clock.due_at)
    return sum(_retract_breach(breach, clock, now, reason) for breach in invalid_breaches.select_for_update())


def _retract_breach(breach: SlaBreach, clock: SlaClock, now: datetime, reason: str) -> int:
    clock_at_breach = SlaClock(pk=clock.pk, integration_id=clock.integration_id, due_at=breach.due_at)
    key = build_alert_key(clock_at_breach, "retracted", 100)  # before it is one of the earlier ones
    breach.retracted_at, breach.retracted_why = now, reason[:300]
    breach.save(update_fields=["retracted_at", "retracted_why"])
    SupportIssue.objects.filter(pk=breach.issue_id, disputed=SupportIssue.DisputeSubject.BREACH).update(
        disputed="", disputed_at=None
    )
    SlaClockEvent.objects.create(clock=clock, kind="retracted", share=100, due_at=breach.due_at, at=now)
    alert_fields = build_alert_fields(clock_at_breach, "retracted", 100, now) | {"clock": clock}
    Alert.objects.get_or_create(key=key, defaults=alert_fields)
    return 1
