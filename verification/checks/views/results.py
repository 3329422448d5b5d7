"""What did the checks find? One page and its fragment, and the button that has them run again."""

from collections import Counter
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load, pressed
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused
from verification.checks.models import CheckRun
from verification.checks.presenters import shown_results
from verification.checks.services import runs
from verification.outcomes import WORST_FIRST, Outcome

STOP_POLLING = 286  # htmx's own status: swap this answer in and ask no more
PAGE = "checks/check_results.html"


def check_results(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page; for htmx its head and the rows that were finished since it asked last."""
    context = page_context(load(request, uuid), request.user, timezone.now())
    if not request.htmx:  # type: ignore[attr-defined]
        return render(request, PAGE, context)
    shown = request.GET.get("shown", "")
    context["changed"] = changed(context, int(shown) if shown.isdecimal() and len(shown) < 5 else 0)
    status = 200 if context["running"] else STOP_POLLING
    return render(request, f"{PAGE}#head", context, status=status)


@pressed("check_results")
def run_checks(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ask for the checks once more, and show the page again."""
    found, now = load(request, uuid), timezone.now()
    try:
        runs.ask(found, request.user, now)
    except NotAllowed as refusal:
        refused(request, refusal)
        return redirect("check_results", uuid=uuid)
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("check_results", uuid=uuid)
    return render(request, f"{PAGE}#results", page_context(found, request.user, now))


def page_context(found: Integration, user: Any, now: datetime) -> dict[str, Any]:
    """What the page shows, worst first; during a run in the order in which they are looked at. `done`: of that run."""
    job = CheckRun.objects.open().filter(integration=found).first()
    running = job is not None and job.is_under_way(now)
    results = shown_results(found, job, now)
    counted = Counter(row.outcome for row in results)
    return {
        "integration": found,
        "results": results if running else sorted(results, key=lambda row: WORST_FIRST.index(Outcome(row.outcome))),
        "tally": [(str(outcome), counted[outcome]) for outcome in WORST_FIRST if counted[outcome]],
        "running": running,
        "done": len(job.done) if job is not None and running else 0,
        "finished": job.done if job is not None and running else None,
        "next_run": job.due_at if job is not None and job.nightly and not running else None,
        "may_ask": found.is_open and runs.may_ask(found, user),
        "may_decide": found.is_open and permissions.may_decide(found, user),
    }


def changed(context: dict[str, Any], shown: int) -> list[Any]:
    """The rows that the page does not show yet: all of them once nothing is under way any more."""
    if context["finished"] is None:
        return list(context["results"])
    new = context["finished"][shown:]
    return [row for row in context["results"] if row.key in new]
