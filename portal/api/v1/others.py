"""Operations for compliance, reports, notifications, and the public directory."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Schema
from pydantic import Field

from integrations.compliance import views as standing_pages
from integrations.partners import permissions
from integrations.submissions.views.mixins import load_visible_integration, require_permission
from integrations.submissions.workflow import evidence as due_process
from portal.accounts.requests import AuthenticatedRequest
from portal.api.problems import ApiError, validate_form
from portal.api.routing import (
    CursorPage,
    MessageResponse,
    PaginationParams,
    ScopedRouter,
    StrictSchema,
    build_form_data,
    paginate,
)
from portal.api.v1.schemas.common import build_absolute_url
from portal.core.value_types import JsonObject
from portal.directory import search
from portal.directory.models import Listing
from portal.directory.partner_replies import ReplyForm, save_reply
from portal.notifications.models import EmailMessage
from portal.notifications.selectors import list_received_emails
from portal.reports import presenters
from portal.reports import views as report_pages
from portal.reports.forms import ReportSubscriptionsForm
from portal.reports.models import ReportSnapshot

router, public_router = ScopedRouter("Compliance and reports"), ScopedRouter("Directory")
MAX_ID = 2**63 - 1


class SlaReportOut(Schema):
    scope: str
    week: str
    name: str
    verdict: str
    created_at: datetime


class SlaReportDetail(SlaReportOut):
    """Report with the figures of its page, CSV, and email."""

    figures: JsonObject


class ReportSubscriptionsOut(Schema):
    """Frequency by scope: weekly, only_with_problems, or never."""

    subscriptions: dict[str, str]


class ReportSubscriptionsIn(StrictSchema):
    """Frequency by scope: weekly, only_with_problems, or never."""

    subscriptions: dict[str, str] = Field(max_length=100)


class SupportReplyIn(StrictSchema):
    text: str


class NotificationOut(Schema):
    uuid: UUID
    subject: str
    at: datetime
    seen_at: datetime | None
    integration: UUID | None
    href: str


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


@router.get("/integrations/{uuid:uuid}/compliance", "integrations:read", dict[str, Any])
def get_compliance(request: AuthenticatedRequest, uuid: UUID) -> object:
    """Get the current evidence of the compliance procedure. Both sides see the same evidence."""
    return due_process.collect_evidence(standing_pages.load_listed_integration(request, uuid), timezone.now())


@router.get("/integrations/{uuid:uuid}/compliance/{int:seq}", "integrations:read", dict[str, Any])
def get_frozen_compliance(request: AuthenticatedRequest, uuid: UUID, seq: int = Path(le=2**31 - 1)) -> object:
    """Get the evidence at the time of a decision. `seq` is the decision's event."""
    if seq >= 2**31:
        raise Http404("This event has no stored evidence.")
    return standing_pages.get_frozen_evidence(standing_pages.load_listed_integration(request, uuid), seq)


@router.get("/reports", "sla:read", CursorPage[SlaReportOut])
def list_reports(request: AuthenticatedRequest, response: HttpResponse, pagination: Query[PaginationParams]) -> Any:
    """List the weekly reports that you can see, newest first."""
    return paginate(request, response, report_pages.list_visible_snapshots(request.user), pagination, _serialize_report)


def _serialize_report(row: ReportSnapshot) -> JsonObject:
    report_summary = {"name": row.figures["name"], "verdict": presenters.build_verdict(row.figures)}
    return {"scope": row.scope, "week": row.week, "created_at": row.created_at} | report_summary


@router.get("/reports/{str:scope}/{str:week}", "sla:read", SlaReportDetail)
def get_report(request: AuthenticatedRequest, scope: str, week: str) -> object:
    """Get the report of a scope and week with its stored figures."""
    row = report_pages.get_snapshot(request, scope, week)
    return _serialize_report(row) | {"figures": row.figures}


@router.get("/reports/subscriptions", "sla:read", ReportSubscriptionsOut)
def get_report_subscriptions(request: AuthenticatedRequest) -> object:
    """Get the frequency of your reports."""
    fields = ReportSubscriptionsForm(request.user).fields
    return {"subscriptions": {scope: str(field.initial) for scope, field in fields.items()}}


@router.patch("/reports", "sla:write", MessageResponse)
def update_report_subscriptions(request: AuthenticatedRequest, body: ReportSubscriptionsIn) -> Any:
    """Change the frequency of reports. Omitted scopes stay unchanged."""
    unbound_form = ReportSubscriptionsForm(request.user)
    field_errors = [
        (f"subscriptions.{scope}", "Unknown report.")
        for scope in body.subscriptions
        if scope not in unbound_form.fields
    ]
    if field_errors:
        raise ApiError("validation-error", "Unknown report.", fields=field_errors)
    current_values = {name: field.initial for name, field in unbound_form.fields.items()}
    validate_form(ReportSubscriptionsForm(request.user, build_form_data(**current_values | body.subscriptions))).save()
    return MessageResponse(message="Report subscriptions saved.")


@router.get("/notifications", "notifications:read", CursorPage[NotificationOut])
def list_notifications(request: HttpRequest, response: HttpResponse, pagination: Query[PaginationParams]) -> Any:
    """List your notifications, newest first. This doesn't mark them as read."""
    rows = list_received_emails(request.user.pk).select_related("integration")
    return paginate(request, response, rows, pagination, _serialize_notification)


def _serialize_notification(row: EmailMessage) -> JsonObject:
    return {
        "uuid": row.uuid,
        "subject": row.subject,
        "at": row.created_at,
        "seen_at": row.seen_at,
        "integration": row.integration.uuid if row.integration else None,
        "href": build_absolute_url("inbox:email", row.uuid),
    }


@router.post("/integrations/{uuid:uuid}/reply", "integrations:write", MessageResponse)
def reply_to_record(request: AuthenticatedRequest, uuid: UUID, body: SupportReplyIn) -> Any:
    """Publish a reply to the listing's support record. An empty text removes the reply."""
    row = load_visible_integration(request, uuid)
    require_permission(permissions.can_edit, row, request.user)
    if not Listing.objects.filter(uuid=uuid).exists():
        raise Http404("This integration has no listing.")
    text = validate_form(ReplyForm(build_form_data(text=body.text), row=row)).cleaned_data["text"]
    save_reply(row, text, actor=request.user, now=timezone.now())
    return MessageResponse(message="Reply published." if text else "Reply withdrawn.")


@public_router.get("/directory", "", CursorPage[dict[str, Any]])
def list_directory(request: HttpRequest, response: HttpResponse, params: Query[ListingFilterParams]) -> Any:
    """List public listings, newest first, with the filters of the directory. Public."""
    filters = search.parse_filters(
        {name: value for name, value in params.model_dump().items() if isinstance(value, str)}
    )
    rows = search.list_listings(filters)
    return paginate(request, response, rows, params, search.serialize_listing)


@public_router.get("/directory/{uuid:uuid}", "", dict[str, Any])
def get_listing(request: HttpRequest, uuid: UUID) -> object:
    """Get a listing. Delisted integrations stay available with their status. Public."""
    row = Listing.objects.filter(uuid=uuid).first()
    if row is None:
        raise Http404("Listing not found.")
    return search.serialize_listing(row)
