"""Operations for integration drafts."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Query, Schema
from pydantic import BeforeValidator, Field

from integrations.partners import permissions, refusals
from integrations.partners.models import Partner
from integrations.partners.selectors import list_editable_partners
from integrations.programs.registry import PROGRAMS
from integrations.submissions.forms.drafts import bind_form, merge_form_data, merge_repository_data
from integrations.submissions.models import Integration, IntegrationDraft
from integrations.submissions.services import drafts
from integrations.submissions.views.drafts_shared import get_program, has_text, load_draft
from portal.accounts.requests import AuthenticatedRequest
from portal.api.choices import OneOf
from portal.api.conditional import IfMatch, get_if_match_version, set_etag, set_location_header
from portal.api.form_data import build_form_data, validate_form
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import FieldError
from portal.api.routing import MessageResponse, NameConfirmation, ScopedRouter, StrictSchema
from portal.api.v1.integrations import READ_SCOPE, TRANSITION_SCOPE, WRITE_SCOPE, get_integration
from portal.api.v1.schemas.common import PartnerReference, RelatedUuid
from portal.api.v1.schemas.submissions import IntegrationDetail
from portal.core import repository_urls
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject
from portal.ui.name_confirmation import NameConfirmationForm

router = ScopedRouter("Drafts")


class DraftOut(Schema):
    """Draft of an integration. `note` explains why GitHub provided no data."""

    uuid: UUID
    program: str = Field(validation_alias="program_key")
    partner: PartnerReference
    version: int
    saved_at: datetime
    fields: JsonObject
    note: Annotated[str, BeforeValidator(lambda data: data.get("prefill_note", ""))] = Field(validation_alias="data")
    problems: dict[str, list[str]]
    sent: Annotated[bool, BeforeValidator(bool)] = Field(validation_alias="sent_at")
    integration: RelatedUuid

    @staticmethod
    def resolve_fields(draft: IntegrationDraft) -> JsonObject:
        return {key: value for key, value in draft.data.items() if key not in ("prefilled", "prefill_note")}

    @staticmethod
    def resolve_problems(draft: IntegrationDraft) -> dict[str, list[str]]:
        """Return the validation errors by field."""
        if draft.integration_id is not None or draft.sent_at is not None:
            return {}
        form = bind_form(*get_program(draft), draft.data)
        return {name: [str(error) for error in errors] for name, errors in form.errors.items()}


class DraftFields(StrictSchema):
    """Fields of a draft, which `GET /programs/{key}/answer-schema` describes.

    Fields that are omitted or null stay unchanged.
    """

    name: str | None = None
    description: str | None = None
    category: str | None = None
    offerings: list[str] | None = Field(None, max_length=20)
    repository_address: str | None = None
    homepage: str | None = None


class DraftIn(DraftFields):
    """New draft. `partner` is a slug, required if you edit for several partners."""

    program: Annotated[str, OneOf(PROGRAMS)]
    partner: str | None = None


def load_integration_draft(request: AuthenticatedRequest, uuid: UUID) -> IntegrationDraft:
    """Load a draft of an integration, not of a requirement. Raises Http404."""
    draft = load_draft(request, uuid)
    # Drafts of answers have operations of their own, at their requirement.
    if draft.requirement_id:
        raise Http404("Draft not found. It doesn't exist, or you don't have access.")
    return draft


def tag_draft(request: AuthenticatedRequest, draft: IntegrationDraft) -> IntegrationDraft:
    """Return the draft, with its version as the ETag of the response."""
    set_etag(request, draft.version)
    return draft


def save_fields(
    request: AuthenticatedRequest, draft: IntegrationDraft, body: DraftFields, version: int
) -> IntegrationDraft:
    """Save the fields on top of the version that the client read."""
    changes = body.model_dump(exclude_none=True, exclude={"program", "partner"})
    data = merge_form_data(build_form_data(**changes), draft.data)
    # Like a form without any selected checkbox, data without offerings would clear them.
    if "offerings" not in changes:
        data["offerings"] = draft.data.get("offerings", [])
    if not has_text(data) and not has_text(draft.data):
        return draft
    return drafts.save_draft(draft, data, version=version, actor=request.user, now=timezone.now())


@router.get("/drafts", READ_SCOPE, CursorPage[DraftOut])
def list_drafts(request: HttpRequest, pagination: Query[PaginationParams]) -> Page[IntegrationDraft]:
    """List the drafts of your partners, newest first."""
    own_drafts = IntegrationDraft.objects.filter(
        partner_id__in=list(permissions.get_roles(request.user)), requirement_id="", sent_at=None
    )
    return paginate(request, own_drafts.select_related("partner", "integration"), pagination)


@router.post("/drafts", WRITE_SCOPE, DraftOut, status=201)
def create_draft(request: AuthenticatedRequest, body: DraftIn) -> IntegrationDraft:
    """Create a draft. Submit it later with a separate operation."""
    partner = _choose_partner(request, body.partner)
    draft = drafts.create_draft(partner, body.program, actor=request.user, now=timezone.now())
    set_location_header(request, "drafts", draft.uuid)
    return tag_draft(request, save_fields(request, draft, body, draft.version))


def _choose_partner(request: AuthenticatedRequest, slug: str | None) -> Partner:
    """Return the partner of a new draft. Raises ApiError if it must be specified."""
    partners = list_editable_partners(request.user)
    if not partners:
        raise ActionRefused(refusals.get_refusal("can_edit"), "forbidden")
    matching_partners = partners if slug is None else [partner for partner in partners if partner.slug == slug]
    if len(matching_partners) != 1:
        names = ", ".join(partner.slug for partner in partners)
        raise FieldError("partner", "Select one of your partners.", f"Specify one of your partners: {names}.")
    return matching_partners[0]


@router.get("/drafts/{uuid:uuid}", READ_SCOPE, DraftOut)
def get_draft(request: AuthenticatedRequest, uuid: UUID) -> IntegrationDraft:
    """Get a draft with its validation errors."""
    return tag_draft(request, load_integration_draft(request, uuid))


@router.patch("/drafts/{uuid:uuid}", WRITE_SCOPE, DraftOut)
def save_draft(
    request: AuthenticatedRequest, uuid: UUID, body: DraftFields, if_match: IfMatch = None
) -> IntegrationDraft:
    """Change a draft. With If-Match, the response is 412 if a newer version exists."""
    draft = load_integration_draft(request, uuid)
    return tag_draft(request, save_fields(request, draft, body, get_if_match_version(request, draft.version)))


@router.post("/drafts/{uuid:uuid}/prefill", WRITE_SCOPE, DraftOut)
def prefill_draft(request: AuthenticatedRequest, uuid: UUID) -> IntegrationDraft:
    """Fill in empty fields from GitHub."""
    draft = load_integration_draft(request, uuid)
    refusals.require_permission(permissions.can_edit_partner, draft.partner, request.user)
    repository_data = repository_urls.fetch_repository(str(draft.data.get("repository_address", "")))
    data = merge_repository_data(draft.data, repository_data)
    # The version read before the request to GitHub, so that what someone edits during the request stays.
    prefilled_draft = drafts.save_draft(draft, data, version=draft.version, actor=request.user, now=timezone.now())
    return tag_draft(request, prefilled_draft)


@router.post("/drafts/{uuid:uuid}/submit", TRANSITION_SCOPE, IntegrationDetail, status=201)
def submit_draft(request: AuthenticatedRequest, uuid: UUID, if_match: IfMatch = None) -> Integration:
    """Submit a draft as an integration. Repeated requests return the same integration."""
    draft = load_integration_draft(request, uuid)
    # A client that missed the response can repeat the request without a second integration.
    row = draft.integration
    if row is None:
        values = validate_form(bind_form(*get_program(draft), draft.data)).get_values(draft.data)
        version = get_if_match_version(request, draft.version)
        row = drafts.submit_draft(draft, values, version=version, actor=request.user, now=timezone.now())
    set_location_header(request, "integrations", row.uuid)
    return get_integration(request, row.uuid)


@router.delete("/drafts/{uuid:uuid}", WRITE_SCOPE)
def discard_draft(request: AuthenticatedRequest, uuid: UUID, params: Query[NameConfirmation]) -> MessageResponse:
    """Delete a draft.

    Unless it is empty, `confirm_name` must be its name, or, if it has none, its repository or program.
    """
    draft = load_integration_draft(request, uuid)
    if has_text(draft.data) and permissions.can_edit_partner(draft.partner, request.user):
        validate_form(NameConfirmationForm(draft.title, data=params.model_dump()))
    drafts.discard_draft(draft, actor=request.user, now=timezone.now())
    return MessageResponse(message="Draft deleted.")


@router.post("/drafts/{uuid:uuid}/restore", WRITE_SCOPE, DraftOut)
def restore_draft(request: AuthenticatedRequest, uuid: UUID) -> IntegrationDraft:
    """Restore a deleted draft within the undo period."""
    drafts.restore_draft(load_integration_draft(request, uuid), actor=request.user, now=timezone.now())
    return tag_draft(request, load_integration_draft(request, uuid))
