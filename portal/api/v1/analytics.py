"""Operations for analytics tables, saved views, and the email log."""

import json
from datetime import datetime
from itertools import islice
from operator import methodcaller
from typing import Annotated, Literal
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import Query, Schema
from pydantic import BeforeValidator, Field

from integrations.reviews.forms.queue import AGE_LABELS
from integrations.sla.engine.types import Severity
from integrations.sla.filters import parse_filters
from integrations.submissions.workflow.states import STAGE_LABELS, ListingStatus
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.analytics.exports import EXPORTS, build_table
from portal.analytics.filters import PERIODS
from portal.analytics.models import SavedView
from portal.analytics.saved_views import services
from portal.analytics.saved_views.forms import SavedViewForm
from portal.analytics.views.exports import build_file_response
from portal.api.choices import CategoryFilter, FilterBy, OneOf, ProgramFilter
from portal.api.form_data import build_form_data, clean, validate_form
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import get_row, refuse_unknown_value
from portal.api.routing import MessageResponse, RowId, ScopedRouter, StrictSchema
from portal.api.strict_input import refuse_unknown_parameters
from portal.api.v1.integrations import require_program_staff
from portal.api.v1.schemas.common import RelatedUuid, link_to
from portal.api.v1.sla import refuse_unknown_clock_filters
from portal.core.exports import CONTENT_TYPES, ExportTable
from portal.notifications.models import EmailMessage
from portal.notifications.personal_links import hide_personal_links
from portal.notifications.selectors import SECRET_TEMPLATES, filter_emails

router = ScopedRouter("Analytics")
ANALYTICS_SCOPE = "analytics:read"
SAVED_VIEWS_SCOPE = "saved-views:write"
EMAILS_SCOPE = "emails:read"
JSON_CONTENT_TYPE = "application/json"
# Of the formats that a wildcard in the Accept header matches, it selects the first one.
FORMATS = {JSON_CONTENT_TYPE: "json"} | {value.partition(";")[0]: name for name, value in CONTENT_TYPES.items()}
MAX_JSON_ROWS = 10_000  # per JSON response
FORMAT_PARAMETERS = ("format", "limit")


# A page refuses values other than its own.
TableFilter = Annotated[str, Field(max_length=60, description="The values depend on the table.")]


class TableParams(Schema):
    """Format, and the filters of all tables. The default format is JSON, unless the Accept header selects another."""

    format: Literal["", "json", "csv", "xlsx"] = Field("", description="The Accept header also works.")
    limit: int = Field(200, ge=1, le=MAX_JSON_ROWS, description="Maximum number of JSON rows. Files contain all rows.")
    program: ProgramFilter = ""
    period: Annotated[str, FilterBy(PERIODS)] = Field("", description="Period of figures in days.")
    q: str = Field("", max_length=100)
    kind: TableFilter = ""
    tab: TableFilter = ""
    stage: Annotated[str, FilterBy(STAGE_LABELS)] = ""
    category: CategoryFilter = ""
    responsible_party: TableFilter = ""
    age: Annotated[str, FilterBy(AGE_LABELS)] = ""
    listing_status: Annotated[str, FilterBy(ListingStatus.values)] = ""
    state: TableFilter = ""
    version: TableFilter = ""
    method: TableFilter = ""
    owner: TableFilter = ""
    contacts: TableFilter = ""
    severity: Annotated[str, FilterBy(Severity)] = ""
    partner: str = Field("", max_length=80)
    integration: str = Field("", max_length=60)
    sort: TableFilter = ""


class SavedViewOut(Schema):
    """Saved view. `shared` views are visible to all program staff. `obsolete_filters` no longer exist."""

    id: int
    page: str
    name: str
    query: str
    shared: Annotated[bool, BeforeValidator(lambda owner_id: owner_id is None)] = Field(validation_alias="owner_id")
    is_default: bool
    saved_at: datetime
    obsolete_filters: list[str]
    href: str

    @staticmethod
    def resolve_obsolete_filters(view: SavedView) -> list[str]:
        return services.find_obsolete_filters(services.PAGES[view.page], view.query)

    @staticmethod
    def resolve_href(view: SavedView) -> str:
        return f"{settings.SITE_URL}{services.PAGES[view.page].build_url(view.query)}"


class SavedViewIn(StrictSchema):
    """New saved view. Unknown filters are left out of `query`."""

    page: Annotated[str, OneOf(services.PAGES)]
    name: str
    query: str = Field("", max_length=2000)
    shared: bool = False


class SavedViewUpdateIn(StrictSchema):
    """Change of a saved view. `is_default` opens the list with it."""

    name: str | None = None
    is_default: bool | None = None


class EmailFilterParams(PaginationParams):
    state: Annotated[str, FilterBy(EmailMessage.State.values)] = ""
    q: str = Field("", max_length=100, description="Text in the subject or address.")


class EmailOut(Schema):
    uuid: UUID
    name: str
    to: str
    subject: str
    state: str
    created_at: datetime
    integration: RelatedUuid
    href: Annotated[str, link_to("inbox:email")] = Field(validation_alias="uuid")


class EmailDetail(EmailOut):
    """Email with its text as sent to the recipient, without their personal links."""

    text: Annotated[str, BeforeValidator(hide_personal_links)]


class TableOut(Schema):
    """Table. `rows` holds lists of cells in the order of `columns`. `more` is true if rows were omitted."""

    name: str
    columns: list[str]
    rows: list[list[str | int | float | bool | None]]
    more: bool


def get_table(request: AuthenticatedRequest, table: str, params: Query[TableParams]) -> HttpResponseBase:
    """Get a table.

    Analytics tables are for program staff. Files (CSV, XLSX) contain up to 50,000 rows. A table has the filters of its
    page, and refuses others. Tables:
    """
    if table in EXPORTS and EXPORTS[table].page in services.PROGRAM_PAGES:
        require_program_staff(request)
    now = timezone.now()
    table_data = build_table(table, request, now)
    _refuse_unknown_filters(table, request)
    file_format = params.format or _select_format(request)
    if file_format in CONTENT_TYPES:
        return build_file_response(table_data, file_format, now)
    return _build_json_response(table_data, params.limit)


get_table.__doc__ = f"{(get_table.__doc__ or '').rstrip()} {', '.join(EXPORTS)}."
router.get("/analytics/{slug:table}", ANALYTICS_SCOPE, TableOut, files=tuple(CONTENT_TYPES.values()))(get_table)


def _refuse_unknown_filters(table: str, request: AuthenticatedRequest) -> None:
    """Raise ApiError for filters that the pages ignore. A table without them would look like a filtered one."""
    page = services.PAGES[EXPORTS[table].page]
    refuse_unknown_parameters(request, (*FORMAT_PARAMETERS, *page.parameters))
    for name, choices in page.choices.items():
        refuse_unknown_value(name, request.GET.get(name, ""), [*choices])
    if page.form is not None:
        validate_form(page.form(data=request.GET))
    if table == "sla":
        refuse_unknown_clock_filters(parse_filters(request.user, request.GET))


def _select_format(request: HttpRequest) -> str:
    """Return the format that the Accept header prefers. Parameters such as header=present (RFC 4180) don't matter."""
    # Django's get_preferred_type would require the same parameters as those of the content type.
    accepted_formats = (
        name
        for media_type in request.accepted_types
        for content_type, name in FORMATS.items()
        if media_type.match(content_type)
    )
    return next(accepted_formats, "json")


def _build_json_response(table: ExportTable, max_rows: int) -> HttpResponse:
    rows = iter(table.rows)
    shown_rows = list(islice(rows, max_rows))
    # One more row tells whether rows were omitted, without a count.
    has_more = next(rows, None) is not None
    data = {"name": table.name, "columns": list(table.columns), "rows": shown_rows, "more": has_more}
    body = json.dumps(data, ensure_ascii=False, default=methodcaller("isoformat"))
    return HttpResponse(body, content_type=JSON_CONTENT_TYPE)


@router.get("/saved-views", ANALYTICS_SCOPE, list[SavedViewOut])
def list_views(request: AuthenticatedRequest) -> QuerySet[SavedView]:
    """List your saved views, and for program staff also shared views."""
    return _list_visible_views(request.user).order_by("page", "name", "pk")


@router.post("/saved-views", SAVED_VIEWS_SCOPE, SavedViewOut, status=201)
def save_view(request: AuthenticatedRequest, body: SavedViewIn) -> SavedView:
    """Save a view. `shared` makes it visible to all program staff."""
    name = clean(SavedViewForm(data=build_form_data(name=body.name)))["name"]
    now = timezone.now()
    return services.save_view(request.user, body.page, name, body.query, shared=body.shared, now=now)


@router.patch("/saved-views/{int:pk}", SAVED_VIEWS_SCOPE, SavedViewOut)
def change_view(request: AuthenticatedRequest, body: SavedViewUpdateIn, pk: RowId) -> SavedView:
    """Rename a view or change the default. Fields that are omitted or null stay unchanged."""
    view = _get_view(request, pk)
    if body.name is not None:
        services.rename_view(view, clean(SavedViewForm(data=build_form_data(name=body.name)))["name"], request.user)
    if body.is_default is not None:
        services.set_default(view, request.user, on=body.is_default)
    return _get_view(request, pk)


@router.delete("/saved-views/{int:pk}", SAVED_VIEWS_SCOPE)
def delete_view(request: AuthenticatedRequest, pk: RowId) -> MessageResponse:
    """Delete a view."""
    view = _get_view(request, pk)
    services.delete_view(view, request.user)
    return MessageResponse(message=f"View “{view.name}” deleted.")


def _list_visible_views(user: User) -> QuerySet[SavedView]:
    return services.list_visible_views(user).filter(page__in=services.PAGES)


def _get_view(request: AuthenticatedRequest, pk: int) -> SavedView:
    """Return an own or shared view. Raises Http404."""
    return get_row(_list_visible_views(request.user), "View not found.", pk=pk)


@router.get("/emails", EMAILS_SCOPE, CursorPage[EmailOut])
def list_emails(request: HttpRequest, params: Query[EmailFilterParams]) -> Page[EmailMessage]:
    """List sent, scheduled, and failed emails, newest first. For program staff."""
    require_program_staff(request)
    rows = filter_emails(params.state, params.q).select_related("integration")
    return paginate(request, rows, params)


@router.get("/emails/{uuid:uuid}", EMAILS_SCOPE, EmailDetail)
def get_email(request: HttpRequest, uuid: UUID) -> EmailMessage:
    """Get an email. Emails with sign-in links are not available."""
    require_program_staff(request)
    # Whoever reads a sign-in link can sign in as its recipient.
    emails = EmailMessage.objects.exclude(name__in=SECRET_TEMPLATES).select_related("integration")
    return get_row(emails, "Email not found. It doesn't exist, or it contains a sign-in link.", uuid=uuid)
