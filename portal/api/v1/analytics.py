"""How is it going, in figures? The tables that pages offer as files, saved lists, and what mail went out."""

import json
from collections.abc import Iterator
from datetime import date, datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Schema
from pydantic import Field

from integrations.partners import permissions
from integrations.submissions.notices import OWN
from portal.analytics.exports import TABLES, table_of
from portal.analytics.models import SavedView
from portal.analytics.saved_views import services
from portal.analytics.saved_views.forms import RenameForm, ViewForm
from portal.analytics.saved_views.views import address
from portal.analytics.views.exports import file_of
from portal.api.problems import fit
from portal.api.routing import Done, Page, Paged, Room, Strict, listed, posted
from portal.api.v1.schemas.submissions import absolute
from portal.core.exports import KINDS, Table
from portal.notifications.models import Email
from portal.notifications.views import email_log

room = Room("Program office")
OFFICE, VIEWS, OUTBOX = "office:read", "views:write", "outbox:read"
BIG = 2**63 - 1
JSON = "application/json"
MOST = 10_000  # rows of one answer in JSON


class TableWanted(Schema):
    """`format`: json where the Accept header names none. The rest are the words of the page's address."""

    format: str = Field(
        "", pattern="^(json|csv|xlsx)?$", description="json, csv or xlsx; the Accept header says it too."
    )
    limit: int = Field(1000, ge=1, le=MOST, description="Rows in JSON at most; a file holds them all.")
    program: str = Field("", max_length=60)
    period: str = Field("", max_length=10, description="Of figures: 30, 90 or 365 days.")
    q: str = Field("", max_length=100)
    tab: str = Field("", max_length=20)
    stage: str = Field("", max_length=60)
    category: str = Field("", max_length=60)
    holder: str = Field("", max_length=60)
    age: str = Field("", max_length=10)
    standing: str = Field("", max_length=60)
    state: str = Field("", max_length=20)
    severity: str = Field("", max_length=20)
    partner: str = Field("", max_length=80)
    integration: str = Field("", max_length=60)
    sort: str = Field("", max_length=20)


class ViewOut(Schema):
    """A saved list. `shared`: everyone of the program has it; `gone`: what it asks for that there no longer is."""

    id: int
    page: str
    name: str
    query: str
    shared: bool
    is_default: bool
    saved_at: datetime
    gone: list[str]
    href: str


class ViewIn(Strict):
    """`page`: queue, integrations, sla, companies, outbox, office…; `query`: the words of its address."""

    page: str = Field(max_length=40)
    name: str
    query: str = Field("", max_length=2000)
    shared: bool = False


class ViewChange(Strict):
    """`is_default`: whether the list opens with it."""

    name: str | None = None
    is_default: bool | None = None


class OutboxWanted(Paged):
    state: str = Field("", max_length=20)
    q: str = Field("", max_length=100, description="Words of the subject or the address.")


class MailOut(Schema):
    uuid: UUID
    name: str
    to: str
    subject: str
    state: str
    created_at: datetime
    integration: UUID | None
    href: str


class MailWhole(MailOut):
    """`text`: as its receiver gets it."""

    text: str


class TableOut(Schema):
    """`rows`: a list of cells for each, in the order of `columns`, moments in ISO; `more`: some were left out."""

    name: str
    columns: list[str]
    rows: list[list[str | int | float | bool | None]]
    more: bool


def get_table(request: HttpRequest, table: str, wanted: Query[TableWanted]) -> Any:
    """A list or a figure as a table, as the files of pages are.

    Those of the office are for people of the program. A file (CSV, XLSX) holds up to 50,000 rows. Tables:
    """
    now = timezone.now()
    found = table_of(table, request, now)
    form = wanted.format or next((form for form, kind in KINDS.items() if _accepts(request, kind)), "json")
    return file_of(found, form, now) if form in KINDS else _as_json(found, wanted.limit)


get_table.__doc__ = f"{(get_table.__doc__ or '').rstrip()} {', '.join(TABLES)}."
room.get("/office/{slug:table}", OFFICE, TableOut, files=tuple(KINDS.values()))(get_table)


def _accepts(request: HttpRequest, kind: str) -> bool:
    """Whether the caller names this kind itself; who takes anything gets JSON."""
    asked = request.headers.get("Accept", "")
    return any(part.partition(";")[0].strip() == kind.partition(";")[0] for part in asked.split(","))


def _as_json(table: Table, most: int) -> HttpResponse:
    rows: Iterator[Any] = iter(table.rows)
    told = [[_plain(cell) for cell in row] for row in islice(rows, most)]
    more = next(rows, None) is not None
    said = {"name": table.name, "columns": list(table.columns), "rows": told, "more": more}
    return HttpResponse(json.dumps(said, ensure_ascii=False), content_type=JSON)


def _plain(cell: Any) -> Any:
    return cell.isoformat() if isinstance(cell, date) else cell


@room.get("/views", OFFICE, list[ViewOut])
def list_views(request: HttpRequest) -> Any:
    """The lists that you saved, and for people of the program those that they share."""
    found = services.visible(request.user).order_by("page", "name", "pk")
    return [_view(view) for view in found if view.page in services.PAGES]


@room.post("/views", VIEWS, ViewOut, status=201)
def save_view(request: HttpRequest, body: ViewIn) -> Any:
    """Save a list under a name. `shared`: for everyone of the program."""
    form = ViewForm(posted(name=body.name), may_share=False)
    name, now = fit(form).cleaned_data["name"], timezone.now()
    return _view(services.save(request.user, body.page, name, body.query, shared=body.shared, now=now))


@room.patch("/views/{int:pk}", VIEWS, ViewOut)
def change_view(request: HttpRequest, body: ViewChange, pk: int = Path(le=BIG)) -> Any:
    """Give it another name, or have the list open with it; what is left out stays."""
    view = _own_view(request, pk)
    if body.name is not None:
        services.rename(view, fit(RenameForm(posted(name=body.name))).cleaned_data["name"])
    if body.is_default is not None:
        services.set_default(view, request.user, on=body.is_default)
    return _view(_own_view(request, pk))


@room.delete("/views/{int:pk}", VIEWS)
def delete_view(request: HttpRequest, pk: int = Path(le=BIG)) -> Any:
    """Delete it."""
    view = _own_view(request, pk)
    view.delete()
    return Done(said=f"“{view.name}” is deleted.")


def _own_view(request: HttpRequest, pk: int) -> SavedView:
    """One of the person's views, or one that the program shares. Raises Http404."""
    found = services.visible(request.user).filter(pk=pk, page__in=services.PAGES).first() if pk <= BIG else None
    if found is None:
        raise Http404("There is no such view.")
    return found


def _view(view: Any) -> dict[str, Any]:
    href = f"{absolute(view.page)}?{address(view).partition('?')[2]}"
    return {
        "id": view.pk, "page": view.page, "name": view.name, "query": view.query, "shared": view.owner_id is None,
        "is_default": view.is_default, "saved_at": view.saved_at, "href": href,
        "gone": services.gone(services.PAGES[view.page], view.query),
    }  # fmt: skip


@room.get("/outbox", OUTBOX, Page[MailOut])
def list_outbox(request: HttpRequest, response: HttpResponse, wanted: Query[OutboxWanted]) -> Any:
    """Every mail that went out, waits or failed, newest first. For people of the program."""
    _for_program(request)
    rows = email_log.chosen(wanted.state, wanted.q).select_related("integration")
    return listed(request, response, rows, wanted, mail_out)


@room.get("/outbox/{uuid:uuid}", OUTBOX, MailWhole)
def get_outbox_mail(request: HttpRequest, uuid: UUID) -> Any:
    """One mail as its receiver gets it; never one that holds a key to an account."""
    _for_program(request)
    found = Email.objects.exclude(Q(name__in=email_log.KEYS)).filter(uuid=uuid).select_related("integration").first()
    if found is None:
        raise Http404("There is no such mail, or it holds a key to an account.")
    own = found.text.replace(found.unsubscribe, OWN) if found.unsubscribe else found.text
    return mail_out(found) | {"text": own}


def _for_program(request: HttpRequest) -> None:
    if not permissions.works_for_program(request.user):
        raise Http404("There is nothing here for you.")


def mail_out(row: Email) -> dict[str, Any]:
    same = ("uuid", "name", "to", "subject", "state", "created_at")
    about = {"integration": row.integration.uuid if row.integration else None, "href": absolute("mail", row.uuid)}
    return {name: getattr(row, name) for name in same} | about
