"""Operations for similar integrations and introductions. Names are shared only after both sides agree."""

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from integrations.partners import permissions, refusals
from integrations.submissions.access import load_visible_integration
from integrations.submissions.forms.findings import IntroductionRequestForm
from integrations.submissions.models import Integration, Introduction
from integrations.submissions.selectors.similar import Overlap, describe_work, find_integration_overlaps, resolve_handle
from integrations.submissions.services import introductions
from integrations.submissions.views.drafts_shared import find_draft_overlaps
from integrations.submissions.views.introductions import DECISIONS, load_introduction
from portal.accounts.requests import AuthenticatedRequest
from portal.api.conditional import set_location_header
from portal.api.form_data import build_form_data, clean
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.routing import RequestContext, RowId, ScopedRouter, StrictSchema
from portal.api.v1.drafts import load_integration_draft
from portal.core.errors import ActionRefused

router = ScopedRouter("Introductions")


class SimilarWorkOut(Schema):
    """Similar work of another partner. Use `handle` to request an introduction. Names appear only for public work."""

    kind: str
    summary: str
    partner: str
    title: str
    provider: str
    url: str
    handle: str


class IntroductionIn(StrictSchema):
    handle: str = Field(max_length=64)
    message: str = ""


class IntroductionOut(Schema):
    """Introduction. `integration` and `partner` are those of the other side, empty until both sides agree."""

    id: int
    state: str
    message: str
    requested_at: datetime = Field(validation_alias="asked_at")
    requested_by_you: bool
    partner: str
    integration: str

    @staticmethod
    def resolve_requested_by_you(row: Introduction, context: RequestContext) -> bool:
        return bool(permissions.get_role(row.requester.partner, context["request"].user))

    @staticmethod
    def resolve_partner(row: Introduction, context: RequestContext) -> str:
        other_integration = _get_visible_other(row, context["request"])
        return other_integration.partner.name if other_integration else ""

    @staticmethod
    def resolve_integration(row: Introduction, context: RequestContext) -> str:
        other_integration = _get_visible_other(row, context["request"])
        return other_integration.name if other_integration else ""


def _get_visible_other(row: Introduction, request: AuthenticatedRequest) -> Integration | None:
    """Return the other side's integration, or None while its name is private."""
    # Neither side learns of the other before both agree. Program staff see all integrations anyway.
    if row.state != Introduction.State.AGREED and not permissions.is_program_staff(request.user):
        return None
    return row.recipient if permissions.get_role(row.requester.partner, request.user) else row.requester


class IntroductionDecisionIn(StrictSchema):
    agree: bool


@router.get("/integrations/{uuid:uuid}/similar", "integrations:read", list[SimilarWorkOut])
def list_similar_work(request: AuthenticatedRequest, uuid: UUID) -> tuple[Overlap, ...]:
    """List similar integrations."""
    return find_integration_overlaps(load_visible_integration(request, uuid))


@router.get("/drafts/{uuid:uuid}/similar", "integrations:read", list[SimilarWorkOut])
def list_draft_similar_work(request: AuthenticatedRequest, uuid: UUID) -> tuple[Overlap, ...]:
    """List integrations similar to a draft."""
    draft = load_integration_draft(request, uuid)
    return find_draft_overlaps(draft.partner, draft.data) or ()


@router.post("/integrations/{uuid:uuid}/introductions", "integrations:write", IntroductionOut, status=201)
def request_introduction(request: AuthenticatedRequest, uuid: UUID, body: IntroductionIn) -> Introduction:
    """Request an introduction. Names are shared only if both sides agree."""
    integration = load_visible_integration(request, uuid)
    message = clean(IntroductionRequestForm(build_form_data(message=body.message)))["message"]
    refusals.require_permission(permissions.can_edit, integration, request.user)
    # The handle only works for this partner, and only while the two overlap.
    other_integration = resolve_handle(body.handle, describe_work(integration))
    if other_integration is None:
        raise ActionRefused("The other integration is no longer similar to yours.", "invalid-transition")
    introduction = introductions.request_introduction(
        integration, other_integration, message, actor=request.user, now=timezone.now()
    )
    set_location_header(request, "introductions", introduction.pk)
    return introduction


@router.get("/introductions", "integrations:read", CursorPage[IntroductionOut])
def list_introductions(request: AuthenticatedRequest, pagination: Query[PaginationParams]) -> Page[Introduction]:
    """List introductions of your integrations, newest first."""
    rows = Introduction.objects.visible_to(request.user)
    return paginate(request, rows.select_related("requester__partner", "recipient__partner"), pagination)


@router.get("/introductions/{int:pk}", "integrations:read", IntroductionOut)
def get_introduction(request: AuthenticatedRequest, pk: RowId) -> Introduction:
    """Get an introduction."""
    return load_introduction(request, pk)


@router.post("/introductions/{int:pk}/answer", "integrations:write", IntroductionOut)
def answer_introduction(request: AuthenticatedRequest, body: IntroductionDecisionIn, pk: RowId) -> Introduction:
    """Accept or decline an introduction. For the other side."""
    introduction = load_introduction(request, pk)
    DECISIONS["agree" if body.agree else "decline"](introduction, actor=request.user, now=timezone.now())
    return load_introduction(request, pk)
