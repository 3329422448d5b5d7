"""Operations for SLA reports and their subscriptions."""

from datetime import date, datetime
from typing import Annotated

from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from integrations.partners import permissions
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.api.choices import FilterBy
from portal.api.form_data import build_form_data, get_initial_values, validate_form
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import FieldError, refuse_unknown_keys
from portal.api.routing import MessageResponse, ScopedRouter, StrictSchema
from portal.api.validation_messages import build_choice_message
from portal.core.value_types import JsonObject
from portal.reports import summaries, views as report_pages
from portal.reports.archive import KINDS, search_reports
from portal.reports.forms import ReportSubscriptionsForm, list_report_scopes
from portal.reports.models import ReportSnapshot
from portal.reports.scopes import can_read_report, find_report_scope

router = ScopedRouter("Reports")


class SlaReportOut(Schema):
    """SLA report of a partner (`scope` is partner:SLUG), a program (program:KEY), or all programs (programs).

    `name` is that of the scope. `period` is a week, month, or quarter, such as 2026-W16, 2026-04, or 2026-Q2.
    """

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
    """Filters of the archive. `day` is a day in the period."""

    scope: str = Field("", max_length=100, description="Such as partner:acme, program:nomad, or programs.")
    kind: Annotated[str, FilterBy(KINDS)] = ""
    day: date | None = None


class ReportSubscriptionsOut(Schema):
    """Frequency by scope of a report: weekly, only_with_problems (weekly too), monthly, quarterly, or never."""

    subscriptions: dict[str, str]


class ReportSubscriptionsIn(StrictSchema):
    """Frequency by scope: weekly, only_with_problems (weekly too), monthly, quarterly, or never."""

    subscriptions: dict[str, str] = Field(max_length=100)


def refuse_unknown_scope(user: User, key: str) -> None:
    """Raise FieldError for the scope of a report that doesn't exist, or that the user can't read."""
    report_scope = find_report_scope(key)
    if key and (report_scope is None or not can_read_report(user, report_scope)):
        keys = [report_scope.key for report_scope in list_report_scopes(user)]
        partners = ["partner:SLUG"] if permissions.is_program_staff(user) else []
        raise FieldError("scope", build_choice_message([*keys, *partners]))


@router.get("/reports", "sla:read", CursorPage[SlaReportOut])
def list_reports(request: AuthenticatedRequest, params: Query[ReportFilterParams]) -> Page[ReportSnapshot]:
    """List the reports that you can see, newest first."""
    refuse_unknown_scope(request.user, params.scope)
    reports = search_reports(report_pages.list_visible_snapshots(request.user), params.model_dump())
    return paginate(request, reports, params)


@router.get("/reports/{str:scope}/{str:period}", "sla:read", SlaReportDetail)
def get_report(request: AuthenticatedRequest, scope: str, period: str) -> ReportSnapshot:
    """Get the report of a scope and period with its stored figures."""
    return report_pages.get_snapshot(request, scope, period)[0]


@router.get("/reports/subscriptions", "sla:read", ReportSubscriptionsOut)
def get_report_subscriptions(request: AuthenticatedRequest) -> ReportSubscriptionsOut:
    """Get the frequency of your reports."""
    return ReportSubscriptionsOut(subscriptions=get_initial_values(ReportSubscriptionsForm(request.user)))


@router.patch("/reports", "sla:write", MessageResponse)
def update_report_subscriptions(request: AuthenticatedRequest, body: ReportSubscriptionsIn) -> MessageResponse:
    """Change the frequency of reports. Omitted scopes stay unchanged."""
    unbound_form = ReportSubscriptionsForm(request.user)
    # Forms ignore unknown fields, so that a typo would look like success.
    refuse_unknown_keys("subscriptions", body.subscriptions, unbound_form.fields, "Unknown report.")
    form_data = build_form_data(**get_initial_values(unbound_form) | body.subscriptions)
    form = ReportSubscriptionsForm(request.user, data=form_data)
    validate_form(form, {name: f"subscriptions.{name}" for name in form.fields}).save()
    return MessageResponse(message="Report subscriptions saved.")
