"""Where are the reports read? The list, one report as page, CSV and JSON, what a reader wants, and the one click."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from integrations.partners import permissions
from portal.reports import presenters, summaries, unsubscribe
from portal.reports.forms import WishesForm, scopes_of
from portal.reports.models import ReportWish, Snapshot
from portal.reports.scopes import may_read, name_of, reported
from portal.ui.pagination import page_of


@dataclass(frozen=True, slots=True)
class Row:
    """A report in the list."""

    week: str
    name: str
    verdict: str
    href: str
    made_at: datetime


def visible(user: Any) -> Any:
    """The snapshots that a person may read."""
    if permissions.works_for_program(user):
        return Snapshot.objects.all()
    return Snapshot.objects.filter(scope__in=[found.key for found in scopes_of(user)])


def reports(request: HttpRequest) -> HttpResponse:
    """Every report that the reader may read, newest first, and what reaches them."""
    page = page_of(request, visible(request.user))
    return render(request, "reports/reports.html", {"page": _told(page), "form": WishesForm(request.user)})


def _told(page: Page) -> Page:
    page.object_list = [
        Row(
            s.week,
            _named(s.figures),
            summaries.verdict(s.figures),
            reverse("report", args=[s.scope, s.week]),
            s.made_at,
        )
        for s in page.object_list
    ]
    return page


def _named(figures: Mapping[str, Any]) -> str:
    """Whose report it is; of all programs in the reader's language, of one as it was named then."""
    return name_of(figures["scope"], figures["name"])


def found(request: HttpRequest, scope: str, week: str) -> Snapshot:
    """The frozen report, where the reader may read it."""
    known = reported(scope)
    if known is None or not may_read(request.user, known):
        raise Http404("There is nothing here for you.")
    return get_object_or_404(Snapshot, scope=scope, week=week)


def report(request: HttpRequest, scope: str, week: str) -> HttpResponse:
    """One report as a page."""
    figures = found(request, scope, week).figures
    todo = summaries.to_do(figures)
    told = presenters.shown(figures) | {"name": _named(figures)}
    context: dict[str, Any] = {"report": told, "reports_url": reverse("reports")}
    context |= {"turn": capfirst(todo) or summaries.at_rest(figures), "is_mine": bool(todo), "is_at_rest": not todo}
    return render(request, "reports/report.html", context)


def report_file(request: HttpRequest, scope: str, week: str, form: str) -> HttpResponse:
    """The same figures as CSV or JSON."""
    figures = found(request, scope, week).figures
    say, kind = {
        "csv": (presenters.as_csv, "text/csv; charset=utf-8"),
        "json": (presenters.as_json, "application/json"),
    }[form]
    name = f"sla-{scope.replace(':', '-')}-{week}.{form}"
    return HttpResponse(say(figures), kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@require_POST
def report_wishes(request: HttpRequest) -> HttpResponse:
    """Keep what the reader wants."""
    form = WishesForm(request.user, request.POST)
    if not form.is_valid():
        page = _told(page_of(request, visible(request.user)))
        return render(request, "reports/reports.html", {"page": page, "form": form}, status=422)
    form.save()
    messages.success(request, _("What reaches you is saved."))
    return redirect("reports")


@csrf_exempt  # the token is the proof: a mail program posts without a session
@login_not_required
def report_stop(request: HttpRequest, token: str) -> HttpResponse:
    """One click and the report stops. A GET only asks: mail scanners open every link."""
    named = unsubscribe.read(token)
    known = reported(named[1]) if named else None
    if named is None or known is None:
        raise Http404("This link names no report.")
    if request.method == "POST":
        unsubscribe.wish(*named, ReportWish.Frequency.NEVER)
    context = {"reader": named[0], "name": name_of(known.key, known.name), "done": request.method == "POST"}
    return render(request, "reports/stop.html", context)


urlpatterns = [
    path("reports/", reports, name="reports"),
    path("reports/wishes/", report_wishes, name="report_wishes"),
    path("reports/stop/<str:token>/", report_stop, name="report_stop"),
    path("reports/<str:scope>/<str:week>/", report, name="report"),
    *(
        path(f"reports/<str:scope>/<str:week>.{form}", report_file, {"form": form}, name=f"report_{form}")
        for form in ("csv", "json")
    ),
]
