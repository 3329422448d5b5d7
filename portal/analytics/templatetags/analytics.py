"""How do other rooms' pages show what the office knows? {% load office %}, then:

{% wait_of integration %}             the forecast while the program has the turn; nothing otherwise
{% waits_of_rows rows %}              the same for the rows of a home
{% saved_views "queue" %}             the bar above a list: saved views, and the list as files
{% waits_of program %}                the same for a program's page: how long its decisions take
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
def wait_of(integration: Integration) -> dict[str, Any]:
    return {"told": waiting_times.told(integration, timezone.now()), "row": integration}


@register.inclusion_tag("analytics/_forecast.html")
def waits_of(program: Program) -> dict[str, Any]:
    found = waiting_times.forecast_of(program.key, "review", timezone.now())
    return {"told": waiting_times.Told(waiting_times.sentence(program.key, "review", found))}


@register.inclusion_tag("analytics/_forecasts.html")
def waits_of_rows(rows: list[Integration]) -> dict[str, Any]:
    """What the home says below rows that wait for the program: a sentence for each program and stage among them."""
    now = timezone.now()
    found: dict[tuple[str, str], str] = {}
    for row in rows:
        if (told := waiting_times.told(row, now)) is not None:
            found.setdefault((row.program_key, row.stage), told.sentence)
    return {"sentences": list(found.values())}


@register.inclusion_tag("analytics/_views.html", takes_context=True)
def saved_views(context: Any, name: str) -> dict[str, Any]:
    """The bar above a list: its saved views, the way to save one, and the list as files. Nothing for whom the list is
    not meant."""
    request = context["request"]
    if not services.may_save(name, request.user):
        return {"views": [], "hidden": True}
    page, path = services.PAGES[name], reverse(name)
    now = services.normalised(page, request.GET.urlencode())
    found = [_shown(page, path, now, view) for view in middleware.views_of(request, name)]
    gone = [services.gone(page, view["query"]) for view in found if view["current"]]
    here = f"?{now}" if now else ""
    return {
        "views": found, "path": path, "save_href": reverse("view_save", args=[name]) + here,
        "gone": ", ".join(gone[0]) if gone else "", "files": _files(name, here),
    }  # fmt: skip


def _shown(page: services.Page, path: str, now: str, view: SavedView) -> dict[str, Any]:
    query = services.normalised(page, view.query)
    return {
        "name": view.name, "href": f"{path}?{query or 'view=all'}", "shared": view.owner_id is None,
        "query": view.query, "current": query == now and bool(query),
    }  # fmt: skip


def _files(name: str, here: str) -> list[tuple[str, str]]:
    """(words, address) of each file of the list; the SLA list has its own CSV."""
    return [
        (f"{_(words)} {form.upper()}" if words else form.upper(), reverse(f"table_{form}", args=[table]) + here)
        for table, words in exports.OFFERED.get(name, ())
        for form in ("csv", "xlsx")
        if (name, form) != ("sla", "csv")
    ]
