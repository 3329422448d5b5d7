"""Lines of the status page for queues and test runs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Min, Model, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from portal.jobs.selectors import list_due_jobs
from portal.ui.components.moments import format_relative
from verification.outcomes import Outcome
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS
from verification.testruns.services import JOBS

RUN_LATE_AFTER = timedelta(minutes=30)
# label, tone, and icon of each state
STATE_LABELS: dict[str, tuple[str, str, str]] = {
    "ok": (gettext_noop("Operational"), "good", "circle-check"),
    "late": (gettext_noop("Delayed"), "warn", "clock"),
    "down": (gettext_noop("Down"), "bad", "circle-x"),
    "idle": (gettext_noop("Idle"), "neutral", "circle-dashed"),
    "absent": (gettext_noop("Not configured"), "neutral", "minus"),
    "unknown": (gettext_noop("Unknown"), "warn", "circle-question-mark"),
}


@dataclass(frozen=True, slots=True)
class StatusLine:
    """Status of a component: state, public sentence, and details for program staff."""

    name: str
    state: str
    sentence: str
    details: tuple[tuple[str, str], ...] = ()
    hint: str = ""
    at: datetime | None = None

    @property
    def label(self) -> tuple[str, str, str]:
        """Return the label, tone, and icon of the state."""
        label, tone, icon = STATE_LABELS[self.state]
        return _(label), tone, icon


def build_queue_line(
    name: str, due: QuerySet[Model], column: str, late_after: timedelta, now: datetime, prefix: str = ""
) -> StatusLine:
    """Return the status of a queue by its oldest due row, after an optional sentence."""
    oldest_due_at, count = due.aggregate(oldest=Min(column))["oldest"], due.count()
    prefix = f"{prefix} " if prefix else ""
    if oldest_due_at is None:
        return StatusLine(name, "ok", prefix + _("The queue is empty."))
    is_late = now - oldest_due_at > late_after
    message = prefix + _("The oldest entry was due %(when)s.") % {"when": format_relative(oldest_due_at, now)}
    return StatusLine(name, "late" if is_late else "ok", message, ((_("waiting"), str(count)),), at=oldest_due_at)


def build_test_run_probe(name: str, kind: str) -> Callable[[datetime], StatusLine]:
    """Return the probe of one kind of test: when the last one finished and what is queued."""

    def measure(now: datetime) -> StatusLine:
        rows = TestRun.objects.filter(kind=kind)
        last_run = rows.exclude(finished_at=None).order_by("-finished_at").only("finished_at", "outcome").first()
        if last_run is None and not rows.exists():
            return StatusLine(name, "idle", _("No tests have been requested yet."))
        prefix = (
            _describe_last_run(last_run.outcome, format_relative(last_run.finished_at, now))
            if last_run and last_run.finished_at
            else ""
        )
        return build_queue_line(name, list_due_jobs(JOBS[kind], now), "run_after", RUN_LATE_AFTER, now, prefix)

    return measure


def _describe_last_run(outcome: str, relative_time: str) -> str:
    """Return when the last test finished. Only the partner sees the verdict."""
    if outcome == Outcome.NOT_RUN:
        message = _("The last one finished %(when)s with the result Not run.")
    elif outcome == Outcome.ERROR:
        message = _("The last one finished %(when)s with an error on our side.")
    else:
        message = _("The last one finished %(when)s.")
    return message % {"when": relative_time}


TEST_RUNS: dict[str, str] = {kind.texts.plural: kind.key for kind in KINDS.values()}
