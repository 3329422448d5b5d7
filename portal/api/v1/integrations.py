"""Operations for integrations: list, details, events, transitions, and messages."""

from typing import Annotated
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Query
from pydantic import Field

from integrations.partners import permissions, refusals
from integrations.reviews.forms.email_draft import EmailDraftForm
from integrations.reviews.forms.transitions import EditionMigrationForm, TransitionForm
from integrations.reviews.views.transitions import get_transition
from integrations.submissions.access import load_visible_integration, require_permission
from integrations.submissions.forms.drafts import IntegrationForm
from integrations.submissions.forms.filters import IntegrationFilterForm
from integrations.submissions.forms.findings import MessageForm
from integrations.submissions.models import Integration, ReviewMessage
from integrations.submissions.selectors.filtered_integrations import filter_integrations
from integrations.submissions.selectors.history import list_visible_events
from integrations.submissions.services import creation, edition_migration as editions, findings
from integrations.submissions.services.transitions import (
    AvailableTransition,
    list_available_transitions,
    perform_transition,
)
from integrations.submissions.views.edit import build_changes, build_initial_data
from integrations.submissions.workflow.states import STAGE_LABELS, ListingStatus, ResponsibleParty
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts.requests import AuthenticatedRequest
from portal.api.choices import CategoryFilter, FilterBy, ProgramFilter
from portal.api.conditional import IfMatch, get_if_match_version, set_etag
from portal.api.form_data import build_form_data, clean, validate_form
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.routing import ScopedRouter, StrictSchema
from portal.api.v1.schemas import submissions
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues

router = ScopedRouter("Integrations")
READ_SCOPE = "integrations:read"
WRITE_SCOPE = "integrations:write"
TRANSITION_SCOPE = "transitions:write"


class IntegrationFilterParams(PaginationParams):
    """Filters of the integration list."""

    q: str = Field("", max_length=100, description="Text in the name, repository, or partner.")
    program: ProgramFilter = ""
    stage: Annotated[str, FilterBy(STAGE_LABELS)] = ""
    category: CategoryFilter = ""
    responsible_party: Annotated[str, FilterBy(ResponsibleParty.values)] = ""
    listing_status: Annotated[str, FilterBy(ListingStatus.values)] = ""


class IntegrationUpdateIn(StrictSchema):
    """Changes of an integration. Fields that are omitted or null stay unchanged."""

    name: str | None = None
    description: str | None = None
    category: str | None = None
    offerings: list[str] | None = None
    homepage: str | None = None
    repository_address: str | None = None


class EmailDraftIn(StrictSchema):
    """Subject and Markdown of the email to the partner, instead of the template's text."""

    subject: str
    body: str


class TransitionIn(StrictSchema):
    """Input of a transition. `version` is the integration's version that you read. Older versions are refused."""

    note: str = Field("", max_length=4000)
    version: int | None = Field(None, ge=0, le=2**31 - 1)
    tier: str | None = Field(None, description="Tier for `request_tier`.")
    waits_for: str | None = Field(None, description="Party to wait for, for `put_on_hold`.")
    email: EmailDraftIn | None = Field(
        None, description="Email for `approve`, `request_changes`, `put_on_hold`, and `decline`."
    )
    confirm_name: str | None = Field(None, description="Name of the integration, for `withdraw` and `archive`.")


class MessageIn(StrictSchema):
    """Message. `internal` makes it a note that only program staff can see."""

    body: str
    internal: bool = False


class EditionMigrationIn(StrictSchema):
    to: str
    note: str = ""


@router.get("/integrations", READ_SCOPE, CursorPage[submissions.IntegrationOut])
def list_integrations(request: AuthenticatedRequest, params: Query[IntegrationFilterParams]) -> Page[Integration]:
    """List the integrations that you can see, newest first. Program staff can see all of them."""
    form = validate_form(IntegrationFilterForm(data=params.model_dump(exclude={"after", "limit"})))
    visible_integrations = Integration.objects.visible_to(request.user).select_related("partner", "reviewer")
    return paginate(request, filter_integrations(visible_integrations, form.cleaned_data), params)


@router.get("/integrations/{uuid:uuid}", READ_SCOPE, submissions.IntegrationDetail)
def get_integration(request: AuthenticatedRequest, uuid: UUID) -> Integration:
    """Get an integration with its stage, next action, and open requirements."""
    row = load_visible_integration(request, uuid)
    set_etag(request, row.version)
    return row


@router.patch("/integrations/{uuid:uuid}", WRITE_SCOPE, submissions.IntegrationDetail)
def change_integration(
    request: AuthenticatedRequest, uuid: UUID, body: IntegrationUpdateIn, if_match: IfMatch = None
) -> Integration:
    """Change an integration's details. With If-Match, the response is 412 if a newer version exists."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_edit, integration, request.user)
    version = get_if_match_version(request, None)
    # The form needs all fields, but only those that differ are written, so that changes of others stay.
    initial = build_initial_data(integration)
    data = build_form_data(**initial | body.model_dump(exclude_none=True))
    form = validate_form(IntegrationForm(integration.program, integration.edition, data=data, initial=initial))
    changes = build_changes(integration, form)
    creation.change_description(integration, changes, actor=request.user, now=timezone.now(), version=version)
    return get_integration(request, uuid)


@router.get("/integrations/{uuid:uuid}/events", READ_SCOPE, CursorPage[submissions.EventOut])
def list_events(request: AuthenticatedRequest, uuid: UUID, pagination: Query[PaginationParams]) -> Page[AuditEvent]:
    """List events, newest first. Program staff also see internal events."""
    events = list_visible_events(load_visible_integration(request, uuid), request.user)
    return paginate(request, events, pagination, key="seq")


@router.get("/integrations/{uuid:uuid}/transitions", READ_SCOPE, list[submissions.TransitionOut])
def list_transitions(request: AuthenticatedRequest, uuid: UUID) -> list[AvailableTransition]:
    """List the transitions available to you, with blockers."""
    return list_available_transitions(load_visible_integration(request, uuid), request.user, now=timezone.now())


@router.post(
    "/integrations/{uuid:uuid}/transitions/{slug:transition_name}", TRANSITION_SCOPE, submissions.IntegrationDetail
)
def perform_named_transition(
    request: AuthenticatedRequest, uuid: UUID, transition_name: str, body: TransitionIn, if_match: IfMatch = None
) -> Integration:
    """Perform a transition, such as request review, withdraw, or approve.

    The same rules apply as on pages, and the same emails are sent. 409 names the blockers. With If-Match or `version`,
    the response is 412 or 409 if the integration has changed.
    """
    integration = load_visible_integration(request, uuid)
    transition = get_transition(transition_name)
    # Without a version, the client decides about the integration as it is when the lock is held.
    read_version = get_if_match_version(request, body.version)
    now = timezone.now()
    form_fields = body.model_dump(exclude={"email"}) | {
        "version": integration.version if read_version is None else read_version
    }
    form = TransitionForm(integration, transition, data=build_form_data(**form_fields))
    if not form.is_valid():
        _refuse_unavailable_transition(integration, transition_name, request)
    validate_form(form)
    inputs = {"note": form.cleaned_data["note"], **form.get_inputs(), **_get_email(transition_name, body.email)}
    perform_transition(integration, transition_name, actor=request.user, version=read_version, now=now, **inputs)
    # What staff did themselves isn't new to them.
    if permissions.is_program_staff(request.user):
        findings.update_read_marker(integration, actor=request.user, now=timezone.now())
    return get_integration(request, uuid)


def _get_email(transition_name: str, email: EmailDraftIn | None) -> NamedValues:
    """Return the valid email as input of a transition that has one."""
    if email is None:
        return {}
    if not TRANSITION_OPTIONS[transition_name].has_editable_email:
        raise ActionRefused("You can't edit the email of this transition.", "invalid-transition")
    form = EmailDraftForm(data=build_form_data(**email.model_dump()), prefix="")
    return {"email": validate_form(form, {"subject": "email.subject", "body": "email.body"}).cleaned_data}


def _refuse_unavailable_transition(integration: Integration, name: str, request: AuthenticatedRequest) -> None:
    """Report an unavailable transition before missing input."""
    actions = list_available_transitions(integration, request.user, now=timezone.now())
    if name not in [action.name for action in actions]:
        perform_transition(integration, name, actor=request.user, now=timezone.now())


@router.get("/integrations/{uuid:uuid}/messages", READ_SCOPE, CursorPage[submissions.MessageOut])
def list_messages(
    request: AuthenticatedRequest, uuid: UUID, pagination: Query[PaginationParams]
) -> Page[ReviewMessage]:
    """List messages, newest first. Only program staff see notes."""
    integration = load_visible_integration(request, uuid)
    rows = integration.messages.select_related("author")
    if not permissions.can_view_notes(integration, request.user):
        rows = rows.filter(internal=False)
    return paginate(request, rows, pagination)


@router.post("/integrations/{uuid:uuid}/messages", WRITE_SCOPE, submissions.MessageOut, status=201)
def create_message(request: AuthenticatedRequest, uuid: UUID, body: MessageIn) -> ReviewMessage:
    """Send a message, or add a note of the program."""
    integration = load_visible_integration(request, uuid)
    require_permission(permissions.can_post_message, integration, request.user)
    # For users who can't write notes, the form ignores the field, and the partner would see the note as a message.
    if body.internal:
        refusals.require_permission(permissions.can_write_note, integration, request.user)
    can_note = permissions.can_write_note(integration, request.user)
    values = clean(MessageForm(data=build_form_data(**body.model_dump()), can_write_note=can_note))
    is_internal = values.get("internal", False)
    now = timezone.now()
    return findings.post_message(integration, values["body"], actor=request.user, now=now, is_internal=is_internal)


@router.post("/integrations/{uuid:uuid}/edition", "reviews:write", submissions.IntegrationDetail)
def move_to_edition(request: AuthenticatedRequest, uuid: UUID, body: EditionMigrationIn) -> Integration:
    """Move an integration to another edition of its program. For reviewers."""
    integration = load_as_program_staff(request, uuid)
    values = clean(EditionMigrationForm(integration, data=build_form_data(**body.model_dump())))
    now = timezone.now()
    editions.migrate_edition(integration, values["to"], actor=request.user, now=now, note=values["note"])
    return get_integration(request, uuid)


def require_program_staff(request: HttpRequest) -> None:
    """Raise Http404 for other users."""
    if not permissions.is_program_staff(request.user):
        raise Http404("Not found. This operation is for program staff.")


def load_as_program_staff(request: AuthenticatedRequest, uuid: UUID) -> Integration:
    """Load an integration for program staff. Raises Http404 for other users."""
    require_program_staff(request)
    return load_visible_integration(request, uuid)
