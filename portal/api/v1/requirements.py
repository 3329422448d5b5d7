"""Operations for requirements, documents, and meetings, based on the forms of the requirement pages."""

from collections.abc import Mapping
from datetime import date
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import File, Form, Header
from ninja.files import UploadedFile

from integrations.programs.schema import RequirementKind
from integrations.submissions.models import Meeting
from integrations.submissions.presenters import build_row, list_step_rows, list_tier_rows
from integrations.submissions.selectors import context
from integrations.submissions.services import credentials, documents
from integrations.submissions.views.mixins import load_visible_integration
from integrations.submissions.views.requirements import list_actions
from integrations.submissions.views.requirements.answers import get_draft
from integrations.submissions.views.requirements.documents import download_document
from integrations.submissions.views.requirements.meetings import download_meeting, get_meeting
from integrations.submissions.views.requirements.page import RequirementAction, RequirementPage, load_page
from portal.accounts.requests import AuthenticatedRequest
from portal.api.conditional import get_if_match_version, set_etag
from portal.api.problems import validate_form
from portal.api.routing import ScopedRouter, build_form_data
from portal.api.v1.integrations import READ_SCOPE, WRITE_SCOPE
from portal.api.v1.programs import build_answer_schema
from portal.api.v1.requirement_operations import REQUIREMENT_OPERATIONS, RequirementOperation
from portal.api.v1.schemas import submissions
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject

router = ScopedRouter("Requirements")
REQUIREMENT_PATH = "/integrations/{uuid:uuid}/requirements/{str:requirement_id}"


def perform_action(
    request: AuthenticatedRequest, uuid: UUID, requirement_id: str, name: str, build_fields: Any
) -> JsonObject:
    """Perform an action of the requirement page with its form. `build_fields` returns the form fields."""
    page = load_page(request, uuid, requirement_id)
    action = list_actions(page).get(name)
    if action is None or not context.is_applicable(page.requirement, page.integration):
        raise ActionRefused(
            "This action isn't available. See the requirement's `available_actions`.", "invalid-transition"
        )
    _refuse_outsider(page, action)
    _refuse_stale_version(request, page)
    files = request.FILES  # parse the body before replacing POST
    request.POST = build_form_data(**build_fields(page), **_build_version_fields(request, page, name))  # type: ignore[assignment]
    form = action.form(page, data=request.POST, files=files)
    names = {key: f"answers.{key}" for key in form.fields} if name in ("answer", "draft") else {}
    result = action.perform(page, validate_form(form, names))
    if isinstance(result, HttpResponseBase):  # the page would show both versions side by side
        raise ActionRefused("The requirement changed. Fetch it again, then retry with the new ETag.", "conflict")
    return serialize_requirement_detail(load_page(request, uuid, requirement_id))


def _build_version_fields(request: HttpRequest, page: RequirementPage, name: str) -> dict[str, int]:
    """Return the versions of the answer and the draft that the client read."""
    if name not in ("answer", "draft"):
        return {}
    read_version, draft = get_if_match_version(request), get_draft(page)
    return {
        "answered": page.state.version if read_version is None else max(read_version, 0),
        "version": draft.version if draft else 0,
    }


def _refuse_stale_version(request: HttpRequest, page: RequirementPage) -> None:
    """Raise ActionRefused if If-Match names another version."""
    if get_if_match_version(request) not in (None, page.state.version):
        raise ActionRefused("The requirement changed. Fetch it again, then retry with the new ETag.", "conflict")


def _refuse_outsider(page: RequirementPage, action: RequirementAction) -> None:
    """Raise ActionRefused for users without permission before validating their input."""
    if action.is_available(page) or not page.is_open or page.can_answer or page.can_decide:
        return
    raise ActionRefused("You don't have permission to do this.", "forbidden")


def serialize_requirement_detail(page: RequirementPage) -> dict[str, object]:
    """Serialize the requirement for the current user."""
    row, requirement = build_row(page.integration, page.requirement, page.now), page.requirement
    step = page.integration.edition.step_of(requirement)
    meeting = get_meeting(page) if requirement.kind == RequirementKind.MEETING else None
    current_documents = (
        documents.list_current_documents(page.integration, requirement.id)
        if requirement.kind == RequirementKind.DOCUMENT
        else []
    )
    current_credentials = (
        credentials.list_current_credentials(page.integration, requirement.id)
        if requirement.kind == RequirementKind.CREDENTIALS
        else []
    )
    return submissions.serialize_requirement(row, step.key if step else "") | {
        "questions": build_answer_schema(requirement),
        "answers": page.state.data,
        "available_actions": [
            name for name, action in list_actions(page).items() if name != "reveal" and action.is_available(page)
        ],
        "items": list(requirement.meeting_items),
        "accept": list(requirement.accept) if requirement.kind == RequirementKind.DOCUMENT else [],
        "documents": [_copy_fields(record, submissions.DocumentOut) for record in current_documents],
        "credentials": [_copy_fields(record, submissions.CredentialOut) for record in current_credentials],
        "meeting": submissions.serialize_meeting(meeting) if meeting else None,
    }


def _copy_fields(row: Any, schema: type[Any]) -> dict[str, object]:
    return {name: getattr(row, name) for name in schema.model_fields}


@router.get("/integrations/{uuid:uuid}/requirements", READ_SCOPE, list[submissions.RequirementOut])
def list_requirements(request: AuthenticatedRequest, uuid: UUID) -> Any:
    """List the applicable requirements in the order of steps, then of tiers."""
    integration, now = load_visible_integration(request, uuid), timezone.now()
    path_requirements = [
        submissions.serialize_requirement(row, rows.step.key)
        for rows in list_step_rows(integration, now)
        for row in rows.rows
    ]
    known_ids = {requirement["id"] for requirement in path_requirements}
    tier_requirements = [
        (tier.tier.key, row) for tier in list_tier_rows(integration, now) for row in _list_tier_rows(tier)
    ]
    return path_requirements + [
        submissions.serialize_requirement(row, key)
        for key, row in tier_requirements
        if row.requirement.id not in known_ids
    ]


def _list_tier_rows(tier: Any) -> list[Any]:
    return [*tier.rows, *(row for _, rows in tier.groups for row in rows)]


@router.get(REQUIREMENT_PATH, READ_SCOPE, submissions.RequirementDetail)
def get_requirement(request: AuthenticatedRequest, response: HttpResponse, uuid: UUID, requirement_id: str) -> Any:
    """Get a requirement with its questions, answers, and available actions."""
    page = load_page(request, uuid, requirement_id)
    set_etag(response, page.state.version)
    return serialize_requirement_detail(page)


def register_operation(action: RequirementOperation) -> None:
    """Register the operation of a table row."""

    def operation(
        request: AuthenticatedRequest,
        response: HttpResponse,
        uuid: UUID,
        requirement_id: str,
        body: Any,
        if_match_: str | None = Header(None, alias="If-Match"),
    ) -> Any:
        detail = perform_action(request, uuid, requirement_id, action.name, lambda page: action.fields(page, body))
        set_etag(response, detail["version"])
        return detail

    operation.__name__ = f"requirement_{action.name}"
    operation.__doc__ = action.summary
    operation.__annotations__ = operation.__annotations__ | {"body": action.body}
    router.post(f"{REQUIREMENT_PATH}/{action.name}", action.scope, submissions.RequirementDetail)(operation)


for requirement_operation in REQUIREMENT_OPERATIONS:
    register_operation(requirement_operation)


@router.post(f"{REQUIREMENT_PATH}/upload", WRITE_SCOPE, submissions.RequirementDetail)
def requirement_upload(
    request: AuthenticatedRequest,
    uuid: UUID,
    requirement_id: str,
    file: File[UploadedFile],
    replaces: Form[UUID | None] = None,
) -> object:
    """Upload a document. `replaces` is the document to replace."""
    return perform_action(request, uuid, requirement_id, "upload", lambda page: {"replaces": replaces})


@router.post(f"{REQUIREMENT_PATH}/sign-with-file", WRITE_SCOPE, submissions.RequirementDetail)
def requirement_sign_with_file(
    request: AuthenticatedRequest,
    uuid: UUID,
    requirement_id: str,
    file: File[UploadedFile],
    signer: Form[str],
    signed_on: Form[date],
    version: Form[str] = "",
) -> object:
    """Record your side's signature with the signed PDF."""
    signature_fields: Mapping[str, object] = {"signer": signer, "signed_on": signed_on, "version": version or None}
    return perform_action(request, uuid, requirement_id, "sign", lambda page: dict(signature_fields))


@router.get("/integrations/{uuid:uuid}/meetings", READ_SCOPE, list[submissions.MeetingOut])
def list_meetings(request: AuthenticatedRequest, uuid: UUID) -> object:
    """List the meetings of an integration, newest first."""
    return [
        submissions.serialize_meeting(meeting)
        for meeting in Meeting.objects.filter(integration=load_visible_integration(request, uuid))
    ]


@router.get("/meetings/{uuid:uuid}/calendar", READ_SCOPE, None)
def get_meeting_calendar(request: AuthenticatedRequest, uuid: UUID) -> object:
    """Download a scheduled meeting in iCalendar format."""
    return download_meeting(request, uuid)


@router.get("/documents/{uuid:uuid}", READ_SCOPE, None)
def get_document(request: HttpRequest, uuid: UUID) -> object:
    """Download a document."""
    file_response = download_document(request, uuid)
    assert file_response.file_to_stream
    with file_response.file_to_stream as file:  # read completely, so that disconnected clients don't leave files open
        body = file.read()
    headers = {name: file_response[name] for name in ("Content-Type", "Content-Disposition", "X-Content-Type-Options")}
    return HttpResponse(body, headers=headers)
