"""How do other rooms' pages show what the office knows? {% load office %}, then:

{% show_wait_forecast integration %}             the forecast while the program has the turn; nothing otherwise
{% show_wait_forecasts rows %}              the same for the rows of a home
{% show_saved_views "queue" %}             the bar above a list: saved views, and the list as files
{% show_program_forecast program %}                the same for a program's page: how long its decisions take
"""

from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.programs.schema import Program
from integrations.submissions.models import Integration
from portal.analytics import exports, waiting_times
from portal.analytics.models import SavedView
from portal.analytics.saved_views import middleware, services

register = template.Library()


@register.inclusion_tag("analytics/_forecast.html")
def show_wait_forecast(integration: Integration) -> dict[str, Any]:
    return {"told": waiting_times.estimate_wait(integration, timezone.now()), "row": integration}


@register.inclusion_tag("analytics/_forecast.html")
def show_program_forecast(program: Program) -> dict[str, Any]:
    forecast = waiting_times.get_forecast(program.key, "review", timezone.now())
    return {"told": waiting_times.WaitEstimate(waiting_times.build_sentence(program.key, "review", forecast))}


@register.inclusion_tag("analytics/_forecasts.html")
def show_wait_forecasts(rows: list[Integration]) -> dict[str, Any]:
    """What the home says below rows that wait for the program: a sentence for each program and stage among them."""
    now = timezone.now()
    sentences: dict[tuple[str, str], str] = {}
    for row in rows:
        if (estimate := waiting_times.estimate_wait(row, now)) is not None:
            sentences.setdefault((row.program_key, row.stage), estimate.sentence)
    return {"sentences": list(sentences.values())}


@register.inclusion_tag("analytics/_views.html", takes_context=True)
def show_saved_views(context: Any, name: str) -> dict[str, Any]:
    """The bar above a list: its saved views, the way to save one, and the list as files. Nothing for whom the list is
    not meant."""
    request = context["request"]
    if not services.can_save(name, request.user):
        return {"views": [], "hidden": True}
    page, path = services.PAGES[name], reverse(name)
    current_query = services.normalize_query(page, request.GET.urlencode())
    entries = [_build_view_entry(page, path, current_query, view) for view in middleware.load_views(request, name)]
    obsolete_filters = [services.find_obsolete_filters(page, view["query"]) for view in entries if view["current"]]
    query_suffix = f"?{current_query}" if current_query else ""
    return {
        "views": entries,
        "path": path,
        "save_href": reverse("view_save", args=[name]) + query_suffix,
        "gone": ", ".join(obsolete_filters[0]) if obsolete_filters else "",
        "files": _build_file_links(name, query_suffix),
    }


def _build_view_entry(page: services.SavablePage, path: str, current_query: str, view: SavedView) -> dict[str, Any]:
    query = services.normalize_query(page, view.query)
    return {
        "name": view.name, "href": f"{path}?{query or 'view=all'}", "shared": view.owner_id is None,
        "query": view.query, "current": query == current_query and bool(query),
    }  # fmt: skip


def _build_file_links(name: str, query_suffix: str) -> list[tuple[str, str]]:
    """(words, address) of each file of the list; the SLA list has its own CSV."""
    return [
        (f"{_(words)} {form.upper()}" if words else form.upper(), reverse(f"table_{form}", args=[table]) + query_suffix)
        for table, words in exports.TABLES_BY_PAGE.get(name, ())
        for form in ("csv", "xlsx")
        if (name, form) != ("sla", "csv")
    ]
