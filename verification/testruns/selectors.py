"""Selectors of test runs for the pages of reviewers."""

from django.db.models import BigIntegerField, F, OuterRef, QuerySet, Subquery
from django.urls import reverse
from django.utils.translation import gettext as _

from integrations.programs.requirements import Requirement, RequirementKind
from integrations.submissions.models import Integration
from portal.accounts.requests import AnyUser
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.core.value_types import JsonObject, TemplateContext
from verification.checks.rules.latest_test_run import NOMAD_PLUGIN_CHECK_KEY, RUN_TASK_CHECK_KEY
from verification.checks.services.runs import can_request_check_run
from verification.outcomes import Outcome
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS

MAX_OPEN_RULES = 6
MAX_TITLES = 2
OUTCOME_ORDER = [str(each) for each in (Outcome.FAIL, Outcome.ERROR, Outcome.WARN, *Outcome)]
# Requirements about the behavior of the software. Meetings are always relevant.
RELATED_REQUIREMENTS = frozenset({"TP-CODE", "TP-ACC", "TP-TAG", "TP-FRAME", "NO-3", "RT-3"})
RELATED_CHECKS = frozenset({RUN_TASK_CHECK_KEY, NOMAD_PLUGIN_CHECK_KEY})


def sort_results(run: TestRun) -> tuple[list[JsonObject], str]:
    """Return the results, worst first once the run has finished, and how many passed unless all did."""
    results = list(run.results)
    passed_count = sum(each["outcome"] == Outcome.PASS for each in results)
    if run.is_running:
        return results, ""
    results.sort(key=lambda each: OUTCOME_ORDER.index(each["outcome"]))
    return results, _format_passed_count(passed_count, len(results)) if passed_count < len(results) else ""


def _format_passed_count(passed_count: int, total: int) -> str:
    return _("%(passed)s of %(total)s rules passed.") % {"passed": passed_count, "total": total}


def is_relevant(requirement: Requirement) -> bool:
    """Return whether test runs help to decide on this requirement."""
    return (
        requirement.kind == RequirementKind.MEETING
        or requirement.id in RELATED_REQUIREMENTS
        or not RELATED_CHECKS.isdisjoint(requirement.checks)
    )


def get_latest_test_runs(integration: Integration) -> list[JsonObject]:
    """Return a summary of the newest finished test run of each kind, or of one in progress.

    `outcome` is "open" while a test run is in progress. `open_results` are those of rules that did not pass, worst
    first, at most MAX_OPEN_RULES. `more_count` is the number of others that did not pass.
    """
    runs_by_kind = {run.kind: run for run in LATEST_RUNS.fetch(integration=integration.pk)}
    for run in runs_by_kind.values():
        # The caller has loaded it, and a join would read it again for each kind.
        run.integration = integration
    return [_summarize(runs_by_kind[kind]) for kind in KINDS if kind in runs_by_kind]


def _select_latest_runs() -> QuerySet[TestRun]:
    runs = TestRun.objects.filter(integration=Parameter("integration", BigIntegerField()))
    # PostgreSQL sorts nulls first in descending order, so a run in progress would hide the last result.
    newest = runs.filter(kind=OuterRef("kind")).order_by(F("finished_at").desc(nulls_last=True), "-pk").values("pk")
    return runs.filter(pk=Subquery(newest[:1])).without_large_fields()


LATEST_RUNS = CompiledQuery(_select_latest_runs)


def _summarize(run: TestRun) -> JsonObject:
    row: JsonObject = {"title": _build_title(run), "href": _build_url(run), "finished_at": run.finished_at}
    if run.is_running:
        return row | {"outcome": "open", "summary": _("In progress.")}
    decisive_results = KINDS[run.kind].list_decisive_results(run)
    results = [each for each in sort_results(run)[0] if each in decisive_results]
    open_results = [each for each in results if each["outcome"] != Outcome.PASS]
    summary = _format_passed_count(len(results) - len(open_results), len(results)) if results else _("No result.")
    if open_results:
        titles = "; ".join(
            [each["title"] for each in open_results[:MAX_TITLES]] + ["…"] * (len(open_results) > MAX_TITLES)
        )
        summary = _("%(summary)s Open rules: %(titles)s") % {"summary": summary, "titles": titles}
    return row | {
        "outcome": KINDS[run.kind].summarize_outcome(run) or Outcome.NOT_RUN,
        "summary": summary,
        "open_results": open_results[:MAX_OPEN_RULES],
        "more_count": max(0, len(open_results) - MAX_OPEN_RULES),
    }


def _build_title(run: TestRun) -> str:
    title = _(KINDS[run.kind].texts.title)
    return _("%(title)s of version %(version)s") % {"title": title, "version": run.version} if run.version else title


def _build_url(run: TestRun) -> str:
    if run.kind == TestRun.Kind.PROVIDER_SCHEMA:
        return reverse("schemas:list", args=[run.integration.uuid])
    return f"{reverse(f'testruns:{run.kind}', args=[run.integration.uuid])}?run={run.pk}"


def build_inspection_context(integration: Integration, user: AnyUser) -> TemplateContext:
    """Return the newest inspection of the schema, and the last one that has finished."""
    inspections = TestRun.objects.filter(integration=integration, kind=TestRun.Kind.PROVIDER_SCHEMA)
    inspections = inspections.select_related("requested_by")
    newest = inspections.first()
    return {
        "integration": integration,
        "newest": newest,
        "running": newest is not None and newest.is_running,
        "last": inspections.exclude(finished_at=None).first(),
        "can_request_test": integration.is_open and can_request_check_run(integration, user),
    }
