"""Which breaches stand, and when is a clock looked at next? What a new fact does to both."""

from datetime import datetime

from integrations.sla.engine.types import Watching
from integrations.sla.models import Alert, Breach, Clock, ClockEvent, Issue
from integrations.sla.tasks import alert_key, alert_row

STANDS = (Watching.LATE, Watching.OVERDUE, Watching.BLIND, Watching.RUNNING)


def next_moment(clock: Clock, now: datetime) -> datetime | None:
    """The due column of a clock just folded: its next warning, its due moment, or None.

    A promise that was not kept and stands nowhere yet is due at once, also where the late answer has come since.
    """
    if not clock.promised or clock.due_at is None:
        return None
    if clock.state == Watching.BLIND and clock.stopped_at and clock.stopped_at <= clock.due_at:
        return None  # stopped in time, as far as we know: to be said once what we know reaches it
    if clock.state in (Watching.LATE, Watching.OVERDUE, Watching.BLIND):
        stands = clock.pk and Breach.objects.filter(clock=clock, due_at=clock.due_at, retracted_at=None).exists()
        return None if stands else clock.due_at
    if clock.state != Watching.RUNNING:
        return None
    warnings = ((50, clock.warn50_at), (75, clock.warn75_at), (90, clock.warn90_at))
    coming = [at for share, at in warnings if at and share > clock.warned and at < clock.due_at]
    return min([*coming, clock.due_at])


def retract_wrong(clock: Clock, now: datetime, why: str) -> int:
    """Take back the breaches of a clock that, as we now know, never were. Each once; those who were told hear of it.

    A breach stands while its due moment is the clock's and the clock is not met. Returns how many were retracted.
    Call it in the transaction that wrote the facts.
    """
    wrong = Breach.objects.filter(clock=clock, retracted_at=None)
    if clock.state in STANDS and clock.due_at:
        wrong = wrong.exclude(due_at=clock.due_at)
    return sum(_retract(breach, clock, now, why) for breach in wrong.select_for_update())


def _retract(breach: Breach, clock: Clock, now: datetime, why: str) -> int:
    of_then = Clock(pk=clock.pk, integration_id=clock.integration_id, due_at=breach.due_at)
    key = alert_key(of_then, "retracted", 100)  # before it is one of the earlier ones
    breach.retracted_at, breach.retracted_why = now, why[:300]
    breach.save(update_fields=["retracted_at", "retracted_why"])
    Issue.objects.filter(pk=breach.issue_id, disputed=Issue.Disputed.BREACH).update(disputed="", disputed_at=None)
    ClockEvent.objects.create(clock=clock, kind="retracted", share=100, due_at=breach.due_at, at=now)
    row = alert_row(of_then, "retracted", 100, now) | {"clock": clock}
    Alert.objects.get_or_create(key=key, defaults=row)
    return 1
