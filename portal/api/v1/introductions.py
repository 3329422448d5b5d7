"""Operations for similar integrations and introductions. Names are shared only after both sides agree."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Schema
from pydantic import Field

from integrations.partners import permissions
from integrations.submissions.forms.introductions import IntroductionRequestForm
from integrations.submissions.models import Integration, Introduction
from integrations.submissions.selectors.similar import Overlap, describe_work, find_integration_overlaps, resolve_handle
from integrations.submissions.services import introductions
from integrations.submissions.views.drafts_shared import find_draft_overlaps
from integrations.submissions.views.introductions import DECISIONS, load_introduction
from integrations.submissions.views.mixins import load_visible_integration
from portal.accounts.requests import AuthenticatedRequest
from portal.api.conditional import set_location_header
from portal.api.problems import validate_form
from portal.api.routing import CursorPage, PaginationParams, ScopedRouter, StrictSchema, build_form_data, paginate
from portal.api.v1.drafts import load_integration_draft
from portal.core.errors import ActionRefused

router = ScopedRouter("Introductions")
MAX_ID = 2**63 - 1


class SimilarWorkOut(Schema):
    """Similar work of another partner. Use `handle` to request an introduction. Names appear only for public work."""

    kind: str
    words: str
    partner: str
    title: str
    provider: str
    url: str
    handle: str


class IntroductionIn(StrictSchema):
    handle: str = Field(max_length=64)
    message: str = ""


class IntroductionOut(Schema):
    """Introduction. `other` and `partner` are empty until both sides agree."""

    id: int
    state: str
    message: str
    asked_at: datetime
    asked_by_you: bool
    partner: str
    other: str


class IntroductionDecisionIn(StrictSchema):
    agree: bool


@router.get("/integrations/{uuid:uuid}/similar", "integrations:read", list[SimilarWorkOut])
def list_similar_work(request: AuthenticatedRequest, uuid: UUID) -> object:
    """List similar integrations."""
    return _serialize_overlaps(find_integration_overlaps(load_visible_integration(request, uuid)))


@router.get("/drafts/{uuid:uuid}/similar", "integrations:read", list[SimilarWorkOut])
def list_draft_similar_work(request: AuthenticatedRequest, uuid: UUID) -> object:
    """List integrations similar to a draft."""
    draft = load_integration_draft(request, uuid)
    return _serialize_overlaps(find_draft_overlaps(draft.partner, draft.data) or ())


def _serialize_overlaps(overlaps: Iterable[Overlap]) -> list[dict[str, object]]:
    return [{name: getattr(overlap, name) for name in SimilarWorkOut.model_fields} for overlap in overlaps]


@router.post("/integrations/{uuid:uuid}/introductions", "integrations:write", IntroductionOut, status=201)
def request_introduction(
    request: AuthenticatedRequest, response: HttpResponse, uuid: UUID, body: IntroductionIn
) -> Any:
    """Request an introduction. Names are shared only if both sides agree."""
    integration = load_visible_integration(request, uuid)
    message = validate_form(IntroductionRequestForm(build_form_data(message=body.message))).cleaned_data["message"]
    if not permissions.can_edit(integration, request.user):
        raise ActionRefused(permissions.get_refusal("can_edit"), "forbidden")
    other_integration = resolve_handle(body.handle, describe_work(integration))
    if other_integration is None:
        raise ActionRefused("The other integration is no longer similar to yours.", "invalid-transition")
    introduction = introductions.request_introduction(
        integration, other_integration, message, actor=request.user, now=timezone.now()
    )
    set_location_header(request, response, "introductions", introduction.pk)
    return _serialize_introduction(request, introduction)


@router.get("/introductions", "integrations:read", CursorPage[IntroductionOut])
def list_introductions(
    request: AuthenticatedRequest, response: HttpResponse, pagination: Query[PaginationParams]
) -> object:
    """List introductions of your integrations, newest first."""
    visible_ids = Integration.objects.visible_to(request.user).values("pk")
    rows = Introduction.objects.filter(Q(asking__in=visible_ids) | Q(other__in=visible_ids))
    introductions_with_partners = rows.select_related("asking__partner", "other__partner")
    return paginate(
        request, response, introductions_with_partners, pagination, partial(_serialize_introduction, request)
    )


@router.get("/introductions/{int:pk}", "integrations:read", IntroductionOut)
def get_introduction(request: HttpRequest, pk: int = Path(le=MAX_ID)) -> object:
    """Get an introduction."""
    return _serialize_introduction(request, _get_introduction(request, pk))


@router.post("/introductions/{int:pk}/answer", "integrations:write", IntroductionOut)
def answer_introduction(
    request: AuthenticatedRequest, body: IntroductionDecisionIn, pk: int = Path(le=MAX_ID)
) -> object:
    """Accept or decline an introduction. For the other side."""
    introduction = _get_introduction(request, pk)
    DECISIONS["agree" if body.agree else "decline"](introduction, actor=request.user, now=timezone.now())
    return _serialize_introduction(request, _get_introduction(request, pk))


def _get_introduction(request: HttpRequest, pk: int) -> Introduction:
    if pk > MAX_ID:
        raise Http404("Introduction not found. It doesn't exist, or you don't have access.")
    return load_introduction(request, pk)


def _serialize_introduction(request: HttpRequest, row: Introduction) -> dict[str, object]:
    is_requester = bool(permissions.get_role(row.asking.partner, request.user))
    other_integration = row.other if is_requester else row.asking
    are_names_visible = row.state == Introduction.State.AGREED or permissions.is_program_staff(request.user)
    return {
        "id": row.pk,
        "state": row.state,
        "message": row.message,
        "asked_at": row.asked_at,
        "asked_by_you": is_requester,
        "partner": other_integration.partner.name if are_names_visible else "",
        "other": other_integration.name if are_names_visible else "",
    }
