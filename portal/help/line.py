"""What is one line of the status page, and how is a queue told, and a kind of what the portal tries itself?"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Min, Model, QuerySet

from portal.components.moments import relative
from verification.base import Outcome
from verification.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal, SchemaReading

RUN_LATE = timedelta(minutes=30)
# what a state is called, its tone and its icon
STATES: dict[str, tuple[str, str, str]] = {
    "ok": ("Works", "good", "circle-check"),
    "late": ("Late", "warn", "clock"),
    "down": ("Does not work", "bad", "circle-x"),
    "idle": ("Nothing to do yet", "neutral", "circle-dashed"),
    "absent": ("Not set up", "neutral", "minus"),
    "unknown": ("We could not tell", "warn", "circle-question-mark"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing and how it is: a key of STATES, a sentence for everybody, and (name, text) for the program's people."""

    name: str
    state: str
    sentence: str
    details: tuple[tuple[str, str], ...] = ()
    hint: str = ""
    at: datetime | None = None

    @property
    def said(self) -> tuple[str, str, str]:
        return STATES[self.state]


def queue_line(
    name: str, due: QuerySet[Any], column: str, late_after: timedelta, now: datetime, before: str = ""
) -> Line:
    """A queue by its oldest due row."""
    oldest, count = due.aggregate(oldest=Min(column))["oldest"], due.count()
    if oldest is None:
        return Line(name, "ok", f"{before}Nothing waits.")
    late = now - oldest > late_after
    said = f"{before}What waits longest was due {relative(oldest, now)}."
    return Line(name, "late" if late else "ok", said, (("waiting", str(count)),), at=oldest)


def played(name: str, model: type[Model]) -> Callable[[datetime], Line]:
    """The line of one kind of what the portal tries itself: when the last one ended, and what waits."""

    def measure(now: datetime) -> Line:
        rows = model._default_manager.all()
        last = rows.exclude(finished_at=None).order_by("-finished_at").values("finished_at", "outcome").first()
        if last is None and not rows.exists():
            return Line(name, "idle", "None was asked for yet.")
        before = f"The last one ended {relative(last['finished_at'], now)}{_how(last['outcome'])}. " if last else ""
        return queue_line(name, rows.filter(finished_at=None, due_at__lte=now), "due_at", RUN_LATE, now, before)

    return measure


def _how(outcome: str) -> str:
    """Whether it showed anything; which verdict it was is the partner's."""
    if outcome == Outcome.NOT_RUN:
        return " and was not run"
    return ", broken off on our side" if outcome == Outcome.ERROR else ""


PLAYED: dict[str, type[Model]] = {
    "Run task rehearsals": RunTaskRehearsal, "Schemas read from providers": SchemaReading,
    "Lifecycle rehearsals": LifecycleRehearsal, "Nomad plugin rehearsals": NomadRehearsal,
}  # fmt: skip
