"""How is an integration begun? A draft that can be changed until it is sent, with everything that is not fit yet."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Header, Query
from pydantic import Field

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.submissions.forms.drafts import bind_form, merge_form_data, merge_repository_data
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.services import drafts
from integrations.submissions.views.drafts_shared import get_program, has_text, list_editable_partners, load_draft
from portal.api.conditional import get_if_match_version, set_etag, set_location_header
from portal.api.problems import ApiError, validate_form
from portal.api.routing import (
    CursorPage,
    MessageResponse,
    PaginationParams,
    ScopedRouter,
    StrictSchema,
    build_form_data,
    paginate,
)
from portal.api.v1.integrations import READ_SCOPE, TRANSITION_SCOPE, WRITE_SCOPE, reload_detail
from portal.api.v1.schemas import drafts as schemas
from portal.api.v1.schemas import submissions
from portal.core import repository_urls
from portal.core.errors import ActionRefused

router = ScopedRouter("Drafts")


class DraftFields(StrictSchema):
    """What is typed; what is left out stays. `GET /programs/{key}/answer-schema` says what each takes."""

    name: str | None = None
    description: str | None = None
    category: str | None = None
    offerings: list[str] | None = Field(None, max_length=20)
    repository_address: str | None = None
    homepage: str | None = None


class DraftIn(DraftFields):
    """`partner`: its slug, needed where you edit for several."""

    program: str
    partner: str | None = None


def collect_problems(draft: IntegrationDraft) -> dict[str, list[str]]:
    """What is not fit yet, by field."""
    if draft.integration_id is not None or draft.sent_at is not None:
        return {}
    form = bind_form(*get_program(draft), draft.data)
    return {name: [str(error) for error in errors] for name, errors in form.errors.items()}


def serialize_draft(draft: IntegrationDraft) -> dict[str, Any]:
    return schemas.serialize_draft(draft, collect_problems(draft))


def load_integration_draft(request: HttpRequest, uuid: UUID) -> IntegrationDraft:
    """A draft of an integration, not of one requirement's form. Raises Http404."""
    draft = load_draft(request, uuid)
    if draft.requirement_id:
        raise Http404("This draft does not exist, or it is not visible to you.")
    return draft


def save_fields(request: HttpRequest, draft: IntegrationDraft, body: DraftFields, version: int) -> IntegrationDraft:
    """Keep what was typed on top of the version that the caller read."""
    changes = {key: value for key, value in body.model_dump().items() if value is not None}
    changes = {key: value for key, value in changes.items() if key not in ("program", "partner")}
    data = merge_form_data(build_form_data(**changes), draft.data)
    if "offerings" not in changes:
        data["offerings"] = draft.data.get("offerings", [])
    if not has_text(data) and not has_text(draft.data):
        return draft
    return drafts.save_draft(draft, data, version=version, actor=request.user, now=timezone.now())


@router.get("/drafts", READ_SCOPE, CursorPage[schemas.DraftOut])
def list_drafts(request: HttpRequest, response: HttpResponse, pagination: Query[PaginationParams]) -> Any:
    """What your companies began and did not send, newest first."""
    own_drafts = IntegrationDraft.objects.filter(
        partner_id__in=list(permissions.get_roles(request.user)), requirement_id="", sent_at=None
    )
    return paginate(request, response, own_drafts.select_related("partner", "integration"), pagination, serialize_draft)


@router.post("/drafts", WRITE_SCOPE, schemas.DraftOut, status=201)
def create_draft(request: HttpRequest, response: HttpResponse, body: DraftIn) -> Any:
    """Begin an integration. Nothing is sent before you say so."""
    if body.program not in PROGRAMS:
        raise ApiError(
            "validation-error", "There is no such program.", fields=[("program", "There is no such program.")]
        )
    draft = drafts.create_draft(
        _choose_partner(request, body.partner), body.program, actor=request.user, now=timezone.now()
    )
    set_location_header(request, response, "drafts", draft.uuid)
    return serialize_draft(save_fields(request, draft, body, draft.version))


def _choose_partner(request: HttpRequest, slug: str | None) -> Partner:
    """The company that it is for. Raises Problem where it has to be said."""
    partners = list_editable_partners(request.user)
    if not partners:
        raise ActionRefused(permissions.get_refusal("can_edit"), "forbidden")
    matching_partners = partners if slug is None else [partner for partner in partners if partner.slug == slug]
    if len(matching_partners) != 1:
        names = ", ".join(partner.slug for partner in partners)
        raise ApiError(
            "validation-error", f"Say for which company: {names}.", fields=[("partner", "Choose one of yours.")]
        )
    return matching_partners[0]


@router.get("/drafts/{uuid:uuid}", READ_SCOPE, schemas.DraftOut)
def get_draft(request: HttpRequest, response: HttpResponse, uuid: UUID) -> Any:
    """A draft, with what is not fit yet."""
    draft = load_integration_draft(request, uuid)
    set_etag(response, draft.version)
    return serialize_draft(draft)


@router.patch("/drafts/{uuid:uuid}", WRITE_SCOPE, schemas.DraftOut)
def save_draft(
    request: HttpRequest, response: HttpResponse, uuid: UUID, body: DraftFields,
    if_match_: str | None = Header(None, alias="If-Match"),
) -> Any:  # fmt: skip
    """Change a draft. With If-Match, a colleague's newer version is not overwritten: 412."""
    draft, read_version = load_integration_draft(request, uuid), get_if_match_version(request)
    saved_draft = save_fields(request, draft, body, draft.version if read_version is None else read_version)
    set_etag(response, saved_draft.version)
    return serialize_draft(saved_draft)


@router.post("/drafts/{uuid:uuid}/prefill", WRITE_SCOPE, schemas.DraftOut)
def prefill_draft(request: HttpRequest, uuid: UUID) -> Any:
    """Ask GitHub about the repository and fill in what is still blank."""
    draft = load_integration_draft(request, uuid)
    if not permissions.can_edit_partner(draft.partner, request.user):
        raise ActionRefused(permissions.get_refusal("can_edit"), "forbidden")
    repository_data = repository_urls.fetch_repository(str(draft.data.get("repository_address", "")))
    data = merge_repository_data(draft.data, repository_data)
    return serialize_draft(
        drafts.save_draft(draft, data, version=draft.version, actor=request.user, now=timezone.now())
    )


@router.post("/drafts/{uuid:uuid}/submit", TRANSITION_SCOPE, submissions.IntegrationDetail, status=201)
def submit_draft(
    request: HttpRequest, response: HttpResponse, uuid: UUID,
    if_match_: str | None = Header(None, alias="If-Match"),
) -> Any:  # fmt: skip
    """Send it: the draft becomes an integration, once, however often it is sent."""
    draft, read_version = load_integration_draft(request, uuid), get_if_match_version(request)
    if draft.integration is not None:
        set_location_header(request, response, "integrations", draft.integration.uuid)
        return reload_detail(request, draft.integration.uuid)
    form = validate_form(bind_form(*get_program(draft), draft.data))
    version = draft.version if read_version is None else read_version
    row = drafts.submit_draft(
        draft, form.get_values(draft.data), version=version, actor=request.user, now=timezone.now()
    )
    set_location_header(request, response, "integrations", row.uuid)
    return reload_detail(request, row.uuid)


@router.delete("/drafts/{uuid:uuid}", WRITE_SCOPE)
def discard_draft(request: HttpRequest, uuid: UUID) -> Any:
    """Throw it away."""
    drafts.discard_draft(load_integration_draft(request, uuid), actor=request.user, now=timezone.now())
    return MessageResponse(message="The draft was thrown away.")
