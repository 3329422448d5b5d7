"""Which clocks have come to a moment? Finds them by their due column, judges them and writes what follows.

Breach, event and alert are rows of one statement in one transaction; their keys are unique, so that a sweep may
run twice, late, or beside itself. It needs neither Celery nor Redis. Nothing is declared beyond what we know: a
clock whose facts do not reach its moment is blind, its repository is read at once, and it is looked at again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from integrations.sla.engine.types import Watching
from integrations.sla.models import Alert, Breach, Clock, ClockEvent, Watch

BATCH = 1000
AGAIN = timedelta(seconds=30)
STATEMENT = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Swept:
    """How many clocks were taken, how many of them are breaches, how many could not be judged."""

    taken: int = 0
    breached: int = 0
    blind: int = 0

    def __add__(self, other: "Swept") -> "Swept":
        return Swept(self.taken + other.taken, self.breached + other.breached, self.blind + other.blind)


def sweep_due(now: datetime) -> int:
    """Take every clock whose moment has come. Returns how many."""
    return sweep(now).taken


def sweep(now: datetime, batch: int = BATCH) -> Swept:
    """Take every clock whose moment has come: one statement counts them, ⌈due / batch⌉ take them.

    What comes due meanwhile is for the next sweep. A batch that finds less than expected leaves the rest to another
    sweep that holds it.
    """
    one = _by_statement if connection.vendor == "postgresql" else _by_rows
    due = _count(now)
    return sum((one(now, batch) for _ in range(-(-due // batch))), Swept())


def _count(now: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sla_clock WHERE next_at <= %s", [now])
        return int(cursor.fetchone()[0])


def _by_statement(now: datetime, limit: int) -> Swept:
    with connection.cursor() as cursor:
        cursor.execute(STATEMENT, {"now": now, "limit": limit, "again": now + AGAIN})
        return Swept(*cursor.fetchone())


def _by_rows(now: datetime, limit: int) -> Swept:
    """The same, clock by clock, for the embedded database, which knows no such statement."""
    with transaction.atomic():
        due = Clock.objects.filter(next_at__lte=now).select_related("watch").order_by("next_at")[:limit]
        kinds = [_take(clock, now) for clock in due]
    return Swept(len(kinds), kinds.count("breached"), kinds.count("blind"))


def _take(clock: Clock, now: datetime) -> str:
    kind, share = judge(clock, now)
    is_late = clock.state == Watching.LATE
    moved = {"next_at": now + AGAIN, "state": Watching.BLIND if share == 100 and not is_late else clock.state}
    if kind == "breached":
        moved = {"next_at": None, "state": clock.state if is_late else Watching.OVERDUE, "breached_at": now}
    elif kind == "warned":
        moved = {"next_at": _after(clock, share, now), "warned": share}
    if not Clock.objects.filter(pk=clock.pk, next_at=clock.next_at).update(**moved):
        return "gone"  # another sweep was quicker
    if kind == "blind":
        Watch.objects.filter(pk=clock.watch_id, poll_at__gt=now).update(poll_at=now)
    else:
        _write(clock, kind, share, now)
    return kind


def judge(clock: Clock, now: datetime) -> tuple[str, int]:
    """What is to be said of a clock whose moment has come: breached, warned or blind, and the share that is used."""
    assert clock.due_at
    assert clock.next_at
    known = clock.watch.data_up_to
    if clock.due_at <= now:
        return ("breached" if known >= clock.due_at else "blind"), 100
    passed = [share for share, at in _warnings(clock) if at and at <= now]
    return ("warned" if known >= clock.next_at else "blind"), max(passed, default=50)


def _warnings(clock: Clock) -> tuple[tuple[int, datetime | None], ...]:
    return (50, clock.warn50_at), (75, clock.warn75_at), (90, clock.warn90_at)


def _after(clock: Clock, share: int, now: datetime) -> datetime | None:
    """The next moment after a warning: the next warning that is still to come, else the due moment."""
    coming = (at for level, at in _warnings(clock) if level > share and at and at > now)
    return next(coming, clock.due_at)


def _write(clock: Clock, kind: str, share: int, now: datetime) -> None:
    assert clock.due_at
    if kind == "breached":
        Breach.objects.get_or_create(
            clock=clock,
            due_at=clock.due_at,
            retracted_at=None,
            defaults={
                "issue_id": clock.issue_id,
                "integration_id": clock.integration_id,
                "verb": clock.verb,
                "severity": clock.severity,
                "found_at": now,
            },
        )
    ClockEvent.objects.create(clock=clock, kind=kind, share=share, due_at=clock.due_at, at=now)
    if kind == "breached" or share > clock.warned:
        Alert.objects.get_or_create(key=alert_key(clock, kind, share), defaults=alert_row(clock, kind, share, now))


def alert_key(clock: Clock, kind: str, share: int) -> str:
    """The unique key of one piece of news: the same news of the same due moment is told once.

    A breach that was taken back and stands again is news again: its key ends in the number of the round, from 2 on.
    """
    assert clock.due_at
    key = f"{clock.pk}:{kind}:{share}:{int(clock.due_at.timestamp())}"
    if kind == "warned":
        return key
    earlier = Breach.objects.filter(clock=clock.pk, due_at=clock.due_at, retracted_at__isnull=False).count()
    return f"{key}:{earlier + 1}" if earlier else key


def counterpart(key: str) -> str:
    """The key of the news that takes this breach back, or of the breach that this news takes back."""
    clock, kind, rest = key.split(":", 2)
    return f"{clock}:{'retracted' if kind == 'breached' else 'breached'}:{rest}"


def alert_row(clock: Clock, kind: str, share: int, now: datetime) -> dict[str, Any]:
    """The columns of an alert beside its key."""
    return {
        "kind": kind,
        "clock": clock,
        "integration_id": clock.integration_id,
        "share": share,
        "due_at": clock.due_at,
        "created_at": now,
        "not_before": now,
    }
