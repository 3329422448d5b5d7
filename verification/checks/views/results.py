"""Page of an integration's check results, its fragment, and the button that runs the checks again."""

from collections import Counter
from datetime import datetime
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load_visible_integration, require_button
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.value_types import TemplateContext
from portal.ui.refusals import report_refusal
from verification.checks.models import CheckRun
from verification.checks.presenters import list_check_results
from verification.checks.services import runs
from verification.outcomes import WORST_FIRST, Outcome

STOP_POLLING_STATUS = 286  # htmx's own status: swap this response in and stop polling
TEMPLATE = "checks/check_results.html"


def show_check_results(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the page; for htmx, its head and the rows that finished since the last request."""
    context = build_page_context(load_visible_integration(request, uuid), request.user, timezone.now())
    if not request.htmx:  # type: ignore[attr-defined]
        return render(request, TEMPLATE, context)
    shown_count = request.GET.get("shown", "")
    context["changed"] = list_changed_rows(
        context, int(shown_count) if shown_count.isdecimal() and len(shown_count) < 5 else 0
    )
    status = 200 if context["running"] else STOP_POLLING_STATUS
    return render(request, f"{TEMPLATE}#head", context, status=status)


@require_button("checks:results")
def run_checks(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Request a check run and show the page again."""
    integration, now = load_visible_integration(request, uuid), timezone.now()
    try:
        runs.request_check_run_as_user(integration, request.user, now)
    except ActionRefused as refusal:
        report_refusal(request, refusal)
        return redirect("checks:results", uuid=uuid)
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("checks:results", uuid=uuid)
    return render(request, f"{TEMPLATE}#results", build_page_context(integration, request.user, now))


def build_page_context(integration: Integration, user: User, now: datetime) -> TemplateContext:
    """Return the page's context: worst results first, during a run in the order of execution. `done` counts that run's
    finished checks.
    """
    check_run = CheckRun.objects.open().filter(integration=integration).first()
    running = check_run is not None and check_run.is_under_way(now)
    results = list_check_results(integration, check_run, now)
    outcome_counts = Counter(row.outcome for row in results)
    return {
        "integration": integration,
        "results": results if running else sorted(results, key=lambda row: WORST_FIRST.index(Outcome(row.outcome))),
        "tally": [(str(outcome), outcome_counts[outcome]) for outcome in WORST_FIRST if outcome_counts[outcome]],
        "running": running,
        "done": len(check_run.finished_checks) if check_run is not None and running else 0,
        "finished": check_run.finished_checks if check_run is not None and running else None,
        "next_run": check_run.next_attempt_at if check_run is not None and check_run.nightly and not running else None,
        "can_request_run": integration.is_open and runs.can_request_check_run(integration, user),
        "can_decide": integration.is_open and permissions.can_decide(integration, user),
    }


def list_changed_rows(context: TemplateContext, shown_count: int) -> list[object]:
    """Return the rows that the page doesn't show yet: all rows once no run is active."""
    if context["finished"] is None:
        return list(context["results"])
    new_keys = context["finished"][shown_count:]
    return [row for row in context["results"] if row.key in new_keys]
