"""What does an integration still need, and how is it handed in? Every act is the button of the page, with its form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import File, Form, Header
from ninja.files import UploadedFile

from integrations.programs.schema import Kind
from integrations.submissions.models import Meeting
from integrations.submissions.presenters import requirement_rows, row_of, tier_rows
from integrations.submissions.selectors import context
from integrations.submissions.services import credentials, documents, meetings
from integrations.submissions.views.mixins import load
from integrations.submissions.views.requirements import acts_of
from integrations.submissions.views.requirements.answers import draft_of
from integrations.submissions.views.requirements.documents import document
from integrations.submissions.views.requirements.meetings import meeting_ics, meeting_of
from integrations.submissions.views.requirements.page import Act, open_page
from integrations.submissions.views.requirements.page import Page as Shown
from portal.api.conditional import etag, if_match
from portal.api.problems import Problem, fit
from portal.api.routing import Room, Strict, posted
from portal.api.v1.integrations import READ, WRITE
from portal.api.v1.programs import questions_of
from portal.api.v1.schemas import submissions
from portal.api.v1.schemas.requirements import (
    AcceptIn,
    AnswersIn,
    ConfirmIn,
    GiveIn,
    HoldIn,
    Nothing,
    OneIn,
    ProposeIn,
    ReasonIn,
    SignIn,
    WaiveIn,
)
from portal.core.errors import NotAllowed

room = Room("Requirements")
PLACE = "/integrations/{uuid:uuid}/requirements/{str:requirement_id}"
Fields = dict[str, Any]


def plain(page: Shown, body: Strict) -> Fields:
    return body.model_dump()


def answers(page: Shown, body: Any) -> Fields:
    """Only the requirement's own questions."""
    known = {question.key for question in page.requirement.fields}
    odd = [(f"answers.{key}", "There is no such question here.") for key in body.answers if key not in known]
    if odd:
        raise Problem("unfit", "There is no such question here.", fields=odd)
    return dict(body.answers)


def proposed(page: Shown, body: Any) -> Fields:
    times = {f"time_{number}": moment for number, moment in enumerate(body.times, 1)}
    return times | {"minutes": body.minutes, "place": body.place}


def accepted(page: Shown, body: Any) -> Fields:
    """The moment as the meeting holds it, whatever zone it was said in."""
    meeting = meeting_of(page)
    given = body.time if timezone.is_aware(body.time) else timezone.make_aware(body.time)
    same = next((moment for moment in (meetings.times_of(meeting) if meeting else []) if moment == given), given)
    return {"time": same.isoformat(), "place": body.place}


def given(page: Shown, body: Any) -> Fields:
    return body.model_dump() | {"uuid": body.uuid or uuid4()}


@dataclass(frozen=True, slots=True)
class ApiAct:
    """An act of the pages as an operation. `fields`: from the body to what the page's form takes."""

    name: str
    body: type[Strict]
    says: str
    scope: str = WRITE
    fields: Callable[[Shown, Any], Fields] = plain


REVIEW, CREDENTIALS = "reviews:write", "credentials:write"
ACTS = (
    ApiAct("answer", AnswersIn, "Answer the questions. With If-Match, a newer answer is not overwritten: 412.",
           fields=answers),
    ApiAct("draft", AnswersIn, "Keep answers as a draft; colleagues can go on with it.", fields=answers),
    ApiAct("discard", Nothing, "Throw the draft of the answers away."),
    ApiAct("not_needed", Nothing, "Say that an optional requirement is not needed."),
    ApiAct("confirm", ConfirmIn, "Confirm the statement."),
    ApiAct("remove", OneIn, "Remove a document."),
    ApiAct("sign", SignIn, "Record your side's signature."),
    ApiAct("renew", SignIn, "Sign a new version of what both sides signed."),
    ApiAct("propose", ProposeIn, "Propose times for the meeting.", fields=proposed),
    ApiAct("accept", AcceptIn, "Accept a proposed time.", fields=accepted),
    ApiAct("cancel", ReasonIn, "Cancel the meeting."),
    ApiAct("hold", HoldIn, "Say what was shown in the meeting. For reviewers.", REVIEW),
    ApiAct("give", GiveIn, "Give a test account. Write-only: no operation reads it.", CREDENTIALS, given),
    ApiAct("withdraw", OneIn, "Withdraw a test account; its value is gone.", CREDENTIALS),
    ApiAct("waive", WaiveIn, "Let it count as met until a day. For reviewers.", REVIEW),
    ApiAct("end_waiver", ReasonIn, "End a waiver before its day. For reviewers.", REVIEW),
)  # fmt: skip


def taken(request: HttpRequest, uuid: UUID, requirement_id: str, name: str, fields: Any) -> dict[str, Any]:
    """Press the page's button: the same form, the same function. `fields`: from the page to what is sent."""
    page = open_page(request, uuid, requirement_id)
    act = acts_of(page).get(name)
    if act is None or not context.applies(page.requirement, page.integration):
        raise NotAllowed("This is not offered here. Look at the requirement's acts.", "gone")
    _refuse_outsider(page, act)
    _refuse_late(request, page)
    files = request.FILES  # read first: reading it later would read the body again
    request.POST = posted(**fields(page), **_versions(request, page, name))  # type: ignore[assignment]
    form = act.form(page, data=request.POST, files=files)
    names = {key: f"answers.{key}" for key in form.fields} if name in ("answer", "draft") else {}
    done = act.do(page, fit(form, names))
    if isinstance(done, HttpResponseBase):  # both versions side by side, on the page
        raise NotAllowed("Somebody changed this meanwhile. Read it again.", "stale")
    return whole(open_page(request, uuid, requirement_id))


def _versions(request: HttpRequest, page: Shown, name: str) -> dict[str, int]:
    """What a page of questions carries along: the answer and the draft that the caller read."""
    if name not in ("answer", "draft"):
        return {}
    seen, draft = if_match(request), draft_of(page)
    return {"answered": page.state.version if seen is None else max(seen, 0), "version": draft.version if draft else 0}


def _refuse_late(request: HttpRequest, page: Shown) -> None:
    """Whoever names the version that they read does nothing upon another one."""
    if if_match(request) not in (None, page.state.version):
        raise NotAllowed("Somebody changed this meanwhile. Read it again.", "stale")


def _refuse_outsider(page: Shown, act: Act) -> None:
    """Who has no part in it hears that, not what is wrong with what they sent."""
    if act.offered(page) or not page.is_open or page.can_answer or page.can_decide:
        return
    raise NotAllowed("This is not for you to do here.", "may")


def whole(page: Shown) -> dict[str, Any]:
    """The requirement as one person sees it."""
    row, requirement = row_of(page.integration, page.requirement, page.now), page.requirement
    step = page.integration.edition.step_of(requirement)
    meeting = meeting_of(page) if requirement.kind == Kind.MEETING else None
    kept = documents.current(page.integration, requirement.id) if requirement.kind == Kind.DOCUMENT else []
    known = credentials.current(page.integration, requirement.id) if requirement.kind == Kind.CREDENTIALS else []
    return submissions.requirement_out(row, step.key if step else "") | {
        "questions": questions_of(requirement),
        "answers": page.state.data,
        "acts": [name for name, act in acts_of(page).items() if name != "reveal" and act.offered(page)],
        "items": list(requirement.meeting_items),
        "accept": list(requirement.accept) if requirement.kind == Kind.DOCUMENT else [],
        "documents": [_same(each, submissions.DocumentOut) for each in kept],
        "credentials": [_same(each, submissions.CredentialOut) for each in known],
        "meeting": submissions.meeting_out(meeting) if meeting else None,
    }


def _same(row: Any, shape: type[Any]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in shape.model_fields}


@room.get("/integrations/{uuid:uuid}/requirements", READ, list[submissions.RequirementOut])
def list_requirements(request: HttpRequest, uuid: UUID) -> Any:
    """Every requirement that applies, in the path's order, then those of tiers."""
    found, now = load(request, uuid), timezone.now()
    path = [
        submissions.requirement_out(row, rows.step.key) for rows in requirement_rows(found, now) for row in rows.rows
    ]
    known = {each["id"] for each in path}
    tiers = [(tier.tier.key, row) for tier in tier_rows(found, now) for row in _all_rows(tier)]
    return path + [submissions.requirement_out(row, key) for key, row in tiers if row.requirement.id not in known]


def _all_rows(tier: Any) -> list[Any]:
    return [*tier.rows, *(row for _, rows in tier.groups for row in rows)]


@room.get(PLACE, READ, submissions.RequirementWhole)
def get_requirement(request: HttpRequest, response: HttpResponse, uuid: UUID, requirement_id: str) -> Any:
    """One requirement: its questions, its answers, and the acts that you may take now."""
    page = open_page(request, uuid, requirement_id)
    etag(response, page.state.version)
    return whole(page)


def offer(act: ApiAct) -> None:
    """An operation for one act of the table."""

    def operation(
        request: HttpRequest, response: HttpResponse, uuid: UUID, requirement_id: str, body: Any,
        if_match_: str | None = Header(None, alias="If-Match"),
    ) -> Any:  # fmt: skip
        said = taken(request, uuid, requirement_id, act.name, lambda page: act.fields(page, body))
        etag(response, said["version"])
        return said

    operation.__name__ = f"requirement_{act.name}"
    operation.__doc__ = act.says
    operation.__annotations__ = operation.__annotations__ | {"body": act.body}
    room.post(f"{PLACE}/{act.name}", act.scope, submissions.RequirementWhole)(operation)


for each in ACTS:
    offer(each)


@room.post(f"{PLACE}/upload", WRITE, submissions.RequirementWhole)
def requirement_upload(
    request: HttpRequest, uuid: UUID, requirement_id: str, file: File[UploadedFile], replaces: Form[UUID | None] = None
) -> Any:
    """Hand in a document. `replaces`: the one in whose place it comes."""
    return taken(request, uuid, requirement_id, "upload", lambda page: {"replaces": replaces})


@room.post(f"{PLACE}/sign_with_file", WRITE, submissions.RequirementWhole)
def requirement_sign_with_file(
    request: HttpRequest, uuid: UUID, requirement_id: str, file: File[UploadedFile], signer: Form[str],
    signed_on: Form[date], version: Form[str] = "",
) -> Any:  # fmt: skip
    """Record your side's signature, with the signed document as PDF."""
    given: Mapping[str, Any] = {"signer": signer, "signed_on": signed_on, "version": version or None}
    return taken(request, uuid, requirement_id, "sign", lambda page: dict(given))


@room.get("/integrations/{uuid:uuid}/meetings", READ, list[submissions.MeetingOut])
def list_meetings(request: HttpRequest, uuid: UUID) -> Any:
    """Every meeting of an integration, newest first."""
    return [submissions.meeting_out(meeting) for meeting in Meeting.objects.filter(integration=load(request, uuid))]


@room.get("/meetings/{uuid:uuid}/calendar", READ, None)
def get_meeting_calendar(request: HttpRequest, uuid: UUID) -> Any:
    """An agreed meeting as calendars take it (iCalendar)."""
    return meeting_ics(request, uuid)


@room.get("/documents/{uuid:uuid}", READ, None)
def get_document(request: HttpRequest, uuid: UUID) -> Any:
    """A file that was handed in."""
    found = document(request, uuid)
    assert found.file_to_stream
    with found.file_to_stream as file:  # whole: what is not read to its end by a client leaves no file open
        body = file.read()
    headers = {name: found[name] for name in ("Content-Type", "Content-Disposition", "X-Content-Type-Options")}
    return HttpResponse(body, headers=headers)
