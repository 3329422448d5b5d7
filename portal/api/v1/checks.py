"""What did the checks find, and what does a partner's CI say that they found?"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from integrations.submissions.views.mixins import load
from portal.api.conditional import located
from portal.api.routing import Done, Page, Paged, Room, Strict, listed
from portal.api.v1 import ci_reports
from verification.checks.models import CheckReport
from verification.checks.services import accepted_deviations, runs
from verification.checks.types import CHECKS
from verification.checks.views.results import page_context

room = Room("Checks")
CHECKS_READ, CHECKS_WRITE = "checks:read", "checks:write"


class CheckOut(Schema):
    """One check. `outcome`: pass, warn, fail, error (ours), not_run, waived or stale."""

    id: str
    title: str
    outcome: str
    summary: str
    advice: str
    looked_at: str
    version: int
    at: datetime | None
    since: datetime | None
    next_try: datetime | None


class ChecksOut(Schema):
    """`running`: answers are on their way."""

    running: bool
    next_run: datetime | None
    checks: list[CheckOut]


class AcceptedIn(Strict):
    """The value as the check found it: something else is not accepted unseen."""

    value: str = Field(max_length=200)


class Reported(Strict):
    """One check as `portal-preflight --json` prints it."""

    id: str = Field(max_length=80)
    version: int = Field(0, ge=0, le=32000)
    outcome: str = Field(pattern="^(pass|warn|fail|error|not_run|waived|stale)$")
    summary: str = Field("", max_length=4000)
    title: str = Field("", max_length=200)
    advice: str = Field("", max_length=4000)
    evidence: list[dict[str, Any]] = Field([], max_length=200)
    looked_at: list[list[str]] = Field([], max_length=200)
    hint: bool = False


class ReportIn(Strict):
    """The preflight's JSON, with the commit that it looked at."""

    commit: str = Field(pattern="^[0-9a-f]{7,64}$")
    checks: list[Reported] = Field(min_length=1, max_length=200)
    version: str = Field("", max_length=60)
    program: str = Field("", max_length=60)
    edition: str = Field("", max_length=20)
    repository: str = Field("", max_length=200)
    folder: str = Field("", max_length=300)
    outcome: str = Field("", max_length=20)
    exit: int | None = Field(None, ge=0, le=255)


class Differs(Schema):
    id: str
    reported: str
    found: str
    summary: str


class ReportOut(Schema):
    """What CI reported. `sampled`: why the portal looks itself, blank where it does not."""

    uuid: UUID
    commit: str
    version: str
    outcome: str
    reported_by: str
    at: datetime
    sampled: str
    compared_at: datetime | None
    disagreements: list[Differs]
    checks: list[dict[str, Any]]


def report_out(row: CheckReport) -> dict[str, Any]:
    same = ("uuid", "commit", "version", "outcome", "reported_by", "at", "sampled", "compared_at", "disagreements")
    return {name: getattr(row, name) for name in same} | {"checks": row.results}


@room.get("/integrations/{uuid:uuid}/checks", CHECKS_READ, ChecksOut)
def list_checks(request: HttpRequest, uuid: UUID) -> Any:
    """Each check with the portal's own last answer."""
    shown = page_context(load(request, uuid), request.user, timezone.now())
    names = [name for name in CheckOut.model_fields if name != "id"]
    rows = [{"id": row.key} | {name: getattr(row, name) for name in names} for row in shown["results"]]
    return {"running": shown["running"], "next_run": shown["next_run"], "checks": rows}


@room.post("/integrations/{uuid:uuid}/checks/run", CHECKS_WRITE, Done, status=202)
def run_checks(request: HttpRequest, uuid: UUID) -> Any:
    """Have the portal look again. Read the checks to see when it has."""
    asked = runs.ask(load(request, uuid), request.user, timezone.now())
    return Done(said="The checks run." if asked else "This edition has nothing to check.")


@room.post("/integrations/{uuid:uuid}/checks/{str:key}/accept", "reviews:write", Done)
def accept_found(request: HttpRequest, uuid: UUID, key: str, body: AcceptedIn) -> Any:
    """Take what a check found for right from now on: a new owner, a new key. For reviewers."""
    found, check = load(request, uuid), CHECKS.get(key)
    if check is None or not check.accepts:
        raise Http404("There is no such thing to accept.")
    accepted_deviations.accept(found, key, body.value, request.user, timezone.now())
    return Done(said=f"The {check.accepts} is accepted for good.")


@room.get("/integrations/{uuid:uuid}/check_results", CHECKS_READ, Page[ReportOut])
def list_check_results(request: HttpRequest, response: HttpResponse, uuid: UUID, paged: Query[Paged]) -> Any:
    """What CI reported, newest first. None of it counts as the portal's own result."""
    return listed(request, response, CheckReport.objects.filter(integration=load(request, uuid)), paged, report_out)


@room.post("/integrations/{uuid:uuid}/check_results", CHECKS_WRITE, ReportOut, status=201)
def report_check_results(request: HttpRequest, response: HttpResponse, uuid: UUID, body: ReportIn) -> Any:
    """Report from CI what the preflight found for a commit.

    It is kept as reported by you. The portal looks itself at a sample, and always where the answer decides something;
    where it finds otherwise, both are shown and a finding is opened.
    """
    checks = [each.model_dump() for each in body.checks]
    said = ci_reports.Said(body.commit, body.version, body.program, body.repository, checks)
    row = ci_reports.report(load(request, uuid), said, by=request.user, now=timezone.now())
    located(request, response, "integrations", uuid, "check_results", row.uuid)
    return report_out(row)


@room.get("/integrations/{uuid:uuid}/check_results/{uuid:report}", CHECKS_READ, ReportOut)
def get_check_results(request: HttpRequest, uuid: UUID, report: UUID) -> Any:
    """One report. Ask again while `compared_at` is null and `sampled` is not blank."""
    found = CheckReport.objects.filter(integration=load(request, uuid), uuid=report).first()
    if found is None:
        raise Http404("There is no such report.")
    return report_out(found)
