"""What is one line of the status page, and how is a queue told, and a kind of what the portal tries itself?"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Min, Model, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from portal.ui.components.moments import relative
from verification.outcomes import Outcome
from verification.testruns.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal, SchemaReading

RUN_LATE = timedelta(minutes=30)
# what a state is called, its tone and its icon
STATES: dict[str, tuple[str, str, str]] = {
    "ok": (gettext_noop("Works"), "good", "circle-check"),
    "late": (gettext_noop("Late"), "warn", "clock"),
    "down": (gettext_noop("Does not work"), "bad", "circle-x"),
    "idle": (gettext_noop("Nothing to do yet"), "neutral", "circle-dashed"),
    "absent": (gettext_noop("Not set up"), "neutral", "minus"),
    "unknown": (gettext_noop("We could not tell"), "warn", "circle-question-mark"),
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
        word, tone, icon = STATES[self.state]
        return _(word), tone, icon


def queue_line(
    name: str, due: QuerySet[Any], column: str, late_after: timedelta, now: datetime, before: str = ""
) -> Line:
    """A queue by its oldest due row. `before`: a sentence that comes first."""
    oldest, count = due.aggregate(oldest=Min(column))["oldest"], due.count()
    before = f"{before} " if before else ""
    if oldest is None:
        return Line(name, "ok", before + _("Nothing waits."))
    late = now - oldest > late_after
    said = before + _("What waits longest was due %(when)s.") % {"when": relative(oldest, now)}
    return Line(name, "late" if late else "ok", said, ((_("waiting"), str(count)),), at=oldest)


def played(name: str, model: type[Model]) -> Callable[[datetime], Line]:
    """The line of one kind of what the portal tries itself: when the last one ended, and what waits."""

    def measure(now: datetime) -> Line:
        rows = model._default_manager.all()
        last = rows.exclude(finished_at=None).order_by("-finished_at").values("finished_at", "outcome").first()
        if last is None and not rows.exists():
            return Line(name, "idle", _("None was asked for yet."))
        before = _ended(last["outcome"], relative(last["finished_at"], now)) if last else ""
        return queue_line(name, rows.filter(finished_at=None, due_at__lte=now), "due_at", RUN_LATE, now, before)

    return measure


def _ended(outcome: str, when: str) -> str:
    """When the last one ended, and whether it showed anything; which verdict it was is the partner's."""
    if outcome == Outcome.NOT_RUN:
        said = _("The last one ended %(when)s and was not run.")
    elif outcome == Outcome.ERROR:
        said = _("The last one ended %(when)s, broken off on our side.")
    else:
        said = _("The last one ended %(when)s.")
    return said % {"when": when}


PLAYED: dict[str, type[Model]] = {
    gettext_noop("Run task rehearsals"): RunTaskRehearsal,
    gettext_noop("Schemas read from providers"): SchemaReading,
    gettext_noop("Lifecycle rehearsals"): LifecycleRehearsal,
    gettext_noop("Nomad plugin rehearsals"): NomadRehearsal,
}
