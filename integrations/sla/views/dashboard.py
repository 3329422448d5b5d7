"""Where are the promises watched? The dashboard, and the same list as CSV and JSON."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone

from integrations.partners import permissions
from integrations.sla import exports
from integrations.sla.dashboard_metrics import head_of
from integrations.sla.filters import chosen, in_state
from integrations.sla.presenters import rows_of
from portal.core.iso_weeks import zone
from portal.help.views import rules as views_rule
from portal.reports.trends import trends_of

SIZE, SOON = 50, 5


def sla(request: HttpRequest) -> HttpResponse:
    """The figures, what breaches next, and the list that the address asks for."""
    now = timezone.now()
    choice = chosen(request.user, request.GET)
    head = head_of(choice, now, request.GET)
    page = _page(request, choice.shown(now), head.count)
    found: Any = page.object_list
    soon = choice.clocks().filter(in_state("", now), due_at__gt=now, state="running").order_by("due_at", "pk")[:SOON]
    context: dict[str, Any] = {
        "choice": choice, "head": head, "page": page, "rows": rows_of(found, now), "now": now,
        "integration": choice.integration(),
        "soon": rows_of(soon, now, speakers=False) if not choice.state else [],
        "for_program": permissions.works_for_program(request.user),
        "trends_url": _file(request, "sla_trends"),
        "csv_url": _file(request, "sla_csv"), "json_url": _file(request, "sla_json"),
    }  # fmt: skip
    return render(request, "sla/dashboard.html", context)


def _page(request: HttpRequest, found: Any, count: int) -> Page:
    """One page of the list, whose length is known from the figures."""
    paginator = Paginator(found, SIZE)
    paginator.count = count  # type: ignore[misc]
    return paginator.get_page(request.GET.get("page"))


def _file(request: HttpRequest, name: str) -> str:
    query = request.GET.copy()
    query.pop("page", None)
    return reverse(name) + (f"?{query.urlencode()}" if query else "")


def sla_file(request: HttpRequest, form: str) -> StreamingHttpResponse:
    """Every row that the address asks for, not only a page of it."""
    now = timezone.now()
    choice = chosen(request.user, request.GET)
    found = choice.shown(now)
    body = exports.as_csv(found, now) if form == "csv" else exports.as_json(found, now, choice.in_force)
    kind = "text/csv; charset=utf-8" if form == "csv" else "application/json"
    named = {"Content-Disposition": f'attachment; filename="sla-{now:%Y-%m-%d}.{form}"'}
    return StreamingHttpResponse(body, kind, headers=named)


def sla_trends(request: HttpRequest) -> HttpResponse:
    """Twelve weeks in pictures and tables."""
    choice = chosen(request.user, request.GET)
    trends = trends_of(choice, timezone.now(), zone())
    several = permissions.works_for_program(request.user) or len(trends.partners) > 1
    context = {"choice": choice, "trends": trends, "several_partners": several, "sla_url": _file(request, "sla")}
    return render(request, "reports/trends.html", context)


urlpatterns = [
    *views_rule.urlpatterns,
    path("sla/", sla, name="sla"),
    path("sla/trends/", sla_trends, name="sla_trends"),
    *(path(f"sla/clocks.{form}", sla_file, {"form": form}, name=f"sla_{form}") for form in ("csv", "json")),
]
