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
from integrations.submissions.forms.drafts import bind, filled, typed
from integrations.submissions.models import Draft
from integrations.submissions.services import drafts
from integrations.submissions.views.drafts_shared import companies_of, has_text, load_draft, program_of
from portal.api.conditional import etag, if_match, located
from portal.api.problems import Problem, fit
from portal.api.routing import Done, Page, Paged, Room, Strict, listed, posted
from portal.api.v1.integrations import READ, STEPS, WRITE, again
from portal.api.v1.schemas import submissions
from portal.core import repository_urls
from portal.core.errors import NotAllowed

room = Room("Drafts")


class DraftFields(Strict):
    """What is typed; what is left out stays. `GET /programs/{key}/questions` says what each takes."""

    name: str | None = None
    description: str | None = None
    category: str | None = None
    offerings: list[str] | None = Field(None, max_length=20)
    repository_address: str | None = None
    homepage: str | None = None


class DraftIn(DraftFields):
    """`company`: its slug, needed where you edit for several."""

    program: str
    company: str | None = None


def problems_of(draft: Draft) -> dict[str, list[str]]:
    """What is not fit yet, by field."""
    if draft.integration_id is not None or draft.sent_at is not None:
        return {}
    form = bind(*program_of(draft), draft.data)
    return {name: [str(each) for each in said] for name, said in form.errors.items()}


def told(draft: Draft) -> dict[str, Any]:
    return submissions.draft_out(draft, problems_of(draft))


def start_draft(request: HttpRequest, uuid: UUID) -> Draft:
    """A draft of an integration, not of one requirement's form. Raises Http404."""
    found = load_draft(request, uuid)
    if found.requirement_id:
        raise Http404("This draft does not exist, or it is not visible to you.")
    return found


def kept(request: HttpRequest, found: Draft, body: DraftFields, version: int) -> Draft:
    """Keep what was typed on top of the version that the caller read."""
    given = {key: value for key, value in body.model_dump().items() if value is not None}
    given = {key: value for key, value in given.items() if key not in ("program", "company")}
    data = typed(posted(**given), found.data)
    if "offerings" not in given:
        data["offerings"] = found.data.get("offerings", [])
    if not has_text(data) and not has_text(found.data):
        return found
    return drafts.save(found, data, version=version, by=request.user, now=timezone.now())


@room.get("/drafts", READ, Page[submissions.DraftOut])
def list_drafts(request: HttpRequest, response: HttpResponse, paged: Query[Paged]) -> Any:
    """What your companies began and did not send, newest first."""
    mine = Draft.objects.filter(
        partner_id__in=list(permissions.roles_of(request.user)), requirement_id="", sent_at=None
    )
    return listed(request, response, mine.select_related("partner", "integration"), paged, told)


@room.post("/drafts", WRITE, submissions.DraftOut, status=201)
def begin_draft(request: HttpRequest, response: HttpResponse, body: DraftIn) -> Any:
    """Begin an integration. Nothing is sent before you say so."""
    if body.program not in PROGRAMS:
        raise Problem("unfit", "There is no such program.", fields=[("program", "There is no such program.")])
    draft = drafts.open_start(_company(request, body.company), body.program, by=request.user, now=timezone.now())
    located(request, response, "drafts", draft.uuid)
    return told(kept(request, draft, body, draft.version))


def _company(request: HttpRequest, slug: str | None) -> Partner:
    """The company that it is for. Raises Problem where it has to be said."""
    companies = companies_of(request.user)
    if not companies:
        raise NotAllowed(permissions.refusal("may_edit"), "may")
    chosen = companies if slug is None else [company for company in companies if company.slug == slug]
    if len(chosen) != 1:
        names = ", ".join(company.slug for company in companies)
        raise Problem("unfit", f"Say for which company: {names}.", fields=[("company", "Choose one of yours.")])
    return chosen[0]


@room.get("/drafts/{uuid:uuid}", READ, submissions.DraftOut)
def get_draft(request: HttpRequest, response: HttpResponse, uuid: UUID) -> Any:
    """A draft, with what is not fit yet."""
    found = start_draft(request, uuid)
    etag(response, found.version)
    return told(found)


@room.patch("/drafts/{uuid:uuid}", WRITE, submissions.DraftOut)
def save_draft(
    request: HttpRequest, response: HttpResponse, uuid: UUID, body: DraftFields,
    if_match_: str | None = Header(None, alias="If-Match"),
) -> Any:  # fmt: skip
    """Change a draft. With If-Match, a colleague's newer version is not overwritten: 412."""
    found, seen = start_draft(request, uuid), if_match(request)
    saved = kept(request, found, body, found.version if seen is None else seen)
    etag(response, saved.version)
    return told(saved)


@room.post("/drafts/{uuid:uuid}/prefill", WRITE, submissions.DraftOut)
def prefill_draft(request: HttpRequest, uuid: UUID) -> Any:
    """Ask GitHub about the repository and fill in what is still blank."""
    found = start_draft(request, uuid)
    if not permissions.edits(found.partner, request.user):
        raise NotAllowed(permissions.refusal("may_edit"), "may")
    answers = repository_urls.look_up(str(found.data.get("repository_address", "")))
    data = filled(found.data, answers)
    return told(drafts.save(found, data, version=found.version, by=request.user, now=timezone.now()))


@room.post("/drafts/{uuid:uuid}/submit", STEPS, submissions.IntegrationWhole, status=201)
def submit_draft(
    request: HttpRequest, response: HttpResponse, uuid: UUID,
    if_match_: str | None = Header(None, alias="If-Match"),
) -> Any:  # fmt: skip
    """Send it: the draft becomes an integration, once, however often it is sent."""
    found, seen = start_draft(request, uuid), if_match(request)
    if found.integration is not None:
        located(request, response, "integrations", found.integration.uuid)
        return again(request, found.integration.uuid)
    form = fit(bind(*program_of(found), found.data))
    version = found.version if seen is None else seen
    row = drafts.send(found, form.facts(found.data), version=version, by=request.user, now=timezone.now())
    located(request, response, "integrations", row.uuid)
    return again(request, row.uuid)


@room.delete("/drafts/{uuid:uuid}", WRITE)
def discard_draft(request: HttpRequest, uuid: UUID) -> Any:
    """Throw it away."""
    drafts.discard(start_draft(request, uuid), by=request.user, now=timezone.now())
    return Done(said="The draft was thrown away.")
