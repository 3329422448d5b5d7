"""Template tags for forecasts and saved views. Use {% load analytics %}, then:

{% show_wait_forecast integration %}   forecast while the integration waits for the program
{% show_wait_forecasts rows %}         forecasts for the rows of a home page
{% show_program_forecast program %}    forecast of a program's decisions
{% show_saved_views "queue" %}         saved views and exports of a list
"""

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.programs.schema import Program
from integrations.submissions.models import Integration
from portal.analytics import waiting_times
from portal.analytics.exports import EXPORTS
from portal.analytics.models import SavedView
from portal.analytics.saved_views import middleware, services
from portal.core.value_types import TemplateContext

register = template.Library()


@register.inclusion_tag("analytics/wait_forecast.html")
def show_wait_forecast(integration: Integration) -> dict[str, object]:
    return {"estimate": waiting_times.estimate_wait(integration, timezone.now()), "row": integration}


@register.inclusion_tag("analytics/wait_forecast.html")
def show_program_forecast(program: Program) -> dict[str, object]:
    forecast = waiting_times.get_forecast(program.key, "review", timezone.now())
    return {"estimate": waiting_times.WaitEstimate(waiting_times.build_summary(program.key, "review", forecast))}


@register.inclusion_tag("analytics/wait_forecasts.html")
def show_wait_forecasts(rows: list[Integration]) -> dict[str, object]:
    """Show one summary for each program and stage of rows that wait for the program."""
    now = timezone.now()
    summaries: dict[tuple[str, str], str] = {}
    for row in rows:
        if (estimate := waiting_times.estimate_wait(row, now)) is not None:
            summaries.setdefault((row.program_key, row.stage), estimate.summary)
    return {"summaries": list(summaries.values())}


@register.inclusion_tag("analytics/saved_views_bar.html", takes_context=True)
def show_saved_views(context: TemplateContext, name: str) -> TemplateContext:
    """Show saved views and exports above a list, or nothing if the user can't save views of it."""
    request = context["request"]
    if not services.can_save(name, request.user):
        return {"views": [], "hidden": True}
    page = services.PAGES[name]
    current_query = services.normalize_query(page, request.GET.urlencode())
    entries = [_build_view_entry(page, current_query, view) for view in middleware.load_views(request, name)]
    obsolete_filters = [services.find_obsolete_filters(page, view["query"]) for view in entries if view["current"]]
    query_suffix = f"?{current_query}" if current_query else ""
    return {
        "views": entries,
        "path": reverse(page.url_name),
        "save_href": reverse("analytics:save_view", args=[name]) + query_suffix,
        "obsolete_filters": ", ".join(obsolete_filters[0]) if obsolete_filters else "",
        "files": _build_file_links(name, query_suffix),
    }


def _build_view_entry(page: services.SavablePage, current_query: str, view: SavedView) -> TemplateContext:
    query = services.normalize_query(page, view.query)
    return {
        "name": view.name,
        "href": page.build_url(view.query),
        "shared": view.owner_id is None,
        "query": view.query,
        "current": query == current_query and bool(query),
    }


def _build_file_links(name: str, query_suffix: str) -> list[tuple[str, str]]:
    """Return (label, URL) of each export of the list."""
    return [
        (
            f"{_(export.label)} {form.upper()}" if export.label else form.upper(),
            reverse(f"analytics:table_{form}", args=[table]) + query_suffix,
        )
        for table, export in EXPORTS.items()
        if export.page == name
        for form in ("csv", "xlsx")
    ]
