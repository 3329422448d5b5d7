"""Who else works on the same thing, and how are two companies introduced? Names pass when both agreed, never before."""

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
from integrations.submissions.forms.introductions import AskForm
from integrations.submissions.models import Integration, Introduction
from integrations.submissions.selectors.similar import Overlap, behind, overlaps_of, work_of
from integrations.submissions.services import introductions
from integrations.submissions.views.drafts_shared import neighbours
from integrations.submissions.views.introductions import ANSWERS, load_introduction
from integrations.submissions.views.mixins import load
from portal.api.conditional import located
from portal.api.problems import fit
from portal.api.routing import Page, Paged, Room, Strict, listed, posted
from portal.api.v1.drafts import start_draft
from portal.core.errors import NotAllowed

room = Room("Introductions")
BIG = 2**63 - 1


class Alike(Schema):
    """Somebody else's work on the same thing. `handle` stands for it when you ask; names only where it is public."""

    kind: str
    words: str
    partner: str
    title: str
    provider: str
    url: str
    handle: str


class AskIn(Strict):
    handle: str = Field(max_length=64)
    message: str = ""


class IntroductionOut(Schema):
    """`other` and `company` once both agreed."""

    id: int
    state: str
    message: str
    asked_at: datetime
    asked_by_you: bool
    company: str
    other: str


class AgreeIn(Strict):
    agree: bool


@room.get("/integrations/{uuid:uuid}/neighbours", "integrations:read", list[Alike])
def list_neighbours(request: HttpRequest, uuid: UUID) -> Any:
    """Who else works on the same thing."""
    return _alike(overlaps_of(load(request, uuid)))


@room.get("/drafts/{uuid:uuid}/neighbours", "integrations:read", list[Alike])
def list_draft_neighbours(request: HttpRequest, uuid: UUID) -> Any:
    """Who else works on the same thing, before anything is sent."""
    found = start_draft(request, uuid)
    return _alike(neighbours(found.partner, found.data) or ())


def _alike(found: Iterable[Overlap]) -> list[dict[str, Any]]:
    return [{name: getattr(each, name) for name in Alike.model_fields} for each in found]


@room.post("/integrations/{uuid:uuid}/introductions", "integrations:write", IntroductionOut, status=201)
def ask_introduction(request: HttpRequest, response: HttpResponse, uuid: UUID, body: AskIn) -> Any:
    """Ask to be introduced. Names pass only when both agree."""
    found = load(request, uuid)
    message = fit(AskForm(posted(message=body.message))).cleaned_data["message"]
    if not permissions.may_edit(found, request.user):
        raise NotAllowed(permissions.refusal("may_edit"), "may")
    other = behind(body.handle, work_of(found))
    if other is None:
        raise NotAllowed("That work does not overlap with yours any more: there is nobody to ask.", "gone")
    asked = introductions.ask(found, other, message, by=request.user, now=timezone.now())
    located(request, response, "introductions", asked.pk)
    return _introduction(request, asked)


@room.get("/introductions", "integrations:read", Page[IntroductionOut])
def list_introductions(request: HttpRequest, response: HttpResponse, paged: Query[Paged]) -> Any:
    """The introductions that your integrations asked for or were asked for, newest first."""
    mine = Integration.objects.visible_to(request.user).values("pk")
    rows = Introduction.objects.filter(Q(asking__in=mine) | Q(other__in=mine))
    told = rows.select_related("asking__partner", "other__partner")
    return listed(request, response, told, paged, partial(_introduction, request))


@room.get("/introductions/{int:pk}", "integrations:read", IntroductionOut)
def get_introduction(request: HttpRequest, pk: int = Path(le=BIG)) -> Any:
    """One introduction."""
    return _introduction(request, _found(request, pk))


@room.post("/introductions/{int:pk}/answer", "integrations:write", IntroductionOut)
def answer_introduction(request: HttpRequest, body: AgreeIn, pk: int = Path(le=BIG)) -> Any:
    """Agree or decline, once. For the side that was asked."""
    found = _found(request, pk)
    ANSWERS["agree" if body.agree else "decline"](found, by=request.user, now=timezone.now())
    return _introduction(request, _found(request, pk))


def _found(request: HttpRequest, pk: int) -> Introduction:
    if pk > BIG:
        raise Http404("This introduction does not exist, or it is not visible to you.")
    return load_introduction(request, pk)


def _introduction(request: HttpRequest, row: Introduction) -> dict[str, Any]:
    mine = bool(permissions.role_of(row.asking.partner, request.user))
    other = row.other if mine else row.asking
    agreed = row.state == Introduction.State.AGREED or permissions.works_for_program(request.user)
    return {
        "id": row.pk, "state": row.state, "message": row.message, "asked_at": row.asked_at, "asked_by_you": mine,
        "company": other.partner.name if agreed else "", "other": other.name if agreed else "",
    }  # fmt: skip
