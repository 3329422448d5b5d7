"""Operations for check results and CI reports."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from django.http import Http404
from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from integrations.submissions.access import load_visible_integration
from portal.accounts.requests import AuthenticatedRequest
from portal.api.conditional import set_location_header
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import ApiError, get_row
from portal.api.routing import MessageResponse, ScopedRouter, StrictSchema
from portal.core.value_types import JsonObject, TemplateContext
from verification.checks.models import CiCheckReport
from verification.checks.services import accepted_deviations, ci_reports, runs
from verification.checks.types import CHECKS
from verification.checks.views import build_page_context

router = ScopedRouter("Checks")
READ_SCOPE = "checks:read"
WRITE_SCOPE = "checks:write"


class CheckOut(Schema):
    """Check. `outcome` is pass, warn, fail, error (on our side), not_run, waived, or stale.

    `first_seen_at` and `last_seen_at`: when the portal first and last got this result.
    """

    id: str = Field(validation_alias="key")
    title: str
    outcome: str
    summary: str
    advice: str
    inspected_summary: str
    version: int
    first_seen_at: datetime | None = Field(validation_alias="since")
    last_seen_at: datetime | None = Field(validation_alias="at")
    next_attempt_at: datetime | None


class ChecksOut(Schema):
    """Check results. `running` is true during a check run."""

    running: bool
    next_run_at: datetime | None
    checks: list[CheckOut] = Field(validation_alias="results")


class AcceptedDeviationIn(StrictSchema):
    """Observed value to accept. It must match the check's current result."""

    value: str = Field(max_length=200)


class ReportedCheckIn(StrictSchema):
    """Check as printed by `portal-preflight --format json`."""

    id: str = Field(max_length=80)
    version: int = Field(0, ge=0, le=32000)
    outcome: Literal["pass", "warn", "fail", "error", "not_run", "waived", "stale"]
    summary: str = Field("", max_length=4000)
    title: str = Field("", max_length=200)
    advice: str = Field("", max_length=4000)
    evidence: list[JsonObject] = Field([], max_length=200)
    inspected_revisions: list[list[str]] = Field([], max_length=200)
    hint: bool = False


class CiCheckReportIn(StrictSchema):
    """Preflight report in JSON with its commit."""

    commit: str = Field(pattern="^[0-9a-f]{7,64}$")
    checks: list[ReportedCheckIn] = Field(min_length=1, max_length=200)
    version: str = Field("", max_length=60)
    program: str = Field("", max_length=60)
    edition: str = Field("", max_length=20)
    repository: str = Field("", max_length=200)
    folder: str = Field("", max_length=300)
    outcome: str = Field("", max_length=20)
    exit: int | None = Field(None, ge=0, le=255)


class CheckDisagreementOut(Schema):
    id: str
    reported_outcome: str
    portal_outcome: str
    summary: str


class CiCheckReportOut(Schema):
    """CI report. `sampled` is the reason why the portal runs the checks too, or empty."""

    uuid: UUID
    commit: str
    version: str
    outcome: str
    reported_by: str
    reported_at: datetime = Field(validation_alias="at")
    sampled: str
    compared_at: datetime | None
    disagreements: list[CheckDisagreementOut]
    checks: list[JsonObject] = Field(validation_alias="results")


@router.get("/integrations/{uuid:uuid}/checks", READ_SCOPE, ChecksOut)
def list_checks(request: AuthenticatedRequest, uuid: UUID) -> TemplateContext:
    """List the checks with the portal's latest results."""
    context = build_page_context(load_visible_integration(request, uuid), request.user, timezone.now())
    # The page shows checks without a result apart from the others. Here, a missing check could be taken for a pass.
    return context | {"results": [*context["results"], *context["pending"]]}


@router.post("/integrations/{uuid:uuid}/checks/run", WRITE_SCOPE, MessageResponse, status=202)
def run_checks(request: AuthenticatedRequest, uuid: UUID) -> MessageResponse:
    """Request a check run. Poll the checks endpoint for results."""
    is_requested = runs.request_check_run_as_user(load_visible_integration(request, uuid), request.user, timezone.now())
    return MessageResponse(message="Check run requested." if is_requested else "This edition has no checks.")


@router.post("/integrations/{uuid:uuid}/checks/{str:key}/accept", "reviews:write", MessageResponse)
def accept_deviation(request: AuthenticatedRequest, uuid: UUID, key: str, body: AcceptedDeviationIn) -> MessageResponse:
    """Accept a deviation permanently, such as a new owner or key. For reviewers."""
    integration = load_visible_integration(request, uuid)
    check = CHECKS.get(key)
    if check is None or not check.accepts:
        raise Http404("This check has no deviation to accept.")
    accepted_deviations.accept_deviation(integration, key, body.value, request.user, timezone.now())
    return MessageResponse(message=f"The {check.accepts} was accepted permanently.")


@router.get("/integrations/{uuid:uuid}/check-results", READ_SCOPE, CursorPage[CiCheckReportOut])
def list_check_results(
    request: AuthenticatedRequest, uuid: UUID, pagination: Query[PaginationParams]
) -> Page[CiCheckReport]:
    """List CI reports, newest first. They don't count as results of the portal."""
    reports = CiCheckReport.objects.filter(integration=load_visible_integration(request, uuid))
    return paginate(request, reports, pagination)


@router.post("/integrations/{uuid:uuid}/check-results", WRITE_SCOPE, CiCheckReportOut, status=201)
def report_check_results(request: AuthenticatedRequest, uuid: UUID, body: CiCheckReportIn) -> CiCheckReport:
    """Report preflight results for a commit from CI.

    The report is stored as reported by you. The portal runs its own checks for a sample of reports, and always if a
    report decides a requirement. If the results differ, the portal shows both and opens a finding. A report with
    checks that the portal doesn't have is refused.
    """
    _refuse_unknown_checks(body.checks)
    checks = [check.model_dump() for check in body.checks]
    integration = load_visible_integration(request, uuid)
    report = CiCheckReport(integration=integration, commit=body.commit, version=body.version, results=checks)
    ci_reports.report_ci_results(report, body.program, body.repository, actor=request.user, now=timezone.now())
    set_location_header(request, "integrations", uuid, "check-results", report.uuid)
    return report


def _refuse_unknown_checks(checks: list[ReportedCheckIn]) -> None:
    """Raise ApiError for checks that the portal doesn't have, because it can't compare their outcomes with its own."""
    unknown = [(f"checks.{number}.id", check.id) for number, check in enumerate(checks) if check.id not in CHECKS]
    if unknown:
        keys = ", ".join(key for _, key in unknown)
        advice = "Install portal-preflight from the commit that the portal runs."
        message = f"This portal doesn't have these checks: {keys}. {advice}"
        raise ApiError("validation-error", message, fields=[(field, "Unknown check.") for field, _ in unknown])


@router.get("/integrations/{uuid:uuid}/check-results/{uuid:report}", READ_SCOPE, CiCheckReportOut)
def get_check_results(request: AuthenticatedRequest, uuid: UUID, report: UUID) -> CiCheckReport:
    """Get a CI report. Poll while `compared_at` is null and `sampled` is not empty."""
    reports = CiCheckReport.objects.filter(integration=load_visible_integration(request, uuid))
    return get_row(reports, "Report not found.", uuid=report)
