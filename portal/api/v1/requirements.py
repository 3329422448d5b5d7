"""Operations for requirements, documents, and meetings, based on the forms of the requirement pages."""

from collections.abc import Callable
from types import SimpleNamespace
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import File, Form
from ninja.files import UploadedFile

from integrations.programs.requirements import RequirementKind
from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Meeting, RequirementFulfillment
from integrations.submissions.presenters import RequirementRow, build_row, list_step_rows, list_tier_rows
from integrations.submissions.selectors import context
from integrations.submissions.services import credentials, documents
from integrations.submissions.services.agreements import get_compared_agreement
from integrations.submissions.services.requirements import lock_requirement
from integrations.submissions.views.requirements.agreements import (
    build_page_statement,
    download_agreement,
    get_agreement,
    list_changes,
)
from integrations.submissions.views.requirements.documents import download_document
from integrations.submissions.views.requirements.meetings import download_meeting, get_meeting
from integrations.submissions.views.requirements.opening import list_actions
from integrations.submissions.views.requirements.page import RequirementPage, load_page
from portal.accounts.requests import AuthenticatedRequest
from portal.api.conditional import IfMatch, get_if_match_version, set_etag
from portal.api.form_data import build_form_data, validate_form
from portal.api.routing import RowId, ScopedRouter
from portal.api.v1.integrations import READ_SCOPE, WRITE_SCOPE
from portal.api.v1.programs import build_answer_schema
from portal.api.v1.requirement_operations import REQUIREMENT_OPERATIONS, ActionBody, RequirementOperation
from portal.api.v1.schemas import submissions
from portal.core.errors import ActionRefused, StaleVersionError
from portal.core.value_types import NamedValues

router = ScopedRouter("Requirements")
REQUIREMENT_PATH = "/integrations/{uuid:uuid}/requirements/{str:requirement_id}"
STALE_VERSION_MESSAGE = "The requirement changed. Fetch it again, then retry with the new ETag."


def perform_action(
    request: AuthenticatedRequest,
    uuid: UUID,
    requirement_id: str,
    name: str,
    build_fields: Callable[[RequirementPage], NamedValues],
) -> RequirementPage:
    """Perform an action of the requirement page with its form. `build_fields` returns the form fields."""
    page = load_page(request, uuid, requirement_id)
    action = list_actions(page.requirement.kind).get(name)
    if action is None or not context.is_applicable(page.requirement, page.integration):
        raise ActionRefused(
            "This action isn't available. See the requirement's `available_actions`.", "invalid-transition"
        )
    # Users without permission learn that before their input is validated.
    if not (action.is_available(page) or not page.is_open or page.can_answer or page.can_decide):
        raise ActionRefused("You don't have permission to do this.", "forbidden")
    files = request.FILES  # parse the body before replacing POST
    with transaction.atomic():
        page = _lock_read_version(request, page)
        is_answer = name in ("answer", "draft")
        draft_version = page.draft.version if is_answer and page.draft else 0
        # The versions of the answer and the draft that the client read
        versions = {"answered": page.state.version, "version": draft_version} if is_answer else {}
        request.POST = build_form_data(**build_fields(page), **versions)  # type: ignore[assignment]
        # The form of the page holds the rules, so that both ways to act can't differ.
        form = action(page, data=request.POST, files=files)
        names = {key: f"answers.{key}" for key in form.fields} if is_answer else {}
        result = validate_form(form, names).perform()
    if isinstance(result, HttpResponseBase):  # the page would show both versions side by side
        raise StaleVersionError(STALE_VERSION_MESSAGE)
    return load_page(request, uuid, requirement_id)


def _lock_read_version(request: AuthenticatedRequest, page: RequirementPage) -> RequirementPage:
    """With If-Match, return the page as it is under the lock. Raises ActionRefused if it has another version."""
    version = get_if_match_version(request, None)
    if version is None:
        return page
    lock_requirement(page.integration, page.requirement.id)
    page = load_page(request, page.integration.uuid, page.requirement.id)
    if version != page.state.version:
        raise StaleVersionError(STALE_VERSION_MESSAGE)
    return page


def describe_requirement(row: RequirementRow, step: str, **details: object) -> SimpleNamespace:
    """Return the fields of `RequirementOut` and, with details, of `RequirementDetail`."""
    fulfillment = row.state or RequirementFulfillment()
    # The result of the checks, or why a statement must be confirmed again
    summary = fulfillment.void_reason or fulfillment.summary
    return SimpleNamespace(row=row, fulfillment=fulfillment, step=step, summary=summary, **details)


def build_detail(request: HttpRequest, page: RequirementPage) -> SimpleNamespace:
    """Return the fields of `RequirementDetail` for the current user, and set the ETag."""
    set_etag(request, page.state.version)
    integration = page.integration
    requirement = page.requirement
    step = integration.edition.find_step(requirement)
    actions = list_actions(page.requirement.kind).items()
    return describe_requirement(
        build_row(integration, requirement, page.now),
        step.key if step else "",
        questions=build_answer_schema(requirement),
        # No operation reveals the secret of a test account.
        available_actions=[name for name, action in actions if name != "reveal" and action.is_available(page)],
        accept=requirement.accept if requirement.kind == RequirementKind.DOCUMENT else [],
        documents=documents.list_current_documents(integration, requirement.id),
        credentials=credentials.list_current_credentials(integration, requirement.id),
        meeting=get_meeting(page),
        agreement=describe_agreement(page) if requirement.agreement else None,
    )


def describe_agreement(page: RequirementPage) -> SimpleNamespace:
    """Return the fields of `AgreementTextOut`."""
    agreement = get_agreement(page)
    statement = build_page_statement(page)
    return SimpleNamespace(
        version=agreement.version,
        text=agreement.text,
        digest=agreement.digest,
        statement=statement,
        document=agreement.document and agreement.document.uuid,
        sha256=agreement.document and agreement.document.sha256,
        changes=list_changes(agreement, get_compared_agreement(agreement)),
    )


@router.get("/integrations/{uuid:uuid}/requirements", READ_SCOPE, list[submissions.RequirementOut])
def list_requirements(request: AuthenticatedRequest, uuid: UUID) -> list[SimpleNamespace]:
    """List the applicable requirements in the order of steps, then of tiers."""
    integration = load_visible_integration(request, uuid)
    now = timezone.now()
    rows = [(row, step.step.key) for step in list_step_rows(integration, now) for row in step.rows]
    # A requirement of a tier can also belong to a step, which is listed first.
    known_ids = {row.requirement.id for row, _ in rows}
    for tier in list_tier_rows(integration, now):
        rows += [(row, tier.tier.key) for row in tier.all_rows if row.requirement.id not in known_ids]
    return [describe_requirement(row, step) for row, step in rows]


@router.get(REQUIREMENT_PATH, READ_SCOPE, submissions.RequirementDetail)
def get_requirement(request: AuthenticatedRequest, uuid: UUID, requirement_id: str) -> SimpleNamespace:
    """Get a requirement with its questions, answers, and available actions."""
    return build_detail(request, load_page(request, uuid, requirement_id))


def register_operation(action: RequirementOperation) -> None:
    """Register the operation of a table row."""

    def operation(
        request: AuthenticatedRequest,
        uuid: UUID,
        requirement_id: str,
        body: ActionBody,
        if_match: IfMatch = None,
    ) -> SimpleNamespace:
        return build_detail(request, perform_action(request, uuid, requirement_id, action.name, body.build_fields))

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
    if_match: IfMatch = None,
) -> SimpleNamespace:
    """Upload a document. `replaces` is the document to replace."""
    page = perform_action(request, uuid, requirement_id, "upload", lambda page: {"replaces": replaces})
    return build_detail(request, page)


@router.post(f"{REQUIREMENT_PATH}/upload_agreement", WRITE_SCOPE, submissions.RequirementDetail)
def requirement_upload_agreement(
    request: AuthenticatedRequest,
    uuid: UUID,
    requirement_id: str,
    file: File[UploadedFile],
    signer: Form[str],
    title: Form[str],
    digest: Form[str],
    if_match: IfMatch = None,
) -> SimpleNamespace:
    """Upload a PDF of the agreement that both sides signed outside the portal."""
    fields = {"signer": signer, "title": title, "digest": digest}
    page = perform_action(request, uuid, requirement_id, "upload_agreement", lambda page: fields)
    return build_detail(request, page)


@router.get("/integrations/{uuid:uuid}/meetings", READ_SCOPE, list[submissions.MeetingOut])
def list_meetings(request: AuthenticatedRequest, uuid: UUID) -> QuerySet[Meeting]:
    """List the meetings of an integration, newest first."""
    return Meeting.objects.filter(integration=load_visible_integration(request, uuid))


@router.get("/meetings/{uuid:uuid}/calendar", READ_SCOPE, None)
def get_meeting_calendar(request: AuthenticatedRequest, uuid: UUID) -> HttpResponseBase:
    """Download a scheduled meeting in iCalendar format."""
    return download_meeting(request, uuid)


@router.get("/agreements/{int:pk}", READ_SCOPE, None)
def get_agreement_pdf(request: HttpRequest, pk: RowId) -> HttpResponse:
    """Download the PDF of an agreement that was signed in the portal. For owners and program staff."""
    return download_agreement(request, pk)


@router.get("/documents/{uuid:uuid}", READ_SCOPE, None)
def get_document(request: HttpRequest, uuid: UUID) -> HttpResponseBase:
    """Download a document."""
    file_response = download_document(request, uuid)
    assert file_response.file_to_stream
    with file_response.file_to_stream as file:  # read completely, so that disconnected clients don't leave files open
        body = file.read()
    headers = {name: file_response[name] for name in ("Content-Type", "Content-Disposition", "X-Content-Type-Options")}
    return HttpResponse(body, headers=headers)
