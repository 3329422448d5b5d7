"""What did the checks find? One page and its fragment, and the button that has them run again."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from integrations.models import Integration
from integrations.views.common import load, pressed, refused
from integrations.workflow import NotAllowed
from verification import jobs
from verification.base import CHECKS, Outcome
from verification.models import CheckResult, CheckRun
from verification.runner import checked

STOP_POLLING = 286  # htmx's own status: swap this answer in and ask no more
SETTLED = (Outcome.PASS, Outcome.WAIVED)


@dataclass(frozen=True, slots=True)
class Shown:
    """One check on the page. `advice` only where something can be done; `next_try` after an outage of ours."""

    key: str
    title: str
    outcome: str
    summary: str
    advice: str
    looked_at: str
    at: datetime | None
    next_try: datetime | None
    evidence: tuple[dict[str, str], ...]


def check_results(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page; for htmx its fragment, with the status that ends the polling once nothing is under way."""
    context = page_context(load(request, uuid), request.user, timezone.now())
    if not request.htmx:  # type: ignore[attr-defined]
        return render(request, "verification/check_results.html", context)
    status = 200 if context["running"] else STOP_POLLING
    return render(request, "verification/check_results.html#results", context, status=status)


@pressed("check_results")
def run_checks(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ask for the checks once more, and show the page again."""
    found, now = load(request, uuid), timezone.now()
    try:
        jobs.ask(found, request.user, now)
    except NotAllowed as refusal:
        refused(request, refusal)
        return redirect("check_results", uuid=uuid)
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("check_results", uuid=uuid)
    return render(request, "verification/check_results.html#results", page_context(found, request.user, now))


def page_context(found: Integration, user: Any, now: datetime) -> dict[str, Any]:
    """What the page shows."""
    job = CheckRun.objects.open().filter(integration=found).first()
    return {
        "integration": found,
        "results": shown_results(found, job, now),
        "running": job is not None and job.is_under_way(now),
        "may_ask": found.is_open and jobs.may_ask(found, user),
    }


def shown_results(found: Integration, job: CheckRun | None, now: datetime) -> list[Shown]:
    """Each check of the edition with its last result, in the path's order."""
    latest = {result.key: result for result in CheckResult.objects.filter(integration=found).newest()}
    keys = dict.fromkeys(key for requirement in checked(found) for key in requirement.checks)
    return [_shown(key, latest.get(key), job) for key in keys]


def _shown(key: str, result: CheckResult | None, job: CheckRun | None) -> Shown:
    check = CHECKS.get(key)
    title = check.title if check else key
    if result is None:
        return Shown(key, title, Outcome.NOT_RUN, "Has not been run yet.", "", "", None, None, ())
    settled = result.outcome in SETTLED or result.outcome == Outcome.ERROR
    return Shown(
        key=key,
        title=title,
        outcome=result.outcome,
        summary=result.summary,
        advice=check.advice if check and not settled else "",
        looked_at=result.seen,
        at=result.at,
        next_try=job.due_at if job and result.outcome == Outcome.ERROR else None,
        evidence=tuple(result.evidence),
    )
