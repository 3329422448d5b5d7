"""Operations for reviewers: queue, claims, findings, and profile."""

from datetime import date
from typing import Literal
from uuid import UUID

from django.http import Http404
from django.utils import timezone
from ninja import Schema
from pydantic import Field

from integrations.partners import permissions
from integrations.reviews.forms.reviewers import ReviewerProfileForm
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.services import claims
from integrations.reviews.views.review import load_finding
from integrations.submissions.access import load_visible_integration, require_permission
from integrations.submissions.forms.findings import FindingAnswerForm, FindingForm, FindingReplyForm
from integrations.submissions.models import Finding, Integration
from integrations.submissions.presenters import list_visible_findings
from integrations.submissions.services import findings
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.api.form_data import build_form_data, clean
from portal.api.problems import FieldError
from portal.api.routing import RowId, ScopedRouter, StrictSchema
from portal.api.v1.integrations import (
    READ_SCOPE,
    WRITE_SCOPE,
    get_integration,
    load_as_program_staff,
    require_program_staff,
)
from portal.api.v1.schemas import submissions

router = ScopedRouter("Reviews")
REVIEW_SCOPE = "reviews:write"
Severity = Literal["blocking", "optional"]


class FindingChangeIn(StrictSchema):
    """Change of a finding. Without `severity`, it stays unchanged."""

    text: str
    severity: Severity | None = None


class FindingIn(StrictSchema):
    requirement: str
    text: str
    severity: Severity = "blocking"


class FindingReplyIn(StrictSchema):
    text: str


class FindingResponseIn(StrictSchema):
    answer: str
    url: str = Field("", description="Link to the commit or page with the change.")


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


@router.post("/integrations/{uuid:uuid}/claim", REVIEW_SCOPE, submissions.IntegrationDetail)
def claim(request: AuthenticatedRequest, uuid: UUID) -> Integration:
    """Claim a review. 409 names another claimant."""
    claims.claim_review(load_as_program_staff(request, uuid), actor=request.user, now=timezone.now())
    return get_integration(request, uuid)


@router.post("/integrations/{uuid:uuid}/claim/renew", REVIEW_SCOPE, submissions.IntegrationDetail)
def renew_claim(request: AuthenticatedRequest, uuid: UUID) -> Integration:
    """Renew your claim."""
    claims.renew_claim(load_as_program_staff(request, uuid), actor=request.user, now=timezone.now())
    return get_integration(request, uuid)


@router.post("/integrations/{uuid:uuid}/claim/release", REVIEW_SCOPE, submissions.IntegrationDetail)
def release_claim(request: AuthenticatedRequest, uuid: UUID) -> Integration:
    """Release a claim."""
    claims.release_claim(load_as_program_staff(request, uuid), actor=request.user, now=timezone.now())
    return get_integration(request, uuid)


@router.post("/integrations/{uuid:uuid}/assign", REVIEW_SCOPE, submissions.IntegrationDetail)
def assign(request: AuthenticatedRequest, uuid: UUID, body: AssignmentIn) -> Integration:
    """Assign a reviewer."""
    integration = load_as_program_staff(request, uuid)
    reviewers = User.objects.active_reviewers()
    reviewer = reviewers.filter(email=body.reviewer.lower()).first()
    if reviewer is None:
        raise FieldError("reviewer", "Enter the email address of a reviewer.", "Unknown reviewer.")
    claims.assign_reviewer(integration, reviewer, actor=request.user, now=timezone.now())
    return get_integration(request, uuid)


@router.post("/integrations/{uuid:uuid}/mark-read", REVIEW_SCOPE, ReadMarkerOut)
def mark_read(request: AuthenticatedRequest, uuid: UUID) -> ReadMarkerOut:
    """Mark all events up to now as read. For program staff."""
    integration = load_as_program_staff(request, uuid)
    return ReadMarkerOut(before=findings.update_read_marker(integration, actor=request.user, now=timezone.now()))


@router.get("/integrations/{uuid:uuid}/findings", READ_SCOPE, list[submissions.FindingOut])
def list_findings(request: AuthenticatedRequest, uuid: UUID) -> list[Finding]:
    """List findings. The partner sees them after changes are requested."""
    integration = load_visible_integration(request, uuid)
    # Findings that weren't sent yet can still be edited and withdrawn.
    if permissions.can_view_notes(integration, request.user):
        return list(integration.findings.select_related("raised_by"))
    return list_visible_findings(integration)


@router.post("/integrations/{uuid:uuid}/findings", REVIEW_SCOPE, submissions.FindingOut, status=201)
def raise_finding(request: AuthenticatedRequest, uuid: UUID, body: FindingIn) -> Finding:
    """Add a finding to a requirement during a review."""
    integration = load_as_program_staff(request, uuid)
    require_permission(permissions.can_decide, integration, request.user)
    if integration.edition.get_requirement(body.requirement) is None:
        raise Http404("Requirement not found in this edition of the program.")
    values = clean(FindingForm(build_form_data(text=body.text, severity=body.severity)))
    return findings.raise_finding(integration, body.requirement, **values, actor=request.user, now=timezone.now())


@router.post("/integrations/{uuid:uuid}/findings/verify", REVIEW_SCOPE, list[submissions.FindingOut])
def verify_findings(request: AuthenticatedRequest, uuid: UUID) -> list[Finding]:
    """Verify all findings with a response. For reviewers."""
    integration = load_as_program_staff(request, uuid)
    findings.verify_resolved_findings(integration, actor=request.user, now=timezone.now())
    return list(integration.findings.select_related("raised_by"))


@router.patch("/findings/{int:pk}", REVIEW_SCOPE, submissions.FindingOut)
def edit_finding(request: AuthenticatedRequest, body: FindingChangeIn, pk: RowId) -> Finding:
    """Edit a finding that the partner can't see yet. For reviewers."""
    require_program_staff(request)
    finding = load_finding(request, pk)
    values = clean(FindingForm(build_form_data(text=body.text, severity=body.severity or finding.severity)))
    findings.edit_finding(finding, **values, actor=request.user, now=timezone.now())
    return load_finding(request, pk)


@router.post("/findings/{int:pk}/withdraw", REVIEW_SCOPE, submissions.FindingOut)
def withdraw_finding(request: AuthenticatedRequest, pk: RowId) -> Finding:
    """Withdraw a finding that the partner can't see yet. For reviewers."""
    require_program_staff(request)
    finding = load_finding(request, pk)
    findings.withdraw_finding(finding, actor=request.user, now=timezone.now())
    return finding


@router.post("/findings/{int:pk}/reply", WRITE_SCOPE, submissions.FindingOut)
def reply_to_finding(request: AuthenticatedRequest, body: FindingReplyIn, pk: RowId) -> Finding:
    """Reply to a finding without changing its state. Send `text`."""
    text = clean(FindingReplyForm(build_form_data(text=body.text)))["text"]
    findings.reply_to_finding(load_finding(request, pk), text, actor=request.user, now=timezone.now())
    return load_finding(request, pk)


@router.post("/findings/{int:pk}/fix", WRITE_SCOPE, submissions.FindingOut)
def resolve_finding(request: AuthenticatedRequest, body: FindingResponseIn, pk: RowId) -> Finding:
    """Respond to a finding. For partners."""
    finding = load_finding(request, pk)
    require_permission(permissions.can_edit, finding.integration, request.user)
    data = clean(FindingAnswerForm(build_form_data(answer=body.answer, url=body.url)))
    findings.answer_finding(finding, **data, actor=request.user, now=timezone.now())
    return load_finding(request, pk)


@router.post("/findings/{int:pk}/verify", REVIEW_SCOPE, submissions.FindingOut)
def verify_finding(request: AuthenticatedRequest, pk: RowId) -> Finding:
    """Verify a finding. For reviewers."""
    require_program_staff(request)
    findings.verify_finding(load_finding(request, pk), actor=request.user, now=timezone.now())
    return load_finding(request, pk)


@router.post("/findings/{int:pk}/reopen", REVIEW_SCOPE, submissions.FindingOut)
def reopen_finding(request: AuthenticatedRequest, pk: RowId) -> Finding:
    """Reopen a finding. For reviewers."""
    require_program_staff(request)
    findings.reopen_finding(load_finding(request, pk), actor=request.user, now=timezone.now())
    return load_finding(request, pk)


@router.get("/reviewer-profile", REVIEW_SCOPE, ReviewerProfileOut)
def get_reviewer_profile(request: AuthenticatedRequest) -> ReviewerProfile:
    """Get your reviewer profile."""
    if not request.user.is_reviewer:
        raise Http404("Only reviewers have a reviewer profile.")
    return ReviewerProfile.objects.filter(user=request.user).first() or ReviewerProfile(user=request.user)


@router.patch("/reviewer-profile", REVIEW_SCOPE, ReviewerProfileOut)
def change_reviewer_profile(request: AuthenticatedRequest, body: ReviewerProfileIn) -> ReviewerProfile:
    """Change your reviewer profile. Omitted fields stay unchanged, null clears a date."""
    profile = get_reviewer_profile(request)
    current_values = {name: getattr(profile, name) for name in ReviewerProfileOut.model_fields}
    # Unlike other operations, null is a value here: it ends an absence.
    form_fields = current_values | body.model_dump(exclude_unset=True)
    cleaned_data = clean(ReviewerProfileForm(build_form_data(**form_fields), instance=profile))
    return claims.change_profile(request.user, cleaned_data, actor=request.user)
