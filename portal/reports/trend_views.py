"""Page of the SLA trends."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils import timezone

from integrations.partners import permissions
from integrations.sla.filters import parse_filters
from integrations.sla.views.dashboard import build_filtered_url
from portal.accounts.requests import AuthenticatedRequest
from portal.core.iso_weeks import get_program_zone
from portal.reports.trends import build_trends


def show_trends(request: AuthenticatedRequest) -> HttpResponse:
    """Show the charts and tables of the last twelve weeks."""
    filters = parse_filters(request.user, request.GET)
    trends = build_trends(filters, timezone.now(), get_program_zone())
    has_several_partners = permissions.is_program_staff(request.user) or len(trends.partners) > 1
    context = {
        "choice": filters,
        "trends": trends,
        "several_partners": has_several_partners,
        "sla_url": build_filtered_url(request, "sla:dashboard"),
    }
    return render(request, "reports/trends.html", context)


urlpatterns = [path("sla/trends/", show_trends, name="trends")]
