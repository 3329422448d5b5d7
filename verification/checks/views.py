"""Pages of an integration's check results, the button that accepts a deviation, and the help pages of checks."""

from collections import Counter
from datetime import datetime
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.access import load_visible_integration, redirect_get_to
from integrations.submissions.models import Integration
from integrations.submissions.presenters import find_outage
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import TemplateContext
from portal.ui.htmx import STOP_POLLING_STATUS
from portal.ui.refusals import report_refusals
from verification.checks.documentation import list_outcomes, list_programs_using_check
from verification.checks.models import CheckRun
from verification.checks.presenters import list_check_results
from verification.checks.services import runs
from verification.checks.services.accepted_deviations import accept_deviation
from verification.checks.types import CHECKS, Check
from verification.outcomes import WORST_FIRST, Outcome

TEMPLATE = "checks/check_results.html"


def show_check_results(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the page; for htmx, its head and the rows that finished since the last request."""
    context = build_page_context(load_visible_integration(request, uuid), request.user, timezone.now())
    if not request.htmx:
        return render(request, TEMPLATE, context)
    shown_count = request.GET.get("shown", "")
    is_count = shown_count.isdecimal() and len(shown_count) < 5
    context["changed"] = list_changed_rows(context, int(shown_count) if is_count else 0)
    status = 200 if context["running"] else STOP_POLLING_STATUS
    return render(request, f"{TEMPLATE}#head", context, status=status)


@redirect_get_to("checks:results")
def run_checks(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Request a check run and show the page again."""
    integration = load_visible_integration(request, uuid)
    now = timezone.now()
    with report_refusals(request):
        runs.request_check_run_as_user(integration, request.user, now)
        if request.htmx:
            return render(request, f"{TEMPLATE}#results", build_page_context(integration, request.user, now))
    return redirect("checks:results", uuid=uuid)


def build_page_context(integration: Integration, user: User, now: datetime) -> TemplateContext:
    """Return the page's context: worst results first, during a run all checks in the order of the path.

    `pending`: the checks without a result, apart from the others; `total`: the number of both; `done`: the number of
    finished checks of the run.
    """
    check_run = CheckRun.objects.open().filter(integration=integration).first()
    running = check_run is not None and check_run.is_under_way(now)
    results = list_check_results(integration, check_run, now)
    with_result = [row for row in results if row.at is not None]
    outcome_counts = Counter(row.outcome for row in results)
    finished_checks = check_run.finished_checks if check_run is not None and running else None
    done = len(finished_checks or ())
    results_url = reverse("checks:results", args=[integration.uuid])
    return {
        "integration": integration,
        "results": results if running else sorted(with_result, key=lambda row: WORST_FIRST.index(Outcome(row.outcome))),
        "pending": [] if running else [row for row in results if row.at is None],
        "total": len(results),
        "tally": [(str(outcome), outcome_counts[outcome]) for outcome in WORST_FIRST if outcome_counts[outcome]],
        "running": running,
        "outage": None if running else find_outage(integration, now),
        "shown_run": check_run if running or (check_run and check_run.is_retried) else find_last_run(integration),
        "done": done,
        "finished": finished_checks,
        "poll_url": f"{results_url}?shown={done}" if running else "",
        "next_run_at": check_run.next_attempt_at if check_run and check_run.nightly and not running else None,
        "can_request_run": integration.is_open and runs.can_request_check_run(integration, user),
        "can_decide": integration.is_open and permissions.can_decide(integration, user),
    }


def find_last_run(integration: Integration) -> CheckRun | None:
    """Return the run that ended last, with the person who requested it."""
    runs_of_integration = CheckRun.objects.filter(integration=integration).exclude(finished_at=None)
    return runs_of_integration.select_related("requested_by").order_by("-finished_at", "-pk").first()


def list_changed_rows(context: TemplateContext, shown_count: int) -> list[object]:
    """Return the rows that the page doesn't show yet: all rows once no run is active."""
    if context["finished"] is None:
        return [*context["results"], *context["pending"]]
    new_keys = context["finished"][shown_count:]
    return [row for row in context["results"] if row.key in new_keys]


@redirect_get_to("checks:results")
def accept_finding(request: AuthenticatedRequest, uuid: UUID, key: str) -> HttpResponse:
    """Accept the deviation named in the form and show the checks again."""
    integration = load_visible_integration(request, uuid)
    check = CHECKS.get(key)
    if check is None or not check.accepts:
        raise Http404(_("There is nothing to accept. Reload the page."))
    with report_refusals(request, _("You accepted the %(what)s permanently.") % {"what": _(check.accepts)}):
        accept_deviation(integration, key, request.POST.get("value", "")[:200], request.user, timezone.now())
    return redirect("checks:results", uuid=uuid)


@login_not_required
def show_checks_help(request: HttpRequest) -> HttpResponse:
    """Show all checks, or those that match the search, with the meaning of each outcome."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:100]
    rows = [check for _key, check in sorted(CHECKS.items()) if is_search_match(check, query)]
    return render(request, "checks/checks_help.html", {"rows": rows, "outcomes": list_outcomes(), "q": query})


def is_search_match(check: Check, query: str) -> bool:
    """Return whether each word is part of the check's key, title, expectation, or advice."""
    text = " ".join((check.key, _(check.title), _(check.expectation), _(check.advice))).lower()
    return all(word in text for word in query.lower().split())


@login_not_required
def show_check_help(request: HttpRequest, key: str) -> HttpResponse:
    """Show the help page of one check."""
    if key not in CHECKS:
        raise Http404(_("Check not found."))
    context = {"check": CHECKS[key], "programs": list_programs_using_check(key), "outcomes": list_outcomes()}
    return render(request, "checks/check_help.html", context)
