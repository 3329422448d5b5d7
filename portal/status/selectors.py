"""What is one line of the status page, and how is a queue told, and a kind of what the portal tries itself?"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Min, Model, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from portal.jobs.definitions import JobDefinition
from portal.jobs.selectors import list_due_jobs
from portal.ui.components.moments import format_relative
from verification.outcomes import Outcome
from verification.testruns.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal, SchemaReading
from verification.testruns.services.nomad_plugin_tests import run_nomad_plugin_test
from verification.testruns.services.provider_lifecycle_tests import run_provider_lifecycle_test
from verification.testruns.services.provider_schema_inspections import inspect_schema
from verification.testruns.services.run_task_tests import run_run_task_test

RUN_LATE_AFTER = timedelta(minutes=30)
# what a state is called, its tone and its icon
STATE_LABELS: dict[str, tuple[str, str, str]] = {
    "ok": (gettext_noop("Works"), "good", "circle-check"),
    "late": (gettext_noop("Late"), "warn", "clock"),
    "down": (gettext_noop("Does not work"), "bad", "circle-x"),
    "idle": (gettext_noop("Nothing to do yet"), "neutral", "circle-dashed"),
    "absent": (gettext_noop("Not set up"), "neutral", "minus"),
    "unknown": (gettext_noop("We could not tell"), "warn", "circle-question-mark"),
}


@dataclass(frozen=True, slots=True)
class StatusLine:
    """One thing and how it is: a key of STATES, a sentence for everybody, and (name, text) for the program's people."""

    name: str
    state: str
    sentence: str
    details: tuple[tuple[str, str], ...] = ()
    hint: str = ""
    at: datetime | None = None

    @property
    def said(self) -> tuple[str, str, str]:
        label, tone, icon = STATE_LABELS[self.state]
        return _(label), tone, icon


def build_queue_line(
    name: str, due: QuerySet[Any], column: str, late_after: timedelta, now: datetime, prefix: str = ""
) -> StatusLine:
    """A queue by its oldest due row. `prefix`: a sentence that comes first."""
    oldest_due_at, count = due.aggregate(oldest=Min(column))["oldest"], due.count()
    prefix = f"{prefix} " if prefix else ""
    if oldest_due_at is None:
        return StatusLine(name, "ok", prefix + _("Nothing waits."))
    is_late = now - oldest_due_at > late_after
    message = prefix + _("What waits longest was due %(when)s.") % {"when": format_relative(oldest_due_at, now)}
    return StatusLine(name, "late" if is_late else "ok", message, ((_("waiting"), str(count)),), at=oldest_due_at)


def build_test_run_probe(name: str, model: type[Model], definition: JobDefinition) -> Callable[[datetime], StatusLine]:
    """The line of one kind of what the portal tries itself: when the last one ended, and what waits."""

    def measure(now: datetime) -> StatusLine:
        rows = model._default_manager.all()
        last_run = rows.exclude(finished_at=None).order_by("-finished_at").values("finished_at", "outcome").first()
        if last_run is None and not rows.exists():
            return StatusLine(name, "idle", _("None was asked for yet."))
        prefix = (
            _describe_last_run(last_run["outcome"], format_relative(last_run["finished_at"], now)) if last_run else ""
        )
        return build_queue_line(name, list_due_jobs(definition, now), "run_after", RUN_LATE_AFTER, now, prefix)

    return measure


def _describe_last_run(outcome: str, relative_time: str) -> str:
    """When the last one ended, and whether it showed anything; which verdict it was is the partner's."""
    if outcome == Outcome.NOT_RUN:
        message = _("The last one ended %(when)s and was not run.")
    elif outcome == Outcome.ERROR:
        message = _("The last one ended %(when)s, broken off on our side.")
    else:
        message = _("The last one ended %(when)s.")
    return message % {"when": relative_time}


TEST_RUNS: dict[str, tuple[type[Model], JobDefinition]] = {
    gettext_noop("Run task rehearsals"): (RunTaskRehearsal, run_run_task_test),
    gettext_noop("Schemas read from providers"): (SchemaReading, inspect_schema),
    gettext_noop("Lifecycle rehearsals"): (LifecycleRehearsal, run_provider_lifecycle_test),
    gettext_noop("Nomad plugin rehearsals"): (NomadRehearsal, run_nomad_plugin_test),
}
