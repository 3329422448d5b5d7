"""Where does each integration stand, what happened, and which steps are there? The pages' rows, and their one door."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Header, Query
from pydantic import Field

from integrations.partners import permissions
from integrations.reviews.views import edition_migration
from integrations.reviews.views.transitions import StepForm, transition_of
from integrations.submissions.forms.drafts import StartForm
from integrations.submissions.forms.filters import ListFilter
from integrations.submissions.forms.findings import SayForm
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import creation, findings
from integrations.submissions.services.transitions import actions, perform
from integrations.submissions.views.edit import changed_facts, initial_of
from integrations.submissions.views.lists import fitting
from integrations.submissions.views.mixins import load, only
from integrations.submissions.workflow import guards
from portal.api.conditional import etag, if_match
from portal.api.problems import fit
from portal.api.routing import Page, Paged, Room, Strict, listed, posted
from portal.api.v1.schemas import submissions
from portal.core.errors import NotAllowed

room = Room("Integrations")
READ, WRITE, STEPS = "integrations:read", "integrations:write", "steps:take"


class Filter(Paged):
    """The same filters as the list has."""

    q: str | None = Field(None, max_length=100, description="Words in name, repository or company.")
    program: str | None = Field(None, max_length=60)
    stage: str | None = Field(None, max_length=60)
    category: str | None = Field(None, max_length=60)
    holder: str | None = Field(None, max_length=60, description="Whose turn it is.")
    standing: str | None = Field(None, max_length=60)


class FactsIn(Strict):
    """What to change; what is left out stays."""

    name: str | None = None
    description: str | None = None
    category: str | None = None
    offerings: list[str] | None = None
    homepage: str | None = None
    repository_address: str | None = None


class StepTaken(Strict):
    """What a step is taken with. `version`: the integration as it was read; an older one is refused."""

    note: str = Field("", max_length=4000)
    version: int | None = Field(None, ge=0, le=2**31 - 1)
    tier: str | None = Field(None, description="The tier, for `request_tier`.")
    waits_for: str | None = Field(None, description="Whom it waits for, for `put_on_hold`.")


class SayIn(Strict):
    """`internal`: a note of the program that the company never sees."""

    body: str
    internal: bool = False


class MoveIn(Strict):
    to: str
    note: str = ""


def whole(request: HttpRequest, row: Integration) -> dict[str, Any]:
    now = timezone.now()
    left = context.missing_next(row, now) if row.is_open else ()
    waits = [{"requirement": r.id, "title": r.title, "why": r.why} for r in left]
    return submissions.integration_out(row) | {"left": waits}


def again(request: HttpRequest, uuid: UUID) -> dict[str, Any]:
    """The integration as it stands after a write."""
    return whole(request, load(request, uuid))


@room.get("/integrations", READ, Page[submissions.IntegrationOut])
def list_integrations(request: HttpRequest, response: HttpResponse, wanted: Query[Filter]) -> Any:
    """The integrations that are yours to see, newest first.

    For a company its own; for people of the program all of them.
    """
    form = fit(ListFilter({key: value or "" for key, value in wanted.model_dump().items()}))
    mine = Integration.objects.visible_to(request.user).select_related("partner", "reviewer")
    return listed(request, response, fitting(mine, form.cleaned_data), wanted, submissions.integration_out)


@room.get("/integrations/{uuid:uuid}", READ, submissions.IntegrationWhole)
def get_integration(request: HttpRequest, response: HttpResponse, uuid: UUID) -> Any:
    """One integration: where it stands, whose turn it is, what is left before the next step."""
    row = load(request, uuid)
    etag(response, row.version)
    return whole(request, row)


@room.patch("/integrations/{uuid:uuid}", WRITE, submissions.IntegrationWhole)
def change_integration(
    request: HttpRequest, uuid: UUID, body: FactsIn, if_match_: str | None = Header(None, alias="If-Match")
) -> Any:
    """Change what it says of itself.

    With If-Match, what was changed meanwhile is not overwritten: 412.
    """
    found = load(request, uuid)
    only(permissions.may_edit, found, request.user)
    if not found.is_open:
        raise NotAllowed("These facts can be changed while the integration is open.", "gone")
    seen = if_match(request)
    if seen is not None and seen != found.version:
        raise NotAllowed("It was changed meanwhile. Read it again.", "stale")
    typed = initial_of(found) | body.model_dump(exclude_none=True)
    form = fit(StartForm(found.program, found.edition, posted(**typed)))
    creation.change_facts(found, changed_facts(found, form), by=request.user, now=timezone.now())
    return again(request, uuid)


@room.get("/integrations/{uuid:uuid}/events", READ, Page[submissions.EventOut])
def list_events(request: HttpRequest, response: HttpResponse, uuid: UUID, paged: Query[Paged]) -> Any:
    """What happened, newest first; the program also sees what is internal."""
    found = load(request, uuid)
    events = found.events.all() if submissions.sees_notes(found, request.user) else found.events.shown_to_partner()
    return listed(request, response, events, paged, submissions.event_out, key="seq")


@room.get("/integrations/{uuid:uuid}/steps", READ, list[submissions.StepOut])
def list_steps(request: HttpRequest, uuid: UUID) -> Any:
    """The steps that you may take from here, each with what stands in the way."""
    return [submissions.step_out(action) for action in actions(load(request, uuid), request.user, now=timezone.now())]


@room.post("/integrations/{uuid:uuid}/steps/{slug:step}", STEPS, submissions.IntegrationWhole)
def take_step(
    request: HttpRequest, uuid: UUID, step: str, body: StepTaken,
    if_match_: str | None = Header(None, alias="If-Match"),
) -> Any:  # fmt: skip
    """Take a step: request the review, withdraw, approve, and so on.

    The same rules as the buttons of the pages; the same mails go out. 409 says what stands in the way. With If-Match
    (or `version`), what was changed since it was read is not decided upon: 412 (or 409).
    """
    found, way = load(request, uuid), transition_of(step)
    seen = body.version if if_match(request) is None else if_match(request)
    typed = posted(**body.model_dump(exclude={"version"}), version=found.version if seen is None else seen)
    form = StepForm(found, way, typed)
    if guards.note_given in way.conditions and not body.note.strip():
        _refuse_first(found, step, request)
    fit(form)
    given = form.cleaned_data
    perform(found, step, by=request.user, note=given["note"], version=seen, now=timezone.now(), **form.inputs())
    if permissions.works_for_program(request.user):
        findings.looked(found, by=request.user, now=timezone.now())
    return again(request, uuid)


def _refuse_first(found: Integration, step: str, request: HttpRequest) -> None:
    """Whoever may not take it hears that before hearing of a missing note."""
    if not any(action.name == step for action in actions(found, request.user, now=timezone.now())):
        perform(found, step, by=request.user, now=timezone.now())


@room.get("/integrations/{uuid:uuid}/messages", READ, Page[submissions.MessageOut])
def list_messages(request: HttpRequest, response: HttpResponse, uuid: UUID, paged: Query[Paged]) -> Any:
    """The thread, newest first; the program's notes only for the program."""
    found = load(request, uuid)
    rows = found.messages.select_related("author")
    if not submissions.sees_notes(found, request.user):
        rows = rows.filter(internal=False)
    return listed(request, response, rows, paged, submissions.message_out)


@room.post("/integrations/{uuid:uuid}/messages", WRITE, submissions.MessageOut, status=201)
def say(request: HttpRequest, uuid: UUID, body: SayIn) -> Any:
    """Write to the other side, or keep a note of the program."""
    found = load(request, uuid)
    only(permissions.may_speak, found, request.user)
    may_note = permissions.may_note(found, request.user)
    if body.internal and not may_note:
        raise NotAllowed(permissions.refusal("may_note"), "may")
    given = fit(SayForm(posted(**body.model_dump()), may_note=may_note)).cleaned_data
    internal = given.get("internal", False)
    said = findings.say(found, given["body"], by=request.user, now=timezone.now(), internal=internal)
    return submissions.message_out(said)


@room.post("/integrations/{uuid:uuid}/edition", "reviews:write", submissions.IntegrationWhole)
def move_to_edition(request: HttpRequest, uuid: UUID, body: MoveIn) -> Any:
    """Move it to another edition of its program. For reviewers."""
    found = for_program(request, uuid)
    given = fit(edition_migration.MoveForm(found, posted(**body.model_dump()))).cleaned_data
    edition_migration.editions.move(found, given["to"], by=request.user, now=timezone.now(), note=given["note"])
    return again(request, uuid)


def for_program(request: HttpRequest, uuid: UUID) -> Integration:
    """Raises Http404 for everybody else."""
    if not permissions.works_for_program(request.user):
        raise Http404("There is nothing here for you.")
    return load(request, uuid)
