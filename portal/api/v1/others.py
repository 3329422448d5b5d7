"""Operations for compliance, reports, notifications, and the public directory."""

from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Path, Query, Schema
from pydantic import Field

from integrations.compliance.views import get_evidence, load_listed_integration
from integrations.partners import permissions
from integrations.submissions.views.access import load_visible_integration, require_permission
from portal.accounts.requests import AuthenticatedRequest
from portal.api.form_data import build_form_data, clean, get_initial_values, validate_form
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import get_row, refuse_unknown_keys
from portal.api.routing import MessageResponse, ScopedRouter, StrictSchema
from portal.api.v1.schemas.common import RelatedUuid, link_to
from portal.core.value_types import JsonObject
from portal.directory import search
from portal.directory.models import Listing
from portal.directory.partner_replies import ReplyForm, save_reply
from portal.notifications.models import EmailMessage
from portal.notifications.selectors import list_received_emails
from portal.reports import summaries, views as report_pages
from portal.reports.archive import search_reports
from portal.reports.forms import ReportSubscriptionsForm
from portal.reports.models import ReportSnapshot

router, public_router = ScopedRouter("Compliance and reports"), ScopedRouter("Directory")


class SlaReportOut(Schema):
    """SLA report. `period` is a week, month, or quarter, such as 2026-W16, 2026-04, or 2026-Q2."""

    scope: str
    kind: str
    period: str
    name: str = Field(validation_alias="figures.name")
    verdict: str
    created_at: datetime

    @staticmethod
    def resolve_verdict(row: ReportSnapshot) -> str:
        return summaries.build_verdict(summaries.describe_as_of(row.figures, timezone.now()))


class SlaReportDetail(SlaReportOut):
    """Report with the figures of its page, CSV, and email."""

    figures: JsonObject


class ReportFilterParams(PaginationParams):
    """Filters of the archive. `kind` is week, month, or quarter; `day` is a day in the period."""

    scope: str = Field("", max_length=60)
    kind: str = Field("", max_length=8)
    day: date | None = None


class ReportSubscriptionsOut(Schema):
    """Frequency by scope: weekly, only_with_problems (weekly too), monthly, quarterly, or never."""

    subscriptions: dict[str, str]


class ReportSubscriptionsIn(StrictSchema):
    """Frequency by scope: weekly, only_with_problems (weekly too), monthly, quarterly, or never."""

    subscriptions: dict[str, str] = Field(max_length=100)


class SupportReplyIn(StrictSchema):
    text: str


class NotificationOut(Schema):
    uuid: UUID
    subject: str
    at: datetime = Field(validation_alias="created_at")
    seen_at: datetime | None
    integration: RelatedUuid
    href: Annotated[str, link_to("inbox:email")] = Field(validation_alias="uuid")


class ListingFilterParams(PaginationParams):
    q: str = Field("", max_length=100)
    product: str = Field("", max_length=60)
    track: str = Field("", max_length=60)
    program: str = Field("", max_length=60)
    category: str = Field("", max_length=60)
    tier: str = Field("", max_length=60)
    listing_status: str = Field("", max_length=20)
    platform: str = Field("", max_length=60)
    partner: str = Field("", max_length=80)


@router.get("/integrations/{uuid:uuid}/compliance", "integrations:read", JsonObject)
def get_compliance(request: AuthenticatedRequest, uuid: UUID) -> JsonObject:
    """Get the current evidence of the compliance procedure. Both sides see the same evidence."""
    return get_evidence(load_listed_integration(request, uuid))


@router.get("/integrations/{uuid:uuid}/compliance/{int:seq}", "integrations:read", JsonObject)
def get_frozen_compliance(request: AuthenticatedRequest, uuid: UUID, seq: int = Path(le=2**31 - 1)) -> JsonObject:
    """Get the evidence at the time of a decision. `seq` is the decision's event."""
    return get_evidence(load_listed_integration(request, uuid), seq)


@router.get("/reports", "sla:read", CursorPage[SlaReportOut])
def list_reports(request: AuthenticatedRequest, params: Query[ReportFilterParams]) -> Page[ReportSnapshot]:
    """List the reports that you can see, newest first."""
    reports = search_reports(report_pages.list_visible_snapshots(request.user), params.model_dump())
    return paginate(request, reports, params)


@router.get("/reports/{str:scope}/{str:period}", "sla:read", SlaReportDetail)
def get_report(request: AuthenticatedRequest, scope: str, period: str) -> ReportSnapshot:
    """Get the report of a scope and period with its stored figures."""
    return report_pages.get_snapshot(request, scope, period)


@router.get("/reports/subscriptions", "sla:read", ReportSubscriptionsOut)
def get_report_subscriptions(request: AuthenticatedRequest) -> ReportSubscriptionsOut:
    """Get the frequency of your reports."""
    return ReportSubscriptionsOut(subscriptions=get_initial_values(ReportSubscriptionsForm(request.user)))


@router.patch("/reports", "sla:write", MessageResponse)
def update_report_subscriptions(request: AuthenticatedRequest, body: ReportSubscriptionsIn) -> MessageResponse:
    """Change the frequency of reports. Omitted scopes stay unchanged."""
    unbound_form = ReportSubscriptionsForm(request.user)
    refuse_unknown_keys("subscriptions", body.subscriptions, unbound_form.fields, "Unknown report.")
    form_data = build_form_data(**get_initial_values(unbound_form) | body.subscriptions)
    validate_form(ReportSubscriptionsForm(request.user, data=form_data)).save()
    return MessageResponse(message="Report subscriptions saved.")


@router.get("/notifications", "notifications:read", CursorPage[NotificationOut])
def list_notifications(request: AuthenticatedRequest, pagination: Query[PaginationParams]) -> Page[EmailMessage]:
    """List your notifications, newest first. This doesn't mark them as read."""
    rows = list_received_emails(request.user.pk).select_related("integration")
    return paginate(request, rows, pagination)


@router.post("/integrations/{uuid:uuid}/reply", "integrations:write", MessageResponse)
def reply_to_record(request: AuthenticatedRequest, uuid: UUID, body: SupportReplyIn) -> MessageResponse:
    """Publish a reply to the listing's support record. An empty text removes the reply."""
    row = load_visible_integration(request, uuid)
    require_permission(permissions.can_edit, row, request.user)
    if not Listing.objects.filter(uuid=uuid).exists():
        raise Http404("This integration has no listing.")
    text = clean(ReplyForm(data=build_form_data(text=body.text), row=row))["text"]
    save_reply(row, text, actor=request.user, now=timezone.now())
    return MessageResponse(message="Reply published." if text else "Reply withdrawn.")


@public_router.get("/directory", "", CursorPage[JsonObject])
def list_directory(request: HttpRequest, params: Query[ListingFilterParams]) -> Page[JsonObject]:
    """List public listings, newest first, with the filters of the directory. Public."""
    filters = search.parse_filters(
        {name: value for name, value in params.model_dump().items() if isinstance(value, str)}
    )
    page = paginate(request, search.list_listings(filters), params)
    return Page([search.serialize_listing(row) for row in page.items], page.next)


@public_router.get("/directory/{uuid:uuid}", "", JsonObject)
def get_listing(request: HttpRequest, uuid: UUID) -> JsonObject:
    """Get a listing. Delisted integrations stay available with their status. Public."""
    return search.serialize_listing(get_row(Listing.objects.all(), "Listing not found.", uuid=uuid))
