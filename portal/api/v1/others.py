"""What else is read and done: the due process, reports, notifications, the public directory."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Schema
from pydantic import Field

from integrations.compliance import views as standing_pages
from integrations.partners import permissions
from integrations.submissions.views.mixins import load, only
from integrations.submissions.workflow import evidence as due_process
from portal.api.problems import Problem, fit
from portal.api.routing import Done, Page, Paged, Room, Strict, listed, posted
from portal.api.v1.schemas.submissions import absolute
from portal.directory import search
from portal.directory.models import Listing
from portal.directory.partner_replies import ReplyForm, reply
from portal.notifications.models import Email
from portal.notifications.views.email_log import UNTOLD
from portal.reports import presenters
from portal.reports import views as report_pages
from portal.reports.forms import WishesForm
from portal.reports.models import Snapshot

room, public = Room("Standing and reports"), Room("Directory")
BIG = 2**63 - 1


class ReportRow(Schema):
    scope: str
    week: str
    name: str
    verdict: str
    made_at: datetime


class ReportWhole(ReportRow):
    """`figures`: all that the report's page, CSV and mail are made of."""

    figures: dict[str, Any]


class WishesOut(Schema):
    """By scope: weekly, trouble or never."""

    wishes: dict[str, str]


class WishesIn(Strict):
    """By scope: weekly, trouble or never."""

    wishes: dict[str, str] = Field(max_length=100)


class ReplyIn(Strict):
    text: str


class NoticeOut(Schema):
    uuid: UUID
    subject: str
    at: datetime
    seen_at: datetime | None
    integration: UUID | None
    href: str


class ListingWanted(Paged):
    q: str = Field("", max_length=100)
    product: str = Field("", max_length=60)
    track: str = Field("", max_length=60)
    program: str = Field("", max_length=60)
    category: str = Field("", max_length=60)
    tier: str = Field("", max_length=60)
    standing: str = Field("", max_length=20)
    platform: str = Field("", max_length=60)
    partner: str = Field("", max_length=80)


@room.get("/integrations/{uuid:uuid}/standing", "integrations:read", dict[str, Any])
def get_standing(request: HttpRequest, uuid: UUID) -> Any:
    """The evidence of the due process as it is now, the same that both sides read."""
    return due_process.evidence(standing_pages.listed_once(request, uuid), timezone.now())


@room.get("/integrations/{uuid:uuid}/standing/{int:seq}", "integrations:read", dict[str, Any])
def get_frozen_standing(request: HttpRequest, uuid: UUID, seq: int = Path(le=2**31 - 1)) -> Any:
    """The evidence as it was when a decision was made; `seq` is the decision's event."""
    if seq >= 2**31:
        raise Http404("No evidence was kept with this event.")
    return standing_pages.frozen(standing_pages.listed_once(request, uuid), seq)


@room.get("/reports", "sla:read", Page[ReportRow])
def list_reports(request: HttpRequest, response: HttpResponse, paged: Query[Paged]) -> Any:
    """The weekly reports that you may read, newest first."""
    return listed(request, response, report_pages.visible(request.user), paged, _report)


def _report(row: Snapshot) -> dict[str, Any]:
    said = {"name": row.figures["name"], "verdict": presenters.verdict(row.figures)}
    return {"scope": row.scope, "week": row.week, "made_at": row.made_at} | said


@room.get("/reports/{str:scope}/{str:week}", "sla:read", ReportWhole)
def get_report(request: HttpRequest, scope: str, week: str) -> Any:
    """One week of one scope, with its figures as they were frozen."""
    row = report_pages.found(request, scope, week)
    return _report(row) | {"figures": row.figures}


@room.get("/reports/wishes", "sla:read", WishesOut)
def get_report_wishes(request: HttpRequest) -> Any:
    """How often each report that concerns you comes."""
    fields = WishesForm(request.user).fields
    return {"wishes": {scope: str(field.initial) for scope, field in fields.items()}}


@room.patch("/reports", "sla:write", Done)
def wish_reports(request: HttpRequest, body: WishesIn) -> Any:
    """Say how often each report comes; what is left out stays."""
    empty = WishesForm(request.user)
    odd = [(f"wishes.{scope}", "This is no report of yours.") for scope in body.wishes if scope not in empty.fields]
    if odd:
        raise Problem("unfit", "This is no report of yours.", fields=odd)
    kept = {name: field.initial for name, field in empty.fields.items()}
    fit(WishesForm(request.user, posted(**kept | body.wishes))).save()
    return Done(said="What reaches you is saved.")


@room.get("/notifications", "notifications:read", Page[NoticeOut])
def list_notifications(request: HttpRequest, response: HttpResponse, paged: Query[Paged]) -> Any:
    """What you were told by mail, newest first. Reading here marks nothing as seen."""
    told = Email.objects.filter(person_id=request.user.pk).exclude(state__in=UNTOLD)
    rows = told.defer("text", "html", "calendar").select_related("integration")
    return listed(request, response, rows, paged, _notice)


def _notice(row: Email) -> dict[str, Any]:
    return {
        "uuid": row.uuid, "subject": row.subject, "at": row.created_at, "seen_at": row.seen_at,
        "integration": row.integration.uuid if row.integration else None, "href": absolute("mail", row.uuid),
    }  # fmt: skip


@room.post("/integrations/{uuid:uuid}/reply", "integrations:write", Done)
def reply_to_record(request: HttpRequest, uuid: UUID, body: ReplyIn) -> Any:
    """Say something beside the support record of the listing; a blank text takes it back."""
    row = load(request, uuid)
    only(permissions.may_edit, row, request.user)
    if not Listing.objects.filter(uuid=uuid).exists():
        raise Http404("This integration was never listed.")
    text = fit(ReplyForm(posted(text=body.text), row=row)).cleaned_data["text"]
    reply(row, text, by=request.user, now=timezone.now())
    return Done(said="Everyone reads it from now on." if text else "The reply was taken back.")


@public.get("/directory", "", Page[dict[str, Any]])
def list_directory(request: HttpRequest, response: HttpResponse, wanted: Query[ListingWanted]) -> Any:
    """What is listed, what began last first: an order that holds from page to page. Filters as in the directory. Open
    to everybody."""
    filters = search.read({name: value for name, value in wanted.model_dump().items() if isinstance(value, str)})
    rows = search.found(filters)
    return listed(request, response, rows, wanted, search.listing_data)


@public.get("/directory/{uuid:uuid}", "", dict[str, Any])
def get_listing(request: HttpRequest, uuid: UUID) -> Any:
    """One listing, kept when it is removed and saying so. Open to everybody."""
    row = Listing.objects.filter(uuid=uuid).first()
    if row is None:
        raise Http404("There is no such listing.")
    return search.listing_data(row)
