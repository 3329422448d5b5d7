"""Processing of due clocks: warnings, breaches, and alerts.

A breach and its alert are written by one statement in one transaction. Their keys are unique, so runs can overlap,
repeat, or come late. Neither Celery nor Redis is needed. If our data ends before a clock's due time, the clock is
marked as incomplete, its repository is polled immediately unless a failed poll delays the next one, and the clock is
checked again.
"""

from datetime import datetime, timedelta
from pathlib import Path

from django.db import connection, transaction

from integrations.sla.engine.types import ClockStatus
from integrations.sla.models import Alert, MonitoredRepository, SlaBreach, SlaClock

BATCH_SIZE = 1000
RETRY_DELAY = timedelta(seconds=30)
ADVANCE_STATEMENT = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")


def advance_due_clocks(now: datetime, batch: int = BATCH_SIZE) -> int:
    """Process all due clocks with one counting statement and ⌈due / batch⌉ batches. Return the number of clocks.

    Clocks that become due in the meantime are left to the next run, clocks locked by another run to that run.
    """
    advance_batch = _advance_by_statement if connection.vendor == "postgresql" else _advance_by_row
    due_count = SlaClock.objects.filter(next_at__lte=now).count()
    # Clocks that another run has locked stay due, so a loop until none is left might not end.
    return sum(advance_batch(now, batch) for _ in range(-(-due_count // batch)))


def _advance_by_statement(now: datetime, limit: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(ADVANCE_STATEMENT, {"now": now, "limit": limit, "recheck_at": now + RETRY_DELAY})
        return int(cursor.fetchone()[0])


def _advance_by_row(now: datetime, limit: int) -> int:
    """Process the batch clock by clock on SQLite, which doesn't support the statement."""
    with transaction.atomic():
        due_clocks = (
            SlaClock.objects.filter(next_at__lte=now).select_related("monitored_repository").order_by("next_at")[:limit]
        )
        for clock in due_clocks:
            _advance_clock(clock, now)
        return len(due_clocks)


def _advance_clock(clock: SlaClock, now: datetime) -> None:
    kind, share = evaluate_clock(clock, now)
    # A late reply has stopped such a clock: its breach is recorded, but it isn't open anymore.
    is_late = clock.state == ClockStatus.LATE
    changes = {
        "next_at": now + RETRY_DELAY,
        "state": ClockStatus.DATA_INCOMPLETE if share == 100 and not is_late else clock.state,
    }
    if kind == "breached":
        changes = {"next_at": None, "state": clock.state if is_late else ClockStatus.OVERDUE, "breached_at": now}
    elif kind == "warned":
        changes = {"next_at": get_next_check_at(clock, share), "warned": share}
    if not SlaClock.objects.filter(pk=clock.pk, next_at=clock.next_at).update(**changes):
        return  # another run processed the clock
    if kind == "data_incomplete":
        # Polls start in the order of `poll_at`, so a repository that is already due keeps its place. Nor is the delay
        # after a failed poll shortened: a private repository would otherwise be polled every 30 seconds.
        repositories = MonitoredRepository.objects.filter(pk=clock.monitored_repository_id, attempts=0, trouble="")
        repositories.filter(poll_at__gt=now).update(poll_at=now)
    else:
        _record_outcome(clock, kind, share, now)


def evaluate_clock(clock: SlaClock, now: datetime) -> tuple[str, int]:
    """Return the outcome of a due clock (breached, warned, or data_incomplete) and the used share."""
    assert clock.due_at
    # tasks.sql repeats these rules for PostgreSQL. A test compares the rows that both write.
    data_up_to = clock.monitored_repository.data_up_to
    if clock.due_at <= now:
        return ("breached" if data_up_to >= clock.due_at else "data_incomplete"), 100
    assert clock.warn50_at
    passed_warnings = [(share, at) for share, at in list_warning_times(clock) if at and at <= now]
    share, warning_at = max(passed_warnings, default=(50, clock.warn50_at))
    # Data never catches up with `next_at`, which is the time of the next attempt if data was incomplete before.
    return ("warned" if data_up_to >= warning_at else "data_incomplete"), share


def list_warning_times(clock: SlaClock) -> tuple[tuple[int, datetime | None], ...]:
    """Return each share of the target with the time at which it is used."""
    return (50, clock.warn50_at), (75, clock.warn75_at), (90, clock.warn90_at)


def get_next_check_at(clock: SlaClock, warned_share: int) -> datetime:
    """Return the time of the next warning above the share of the last one, or else the due date."""
    assert clock.due_at
    warning_times = [at for share, at in list_warning_times(clock) if at and share > warned_share and at < clock.due_at]
    return min([*warning_times, clock.due_at])


def _record_outcome(clock: SlaClock, kind: str, share: int, now: datetime) -> None:
    assert clock.due_at
    if kind == "breached":
        SlaBreach.objects.get_or_create(
            clock=clock,
            due_at=clock.due_at,
            retracted_at=None,
            defaults={
                "issue_id": clock.issue_id,
                "integration_id": clock.integration_id,
                "target_type": clock.target_type,
                "severity": clock.severity,
                "found_at": now,
            },
        )
    if kind == "breached" or share > clock.warned:
        create_alert(clock, kind, share, now)


def create_alert(clock: SlaClock, kind: str, share: int, now: datetime) -> bool:
    """Create an alert about the due date of a clock, unless it exists. Return whether it is new."""
    fields = {
        "kind": kind,
        "clock_id": clock.pk,
        "integration_id": clock.integration_id,
        "share": share,
        "due_at": clock.due_at,
        "created_at": now,
        "not_before": now,
    }
    _, is_new = Alert.objects.get_or_create(key=_build_alert_key(clock, kind, share), defaults=fields)
    return is_new


def _build_alert_key(clock: SlaClock, kind: str, share: int) -> str:
    """Return the unique key of an alert, so that each alert of a due date is sent once.

    If a retracted breach is recorded again, the key ends with a number, starting at 2.
    """
    assert clock.due_at
    key = f"{clock.pk}:{kind}:{share}:{int(clock.due_at.timestamp())}"
    if kind == "warned":
        return key
    retraction_count = SlaBreach.objects.filter(clock=clock.pk, due_at=clock.due_at, retracted_at__isnull=False).count()
    return f"{key}:{retraction_count + 1}" if retraction_count else key


def get_counterpart_key(key: str) -> str:
    """Return the key of the retraction of a breach alert, or of the breach of a retraction alert."""
    clock_id, kind, rest = key.split(":", 2)
    return f"{clock_id}:{'retracted' if kind == 'breached' else 'breached'}:{rest}"
