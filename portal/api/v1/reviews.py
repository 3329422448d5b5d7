"""Operations for reviewers: queue, claims, findings, and profile."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Schema
from pydantic import Field

from integrations.partners import permissions
from integrations.reviews.forms.queue import QueueFilterForm
from integrations.reviews.forms.reviewers import ReviewerProfileForm
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.selectors import queue
from integrations.reviews.services import claims
from integrations.reviews.views.review import load_finding
from integrations.submissions.forms.findings import FindingAnswerForm, FindingForm
from integrations.submissions.models import Finding, Integration
from integrations.submissions.presenters import list_visible_findings
from integrations.submissions.services import findings as reviewing
from integrations.submissions.views.mixins import load_visible_integration, require_permission
from portal.accounts.requests import AuthenticatedRequest
from portal.api.problems import ApiError, validate_form
from portal.api.routing import (
    CursorPage,
    PaginationParams,
    ScopedRouter,
    StrictSchema,
    build_cursor_error,
    build_form_data,
    decode_cursor,
    encode_cursor,
    set_next_link,
)
from portal.api.v1.integrations import READ_SCOPE, WRITE_SCOPE, load_as_program_staff, reload_detail
from portal.api.v1.schemas import submissions
from portal.core.value_types import JsonObject

router = ScopedRouter("Reviews")
REVIEW_SCOPE = "reviews:write"
MAX_ID = 2**63 - 1


class ReviewQueueParams(PaginationParams):
    """Filters of the review queue."""

    tab: str = Field("all", pattern="^(all|mine|free)$")
    program: str = Field("", max_length=60)
    stage: str = Field("", max_length=60)
    category: str = Field("", max_length=60)
    age: str = Field("", max_length=10, description="Minimum waiting time in days.")
    holder: str = Field("", max_length=20)


class QueueItemOut(Schema):
    """Item of the review queue. `checks` counts checks by outcome."""

    integration: submissions.IntegrationOut
    reasons: list[str]
    checks: JsonObject
    claim_expires_at: datetime | None


class FindingIn(StrictSchema):
    requirement: str
    text: str


class FindingResponseIn(StrictSchema):
    answer: str


class AssignmentIn(StrictSchema):
    reviewer: str = Field(description="Email address of a reviewer.")


class ReviewerProfileOut(Schema):
    programs: list[str]
    away_from: date | None
    away_until: date | None
    max_open_reviews: int


class ReviewerProfileIn(StrictSchema):
    programs: list[str] | None = None
    away_from: date | None = None
    away_until: date | None = None
    max_open_reviews: int | None = None


class ReadMarkerOut(Schema):
    """Read marker. `before` is the sequence number of the previous marker."""

    before: int


@router.get("/queue", REVIEW_SCOPE, CursorPage[QueueItemOut])
def get_queue(request: AuthenticatedRequest, response: HttpResponse, params: Query[ReviewQueueParams]) -> Any:
    """List the review queue, most urgent first."""
    if not permissions.is_program_staff(request.user):
        raise Http404("Not found. This operation is for program staff.")
    now = timezone.now()
    filters = validate_form(QueueFilterForm(params.model_dump(exclude={"tab", "after", "limit"}))).cleaned_data
    rows = queue.filter_queue(filters, now).filter(queue.build_tab_condition(params.tab, request.user, now))
    if params.after is not None:
        rows = rows.filter(_build_cursor_condition(*decode_cursor(params.after)))
    rows = rows.order_by(F("action_due_at").asc(nulls_last=True), "pk").select_related("partner", "reviewer")
    fetched_rows = list(rows[: params.limit + 1])
    page = fetched_rows[: params.limit]
    next_cursor = _encode_cursor(page[-1]) if len(fetched_rows) > params.limit else None
    set_next_link(request, response, next_cursor)
    return {"items": [_serialize_queue_item(row) for row in page], "next": next_cursor}


def _encode_cursor(row: Integration) -> str:
    """Encode the row's position, because the row may move or leave before the next page."""
    return encode_cursor(row.pk, row.action_due_at.astimezone(UTC).isoformat() if row.action_due_at else "")


def _build_cursor_condition(pk: int, position: str) -> Q:
    """Return the condition for rows after a position. Rows without a due date come last."""
    if not position:
        return Q(action_due_at=None, pk__gt=pk)
    try:
        due_at = datetime.fromisoformat(position)
    except ValueError:
        due_at = None
    if due_at is None or due_at.tzinfo is None:
        raise build_cursor_error()
    return Q(action_due_at=due_at, pk__gt=pk) | Q(action_due_at__gt=due_at) | Q(action_due_at=None)


def _serialize_queue_item(row: Integration) -> dict[str, object]:
    return {
        "integration": submissions.serialize_integration(row),
        "reasons": row.reasons,
        "checks": row.requirement_counts,
        "claim_expires_at": row.claim_expires_at,
    }


@router.post("/integrations/{uuid:uuid}/claim", REVIEW_SCOPE, submissions.IntegrationDetail)
def claim(request: AuthenticatedRequest, uuid: UUID) -> Any:
    """Claim a review. 409 names another claimant."""
    claims.claim_review(load_as_program_staff(request, uuid), actor=request.user, now=timezone.now())
    return reload_detail(request, uuid)


@router.post("/integrations/{uuid:uuid}/claim/renew", REVIEW_SCOPE, submissions.IntegrationDetail)
def renew_claim(request: AuthenticatedRequest, uuid: UUID) -> object:
    """Renew your claim."""
    claims.renew_claim(load_as_program_staff(request, uuid), actor=request.user, now=timezone.now())
    return reload_detail(request, uuid)


@router.post("/integrations/{uuid:uuid}/claim/release", REVIEW_SCOPE, submissions.IntegrationDetail)
def release_claim(request: AuthenticatedRequest, uuid: UUID) -> Any:
    """Release a claim."""
    claims.release_claim(load_as_program_staff(request, uuid), actor=request.user, now=timezone.now())
    return reload_detail(request, uuid)


@router.post("/integrations/{uuid:uuid}/assign", REVIEW_SCOPE, submissions.IntegrationDetail)
def assign(request: AuthenticatedRequest, uuid: UUID, body: AssignmentIn) -> object:
    """Assign a reviewer."""
    integration = load_as_program_staff(request, uuid)
    reviewers = get_user_model().objects.filter(is_reviewer=True, is_active=True)
    reviewer = reviewers.filter(email=body.reviewer.lower()).first()
    if reviewer is None:
        raise ApiError(
            "validation-error", "Unknown reviewer.", fields=[("reviewer", "Enter the email address of a reviewer.")]
        )
    claims.assign_reviewer(integration, reviewer, actor=request.user, now=timezone.now())
    return reload_detail(request, uuid)


@router.post("/integrations/{uuid:uuid}/mark-read", READ_SCOPE, ReadMarkerOut)
def mark_read(request: AuthenticatedRequest, uuid: UUID) -> object:
    """Mark all events up to now as read. For program staff."""
    return {
        "before": reviewing.update_read_marker(
            load_as_program_staff(request, uuid), actor=request.user, now=timezone.now()
        )
    }


@router.get("/integrations/{uuid:uuid}/findings", READ_SCOPE, list[submissions.FindingOut])
def list_findings(request: AuthenticatedRequest, uuid: UUID) -> object:
    """List findings. The partner sees them after changes are requested."""
    integration = load_visible_integration(request, uuid)
    all_findings = (
        integration.findings.select_related("raised_by")
        if permissions.can_view_notes(integration, request.user)
        else None
    )
    return [
        submissions.serialize_finding(finding)
        for finding in (all_findings if all_findings is not None else list_visible_findings(integration))
    ]


@router.post("/integrations/{uuid:uuid}/findings", REVIEW_SCOPE, submissions.FindingOut, status=201)
def raise_finding(request: AuthenticatedRequest, uuid: UUID, body: FindingIn) -> Any:
    """Add a finding to a requirement during a review."""
    integration = load_as_program_staff(request, uuid)
    require_permission(permissions.can_decide, integration, request.user)
    if integration.edition.requirement(body.requirement) is None:
        raise Http404("Requirement not found in this edition of the program.")
    text = validate_form(FindingForm(build_form_data(text=body.text))).cleaned_data["text"]
    finding = reviewing.raise_finding(integration, body.requirement, text, actor=request.user, now=timezone.now())
    return submissions.serialize_finding(finding)


@router.post("/findings/{int:pk}/fix", WRITE_SCOPE, submissions.FindingOut)
def resolve_finding(request: AuthenticatedRequest, body: FindingResponseIn, pk: int = Path(le=MAX_ID)) -> Any:
    """Respond to a finding. For partners."""
    finding = get_finding(request, pk)
    require_permission(permissions.can_edit, finding.integration, request.user)
    answer = validate_form(FindingAnswerForm(build_form_data(answer=body.answer))).cleaned_data["answer"]
    reviewing.answer_finding(finding, answer, actor=request.user, now=timezone.now())
    return submissions.serialize_finding(get_finding(request, pk))


@router.post("/findings/{int:pk}/verify", REVIEW_SCOPE, submissions.FindingOut)
def verify_finding(request: AuthenticatedRequest, pk: int = Path(le=MAX_ID)) -> object:
    """Verify a finding. For reviewers."""
    reviewing.verify_finding(_get_finding_as_staff(request, pk), actor=request.user, now=timezone.now())
    return submissions.serialize_finding(get_finding(request, pk))


@router.post("/findings/{int:pk}/reopen", REVIEW_SCOPE, submissions.FindingOut)
def reopen_finding(request: AuthenticatedRequest, pk: int = Path(le=MAX_ID)) -> object:
    """Reopen a finding. For reviewers."""
    reviewing.reopen_finding(_get_finding_as_staff(request, pk), actor=request.user, now=timezone.now())
    return submissions.serialize_finding(get_finding(request, pk))


def get_finding(request: AuthenticatedRequest, pk: int) -> Finding:
    if pk > MAX_ID:
        raise Http404("Finding not found.")
    return load_finding(request, pk)


def _get_finding_as_staff(request: AuthenticatedRequest, pk: int) -> Finding:
    if not permissions.is_program_staff(request.user):
        raise Http404("Not found. This operation is for program staff.")
    return get_finding(request, pk)


@router.get("/reviewer-profile", REVIEW_SCOPE, ReviewerProfileOut)
def get_reviewer_profile(request: HttpRequest) -> object:
    """Get your reviewer profile."""
    profile = _get_own_profile(request)
    return {name: getattr(profile, name) for name in ReviewerProfileOut.model_fields}


@router.patch("/reviewer-profile", REVIEW_SCOPE, ReviewerProfileOut)
def change_reviewer_profile(request: AuthenticatedRequest, body: ReviewerProfileIn) -> Any:
    """Change your reviewer profile. Omitted fields stay unchanged, null clears a date."""
    profile = _get_own_profile(request)
    current_values = {name: getattr(profile, name) for name in ReviewerProfileOut.model_fields}
    form_fields = current_values | body.model_dump(exclude_unset=True)
    cleaned_data = validate_form(ReviewerProfileForm(build_form_data(**form_fields), instance=profile)).cleaned_data
    return claims.change_profile(request.user, cleaned_data, actor=request.user)


def _get_own_profile(request: HttpRequest) -> ReviewerProfile:
    if not request.user.is_reviewer:  # type: ignore[union-attr]
        raise Http404("Only reviewers have a reviewer profile.")
    return ReviewerProfile.objects.filter(user=request.user).first() or ReviewerProfile(user=request.user)  # type: ignore[misc]
