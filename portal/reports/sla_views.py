"""SLA dashboard and trends, which compare the clocks with earlier weekly reports, and the managers' report."""

from datetime import datetime
from typing import Any

from django.core.paginator import Page
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.sla.clock_records import ClockRecord, list_records
from integrations.sla.engine.types import ClockStatus
from integrations.sla.filters import ClockFilters, parse_filters
from portal.accounts.requests import AuthenticatedRequest
from portal.core.exports import CONTENT_TYPES, generate_csv
from portal.core.periods import get_program_zone
from portal.core.value_types import TemplateContext
from portal.reports.overview import Overview, build_overview, build_table
from portal.reports.sla_dashboard import build_dashboard_summary
from portal.reports.trends import MAX_SHARES, build_trends
from portal.ui.htmx import is_fragment_request
from portal.ui.pagination import paginate

PAGE_SIZE = 25
MAX_UPCOMING_CLOCKS = 5
RESULTS_ID = "results"  # of the element that polls


@vary_on_headers("HX-Request")
def show_dashboard(request: AuthenticatedRequest) -> HttpResponse:
    """Show the figures, the clocks due next, and the filtered list. These ask for themselves with htmx."""
    now = timezone.now()
    filters = parse_filters(request.user, request.GET)
    summary = build_dashboard_summary(filters, now)
    page = paginate(request, filters.list_matching_clocks(now), PAGE_SIZE, count=summary["count"])
    clocks: Any = page.object_list
    rows = list_records(clocks, now)
    context: TemplateContext = {
        "choice": filters,
        "head": summary,
        "page": page,
        "rows": rows,
        "now": now,
        "integration": filters.integration,
        "soon": _list_upcoming_clocks(filters, page, rows, now) if not filters.state else [],
        "for_program": permissions.is_program_staff(request.user),
    }
    # New filters change more than the results, so they need the whole page.
    is_poll = is_fragment_request(request) and request.htmx.trigger == RESULTS_ID
    return render(request, f"reports/sla_dashboard.html{'#results' if is_poll else ''}", context)


def _list_upcoming_clocks(
    filters: ClockFilters, page: Page, rows: list[ClockRecord], now: datetime
) -> list[ClockRecord]:
    """Return the open clocks due next if the page shows only overdue ones, which come first."""
    last_due_at = rows[-1].columns.due_at if rows else None
    # Otherwise, the list itself shows which clocks are due next.
    if not page.has_next() or last_due_at is None or last_due_at > now:
        return []
    clocks = filters.list_matching_clocks(now).filter(due_at__gt=now, state=ClockStatus.RUNNING)
    return list_records(clocks[:MAX_UPCOMING_CLOCKS], now)


def show_trends(request: AuthenticatedRequest) -> HttpResponse:
    """Show the charts and tables of the last twelve weeks."""
    filters = parse_filters(request.user, request.GET)
    trends = build_trends(filters, timezone.now(), get_program_zone())
    has_several_partners = permissions.is_program_staff(request.user) or len(trends["partners"]) > 1
    context = {
        "choice": filters,
        "trends": trends,
        "max_shares": MAX_SHARES,
        "several_partners": has_several_partners,
    }
    return render(request, "reports/trends.html", context)


def show_overview(request: AuthenticatedRequest) -> HttpResponse:
    """Show program staff the performance of programs and partners, with reasons and forecasts."""
    filters, overview = _load_overview(request)
    context = {"choice": filters, "overview": overview, "max_shares": MAX_SHARES}
    return render(request, "reports/overview.html", context)


def download_overview(request: AuthenticatedRequest) -> HttpResponseBase:
    """Return the figures of the performance page as CSV."""
    table = build_table(_load_overview(request)[1])
    headers = {"Content-Disposition": f'attachment; filename="{table.name}.csv"'}
    return StreamingHttpResponse(generate_csv(table), content_type=CONTENT_TYPES["csv"], headers=headers)


def _load_overview(request: AuthenticatedRequest) -> tuple[ClockFilters, Overview]:
    if not permissions.is_program_staff(request.user):
        raise Http404(_("Only program staff can see this report."))
    filters = parse_filters(request.user, request.GET)
    return filters, build_overview(filters, timezone.now(), get_program_zone())
