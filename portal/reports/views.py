"""Report pages: list, report as page, CSV, and JSON, subscriptions, and unsubscribe."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from integrations.partners import permissions
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import TemplateContext
from portal.notifications.unsubscribe import read_token
from portal.reports import presenters, summaries, unsubscribe
from portal.reports.archive import search_reports
from portal.reports.forms import ReportFilterForm, ReportSubscriptionsForm, list_report_scopes
from portal.reports.models import Frequency, ReportSnapshot
from portal.reports.period_texts import describe_period
from portal.reports.scopes import ReportScope, can_manage_report, can_read_report, find_report_scope, get_display_name
from portal.ui.pagination import paginate

FILE_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json", "pdf": "application/pdf"}


def list_visible_snapshots(user: User) -> QuerySet[ReportSnapshot]:
    """Return the snapshots that a user can read."""
    if permissions.is_program_staff(user):
        return ReportSnapshot.objects.all()
    return ReportSnapshot.objects.filter(scope__in=[report_scope.key for report_scope in list_report_scopes(user)])


def list_reports(request: AuthenticatedRequest) -> HttpResponse:
    """Show the reports of the user, newest first, and the subscriptions."""
    return _render_list(request, ReportSubscriptionsForm(request.user))


def _render_list(request: AuthenticatedRequest, form: ReportSubscriptionsForm) -> HttpResponse:
    filter_form = ReportFilterForm(request.user, data=request.GET)
    # Invalid filters are left out of `cleaned_data`, and the others still apply.
    filter_form.is_valid()
    page = paginate(request, search_reports(list_visible_snapshots(request.user), filter_form.cleaned_data))
    now = timezone.now()
    rows = [
        (
            row,
            describe_period(row.period),
            get_display_name(row.scope, row.figures["name"]),
            summaries.build_verdict(summaries.describe_as_of(row.figures, now)),
        )
        for row in page
    ]
    managed = [
        (each.key, get_display_name(each.key, each.name))
        for each in list_report_scopes(request.user)
        if not each.partner and can_manage_report(request.user, each)
    ]
    context = {
        "page": page,
        "rows": rows,
        "form": form,
        "filter_form": filter_form,
        "is_filtered": any(filter_form.cleaned_data.values()),
        "managed": managed,
        "is_program_staff": permissions.is_program_staff(request.user),
    }
    return render(request, "reports/reports.html", context, status=422 if form.errors else 200)


def get_snapshot(request: AuthenticatedRequest, scope: str, period: str) -> tuple[ReportSnapshot, ReportScope]:
    """Return a report that the user can read, and its scope, or raise Http404."""
    # Not a refusal, which would reveal which companies and reports exist.
    report_scope = find_report_scope(scope)
    if report_scope is None or not can_read_report(request.user, report_scope):
        raise Http404(_("Report not found."))
    return get_object_or_404(ReportSnapshot, scope=scope, period=period), report_scope


def show_report(request: AuthenticatedRequest, scope: str, period: str) -> HttpResponse:
    """Show a report."""
    (snapshot, report_scope), now = get_snapshot(request, scope, period), timezone.now()
    action = summaries.describe_required_action(summaries.describe_as_of(snapshot.figures, now))
    context: TemplateContext = {
        "report": presenters.build_current_context(snapshot.figures, now),
        "can_manage": can_manage_report(request.user, report_scope),
        "scope": scope,
        "reports_url": reverse("reports:list"),
        "action": action,
        "is_mine": bool(action),
        "is_at_rest": not action,
    }
    return render(request, "reports/report.html", context)


def download_report(request: AuthenticatedRequest, scope: str, period: str, form: str) -> HttpResponse:
    """Return a report as CSV, JSON, or PDF."""
    return build_file_response(get_snapshot(request, scope, period)[0], form)


def build_file_response(snapshot: ReportSnapshot, form: str) -> HttpResponse:
    """Return a report as a file."""
    if form == "pdf":
        from portal.reports.pdf import render_pdf  # noqa: PLC0415 - loads fpdf, which no other page needs

        content: str | bytes = render_pdf(snapshot.figures)
    else:
        content = {"csv": presenters.render_csv, "json": presenters.render_json}[form](snapshot.figures)
    filename = f"sla-{snapshot.scope.replace(':', '-')}-{snapshot.period}.{form}"
    return HttpResponse(
        content, FILE_TYPES[form], headers={"Content-Disposition": f'attachment; filename="{filename}"'}
    )


@login_not_required
# Many proxies store .pdf and .csv files by default, which would outlive the access of a removed recipient.
@cache_control(private=True, no_store=True)
def download_shared_report(request: HttpRequest, token: str, form: str) -> HttpResponse:
    """Return a report as a file for a recipient without an account, while they receive reports."""
    file = unsubscribe.find_shared_report(token)
    if file is None:
        raise Http404(_("This link is no longer valid."))
    return build_file_response(file, form)


@require_POST
def update_subscriptions(request: AuthenticatedRequest) -> HttpResponse:
    """Save the report subscriptions."""
    form = ReportSubscriptionsForm(request.user, data=request.POST)
    if not form.is_valid():
        return _render_list(request, form)
    form.save()
    messages.success(request, _("Report subscriptions saved."))
    return redirect("reports:list")


@csrf_exempt  # the token is the proof: a mail program posts without a session
@login_not_required
def stop_report(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe from a report. GET only asks for confirmation, because email scanners open all links."""
    reader_and_scope = read_token(token, salt=unsubscribe.SALT)
    report_scope = find_report_scope(reader_and_scope[1]) if reader_and_scope else None
    if reader_and_scope is None or report_scope is None:
        raise Http404(_("This link is no longer valid."))
    if request.method == "POST":
        unsubscribe.update_subscription(*reader_and_scope, Frequency.NEVER)
    context = {
        "email": reader_and_scope[0].email,
        "name": get_display_name(report_scope.key, report_scope.name),
        "is_done": request.method == "POST",
        "is_unsubscribing": True,
        "has_account": True,
    }
    return render(request, "reports/subscription.html", context)


urlpatterns = [
    path("reports/", list_reports, name="list"),
    path("reports/subscriptions/", update_subscriptions, name="subscriptions"),
    *(
        path(f"reports/files/<str:token>.{form}", download_shared_report, {"form": form}, name=f"shared_{form}")
        for form in ("csv", "pdf")
    ),
    path("reports/stop/<str:token>/", stop_report, name="stop"),
    path("reports/<str:scope>/<str:period>/", show_report, name="detail"),
    *(
        path(f"reports/<str:scope>/<str:period>.{form}", download_report, {"form": form}, name=f"detail_{form}")
        for form in FILE_TYPES
    ),
]
