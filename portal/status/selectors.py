"""Lines of the status page for queues, checks, and test runs."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from typing import TypeVar

from django.db.models import Count, Max, Min, Model, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.submissions.models import RequirementFulfillment
from integrations.submissions.workflow.states import FINAL_STAGES, Status
from portal.core.figures import build_key, read_figures
from portal.jobs.definitions import JobDefinition
from portal.jobs.models import Job, PeriodicRun
from portal.ui.components.moments import format_relative
from verification.checks.models import CheckResult
from verification.outcomes import Outcome
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS
from verification.testruns.services import JOBS

Row = TypeVar("Row", bound=Model)
RUN_LATE_AFTER = timedelta(minutes=30)
CHECKS_LATE_AFTER = timedelta(days=1)  # since the first error; an outage is usually shorter
MAX_WAITING_CHECKS = 10  # in the details
# Label, tone, and icon of each state.
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
    """Status of a component: state, public summary, and details for program staff. measure_line() sets the name."""

    state: str
    summary: str
    details: tuple[tuple[str, str], ...] = ()
    hint: str = ""
    at: datetime | None = None
    name: str = ""

    @property
    def label(self) -> tuple[str, str, str]:
        """Return the label, tone, and icon of the state."""
        label, tone, icon = STATE_LABELS[self.state]
        return _(label), tone, icon


@dataclass(frozen=True, slots=True)
class Backlog:
    """Rows that are due: how many, and since when the oldest one is."""

    oldest_due_at: datetime | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class JobSnapshot:
    """State of all jobs, read with three queries: runs by job name, backlogs, and last test runs by kind.

    A test run that hasn't finished is the last one only if none of its kind has.
    """

    runs: dict[str, PeriodicRun]
    backlogs: dict[str, Backlog]
    test_runs: dict[str, TestRun]

    def get_backlog(self, definition: JobDefinition) -> Backlog:
        return self.backlogs.get(definition.kind, Backlog())


def read_job_snapshot(now: datetime) -> JobSnapshot:
    """Read the state of all jobs."""
    due_jobs = Job.objects.due(now).order_by().values_list("kind").annotate(Min("run_after"), Count("pk"))
    last_runs = Q()
    for kind in TEST_RUNS.values():
        runs = TestRun.objects.filter(kind=kind)
        # Two subqueries, because PostgreSQL doesn't use the index to sort with nulls last.
        finished = runs.exclude(finished_at=None).order_by("-finished_at")
        last_runs |= Q(pk=Coalesce(*(Subquery(rows.values("pk")[:1]) for rows in (finished, runs.open()))))
    test_runs = TestRun.objects.filter(last_runs).only("kind", "finished_at", "outcome")
    return JobSnapshot(
        {run.name: run for run in PeriodicRun.objects.all()},
        {kind: Backlog(oldest_due_at, count) for kind, oldest_due_at, count in due_jobs},
        {run.kind: run for run in test_runs},
    )


def measure_backlog(due: QuerySet[Row], column: str) -> Backlog:
    """Return the backlog of due rows, whose due date is in the column."""
    return Backlog(*due.aggregate(oldest=Min(column), count=Count("pk")).values())


def build_queue_line(backlog: Backlog, late_after: timedelta, now: datetime, prefix: str = "") -> StatusLine:
    """Return the status of a queue by its oldest due row, after an optional sentence."""
    prefix = f"{prefix} " if prefix else ""
    oldest_due_at = backlog.oldest_due_at
    if oldest_due_at is None:
        return StatusLine("ok", prefix + _("The queue is empty."))
    # The age decides, not the number: a long queue that moves isn't late.
    is_late = now - oldest_due_at > late_after
    message = prefix + _("The oldest entry was due %(when)s.") % {"when": format_relative(oldest_due_at, now)}
    details = ((_("waiting"), str(backlog.count)),)
    return StatusLine("late" if is_late else "ok", message, details, at=oldest_due_at)


def measure_test_runs(kind: str, jobs: JobSnapshot, now: datetime) -> StatusLine:
    """Return when the last test of a kind finished and what is queued."""
    last_run = jobs.test_runs.get(kind)
    if last_run is None:
        return StatusLine("idle", _("No tests have been requested yet."))
    finished_at = last_run.finished_at
    prefix = _describe_last_run(last_run.outcome, format_relative(finished_at, now)) if finished_at else ""
    return build_queue_line(jobs.get_backlog(JOBS[kind]), RUN_LATE_AFTER, now, prefix)


def _describe_last_run(outcome: str, relative_time: str) -> str:
    """Return when the last test finished. Only the partner sees the verdict."""
    # These two are about the portal, not about the partner's program.
    if outcome == Outcome.NOT_RUN:
        message = _("The last one finished %(when)s with the result Not run.")
    elif outcome == Outcome.ERROR:
        message = _("The last one finished %(when)s with an error on our side.")
    else:
        message = _("The last one finished %(when)s.")
    return message % {"when": relative_time}


def read_source_times(results: QuerySet[CheckResult], now: datetime) -> dict[str, datetime | None]:
    """Return when a source last answered one of these checks, and when the newest failure within a day began."""
    is_failed = Q(outcome=Outcome.ERROR)
    # An older failure says nothing about the current state of the source.
    is_recent = Q(confirmed_at__gt=now - timedelta(days=1)) | Q(confirmed_at=None, at__gt=now - timedelta(days=1))
    figures = {
        "count": Count("pk"),
        "answered": Max(Coalesce("confirmed_at", "at"), filter=~is_failed),
        "failed": Max("at", filter=is_failed & is_recent),
    }
    # Everyone can request this page, and the query reads all results of these checks.
    times = read_figures(
        build_key("times of a source", results),
        lambda: results.aggregate(**figures),
        itemgetter("count"),
        seconds=60,
    )
    return {name: times[name] for name in ("answered", "failed")}


def is_down(failed_at: datetime | None, last_answered_at: datetime | None) -> bool:
    """Return whether the newest failure began after the last answer of the source.

    A check that also failed before that answer is no sign of an outage: the source may refuse one integration only.
    """
    return failed_at is not None and (last_answered_at is None or failed_at > last_answered_at)


def measure_waiting_checks(now: datetime) -> StatusLine:
    """Return whether integrations have waited long for a first result, such as of a source that refuses us.

    Only staff see this line. Partners see the banner of their own integrations.
    """
    waiting = RequirementFulfillment.objects.filter(
        ~Q(waiver_expires_at__gt=now), status=Status.ERROR, submitted_at__lte=now - CHECKS_LATE_AFTER
    ).exclude(integration__stage__in=FINAL_STAGES)
    count = waiting.aggregate(count=Count("integration", distinct=True))["count"]
    if not count:
        return StatusLine("ok", _("No check has waited for a source for more than a day."))
    summary = ngettext(
        "Checks of %(count)s integration have waited for a source for more than a day.",
        "Checks of %(count)s integrations have waited for a source for more than a day.",
        count,
    )
    rows = list(waiting.select_related("integration").order_by("submitted_at", "pk")[:MAX_WAITING_CHECKS])
    details = tuple((row.integration.name, row.summary) for row in rows)
    return StatusLine("late", summary % {"count": count}, details, at=rows[0].submitted_at)


TEST_RUNS: dict[str, str] = {kind.texts.plural: kind.key for kind in KINDS.values()}
