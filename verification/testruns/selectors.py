"""Selectors of test runs for the pages of reviewers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model
from django.urls import reverse
from django.utils.translation import gettext as _

from integrations.programs.schema import Requirement, RequirementKind
from integrations.submissions.models import Integration
from verification.checks.rules import nomad_plugin, run_task
from verification.outcomes import Outcome, get_worst_outcome
from verification.testruns.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal, SchemaReading

MAX_OPEN_RULES, MAX_TITLES = 6, 2
DEFERRED_FIELDS = (
    "seen",
    "config",
    "base",
    "changed",
    "refused",
    "partial",
    "scenarios",
    "encrypted_environment",
    "encrypted_hmac_key",
)  # not needed for a line
# besides meetings, the requirements that it bears on: those that ask how the thing itself behaves
RELATED_REQUIREMENTS = frozenset({"TP-CODE", "TP-ACC", "TP-TAG", "TP-FRAME", "NO-3", "RT-3"})
RELATED_CHECKS = frozenset({run_task.CHECK_KEY, nomad_plugin.CHECK_KEY})


@dataclass(frozen=True, slots=True)
class TestRunSummary:
    """`what` was tried, how it came out, when, and where all of it stands. `open`: (title, sentence) of what does not
    hold plainly, the worst first; `more`: how many of those are left out. `at` is None while it is under way.
    """

    what: str
    outcome: str
    summary: str
    href: str
    at: datetime | None = None
    open: tuple[tuple[str, str], ...] = ()
    more: int = 0


def build_results_context(row: Any) -> dict[str, Any]:
    """The verdicts of a rehearsal as its page shows them: once it has ended, what does not hold comes first."""
    is_finished, results = row.finished_at is not None, list(row.verdicts)
    passed_count = sum(each["outcome"] == Outcome.PASS for each in results)
    return {
        "verdicts": sorted(results, key=lambda each: OUTCOME_ORDER.index(each["outcome"])) if is_finished else results,
        "held": _format_passed_count(passed_count, len(results)) if is_finished and passed_count < len(results) else "",
    }


def _format_passed_count(passed_count: int, total: int) -> str:
    return _("%(held)s of %(all)s rules passed.") % {"held": passed_count, "all": total}


def is_relevant(requirement: Requirement) -> bool:
    """Whether what was tried helps to decide on this requirement."""
    return (
        requirement.kind == RequirementKind.MEETING
        or requirement.id in RELATED_REQUIREMENTS
        or not RELATED_CHECKS.isdisjoint(requirement.checks)
    )


def get_latest_test_runs(integration: Integration) -> list[TestRunSummary]:
    """The newest of each kind that has ended; one under way where none has."""
    rows = (_get_latest(model, integration) for model in SUMMARIZERS)
    return [SUMMARIZERS[type(row)](row) for row in rows if row is not None]


def list_without_large_fields(model: type[Model]) -> Any:
    """The rows of a kind of rehearsal, the newest first, without what is not needed for a line about each."""
    large_fields = [field.name for field in model._meta.concrete_fields if field.name in DEFERRED_FIELDS]
    return model._default_manager.defer(*large_fields).order_by("-pk")


def _get_latest(model: type[Model], integration: Integration) -> Any:
    rows = list_without_large_fields(model).filter(integration=integration)
    return rows.exclude(finished_at=None).first() or rows.first()


def _summarize_run_task_test(row: RunTaskRehearsal) -> TestRunSummary:
    return _summarize_test_run(row, _("Run task test"), "testruns:run_task")


def _summarize_provider_lifecycle_test(row: LifecycleRehearsal) -> TestRunSummary:
    return _summarize_test_run(
        row, _("Acceptance test of version %(version)s") % {"version": row.version}, "testruns:provider_lifecycle"
    )


def _summarize_nomad_plugin_test(row: NomadRehearsal) -> TestRunSummary:
    return _summarize_test_run(row, _("Nomad plugin test of version %(version)s") % {"version": row.version},
                      "testruns:nomad_plugin")  # fmt: skip


def _summarize_test_run(row: Any, title: str, url_name: str) -> TestRunSummary:
    href = f"{reverse(url_name, args=[row.integration.uuid])}?of={row.pk}"
    results = [(each["outcome"], each["title"], each["sentence"]) for each in row.verdicts]
    return _build_summary(row, title, row.outcome, results, href)


def _summarize_inspection(row: SchemaReading) -> TestRunSummary:
    title = _("Provider schema of version %(version)s") % {"version": row.version or _("the newest")}
    results = [(each["outcome"], each["title"], each["summary"]) for each in row.results]
    outcome = str(get_worst_outcome(each for each, _title, _sentence in results)) if results else row.outcome
    return _build_summary(row, title, outcome, results, reverse("schemas:list", args=[row.integration.uuid]))


def _build_summary(
    row: Any, title: str, outcome: str, results: list[tuple[str, str, str]], href: str
) -> TestRunSummary:
    if row.finished_at is None:
        return TestRunSummary(title, "open", _("In progress."), href)
    open_results = sorted(
        (result for result in results if result[0] != Outcome.PASS), key=lambda result: OUTCOME_ORDER.index(result[0])
    )
    summary = _format_passed_count(len(results) - len(open_results), len(results)) if results else _("No result.")
    if open_results:
        summary = _("%(summary)s Open rules: %(titles)s") % {"summary": summary, "titles": _format_titles(open_results)}
    open_rules = tuple((title, sentence) for _outcome, title, sentence in open_results[:MAX_OPEN_RULES])
    return TestRunSummary(
        title,
        outcome or Outcome.NOT_RUN,
        summary,
        href,
        row.finished_at,
        open_rules,
        max(0, len(open_results) - MAX_OPEN_RULES),
    )


def _format_titles(results: list[tuple[str, str, str]]) -> str:
    """The first few, as one line: "A second plan changes nothing; Nothing is left; …"."""
    titles = [title for _outcome, title, _sentence in results[:MAX_TITLES]]
    return "; ".join([*titles, "…"] if len(results) > MAX_TITLES else titles)


OUTCOME_ORDER = [str(each) for each in (Outcome.FAIL, Outcome.ERROR, Outcome.WARN, *Outcome)]
SUMMARIZERS: dict[type[Model], Any] = {
    RunTaskRehearsal: _summarize_run_task_test,
    LifecycleRehearsal: _summarize_provider_lifecycle_test,
    NomadRehearsal: _summarize_nomad_plugin_test,
    SchemaReading: _summarize_inspection,
}
