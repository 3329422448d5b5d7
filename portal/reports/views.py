"""Report pages: list, report as page, CSV, and JSON, its emails, subscriptions, and unsubscribe."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.periods import parse_period
from portal.core.value_types import TemplateContext
from portal.notifications.unsubscribe import read_token
from portal.reports import deliveries, presenters, summaries, unsubscribe
from portal.reports.archive import search_reports
from portal.reports.forms import ReportFilterForm, ReportSubscriptionsForm, list_report_scopes
from portal.reports.models import Frequency, ReportSnapshot
from portal.reports.period_texts import describe_period
from portal.reports.recipients import Recipient, list_recipients
from portal.reports.scopes import ReportScope, can_manage_report, can_read_report, find_report_scope, get_display_name
from portal.ui.htmx import is_fragment_request
from portal.ui.pagination import paginate, redirect_to_list

FILE_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json", "pdf": "application/pdf"}
PAGE_SIZE = 50
# The email has inline styles and must not run or load anything.
PREVIEW_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"


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
    try:
        parse_period(period)  # PostgreSQL refuses texts with NUL
    except ValueError as error:
        raise Http404(_("Report not found.")) from error
    return get_object_or_404(ReportSnapshot, scope=scope, period=period), report_scope


def show_report(request: AuthenticatedRequest, scope: str, period: str) -> HttpResponse:
    """Show a report."""
    now = timezone.now()
    snapshot, report_scope = get_snapshot(request, scope, period)
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


def build_file_response(snapshot: ReportSnapshot, form: str, *, is_external: bool = False) -> HttpResponse:
    """Return a report as a file. `is_external`: its reader has no account."""
    figures = presenters.hide_confidential_changes(snapshot.figures) if is_external else snapshot.figures
    if form == "pdf":
        from portal.reports.pdf import render_pdf  # noqa: PLC0415 - loads fpdf, which no other page needs

        content: str | bytes = render_pdf(figures)
    else:
        content = {"csv": presenters.render_csv, "json": presenters.render_json}[form](figures)
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
    return build_file_response(file, form, is_external=True)


def update_subscriptions(request: AuthenticatedRequest) -> HttpResponse:
    """Save the report subscriptions. After a sign-in, show the input again."""
    if request.method != "POST":
        unsent = request.unsent()
        if unsent is None:
            return redirect("reports:list")
        return _render_list(request, ReportSubscriptionsForm(request.user, data=unsent))
    form = ReportSubscriptionsForm(request.user, data=request.POST)
    if not form.is_valid():
        return _render_list(request, form)
    form.save()
    messages.success(request, _("Report subscriptions saved."))
    return redirect_to_list(request, "reports:list")


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


def get_managed_snapshot(
    request: AuthenticatedRequest, scope: str, period: str
) -> tuple[ReportSnapshot, list[Recipient]]:
    """Return a report that the user manages and everyone who can receive it, or raise Http404."""
    snapshot, report_scope = get_snapshot(request, scope, period)
    if not can_manage_report(request.user, report_scope):
        raise Http404(_("Only managers of the program and staff can see the emails of this report."))
    return snapshot, list_recipients(report_scope)


def find_recipient(recipients: list[Recipient], key: str) -> Recipient:
    """Return the recipient with this key, or raise Http404."""
    match = next((each for each in recipients if each.key == key), None)
    if match is None:
        raise Http404(_("This person doesn't receive this report."))
    return match


def _get_preview_recipient(request: AuthenticatedRequest, recipients: list[Recipient]) -> Recipient:
    """Return the selected recipient, or else the viewer as a recipient."""
    key = request.GET.get("to", "")
    return find_recipient(recipients, key) if key else Recipient("", request.user, Frequency.NEVER)


@vary_on_headers("HX-Request")
def show_emails(request: AuthenticatedRequest, scope: str, period: str) -> HttpResponse:
    """Show the email to a recipient, without the links that are theirs alone, and the delivery to each.

    While the report is sent, htmx asks for the deliveries only.
    """
    snapshot, recipients = get_managed_snapshot(request, scope, period)
    recipient = _get_preview_recipient(request, recipients)
    rows = deliveries.list_deliveries(snapshot, recipients)
    preview_url = reverse("reports:email_html", args=[scope, period])
    is_sending = deliveries.is_sending(snapshot)
    context: TemplateContext = {
        "snapshot": snapshot,
        "label": describe_period(period),
        "name": get_display_name(scope, snapshot.figures["name"]),
        "reports_url": reverse("reports:list"),
        "report_url": reverse("reports:detail", args=[scope, period]),
        "recipients_url": None if scope.startswith("partner:") else reverse("reports:recipients", args=[scope]),
        "recipient": recipient,
        "email": deliveries.preview_report_email(snapshot, recipient, request.user, timezone.now()),
        "preview_url": f"{preview_url}?to={recipient.key}" if recipient.key else preview_url,
        "page": Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page")),
        "is_sending": is_sending,
        "poll_url": request.get_full_path() if is_sending else "",
        "pending_count": sum(each.is_pending for each in rows),
    }
    template = "reports/emails.html#deliveries" if is_fragment_request(request) else "reports/emails.html"
    return render(request, template, context)


# The page of a report's emails shows the preview in a frame.
@xframe_options_sameorigin
def show_email_html(request: AuthenticatedRequest, scope: str, period: str) -> HttpResponse:
    """Return the HTML part of the email as a page of its own, without scripts."""
    snapshot, recipients = get_managed_snapshot(request, scope, period)
    recipient = _get_preview_recipient(request, recipients)
    email = deliveries.preview_report_email(snapshot, recipient, request.user, timezone.now())
    return HttpResponse(email.html, headers={"Content-Security-Policy": PREVIEW_POLICY})


def send_emails(request: AuthenticatedRequest, scope: str, period: str) -> HttpResponse:
    """Send the report to everyone who still waits for it, or to one recipient."""
    snapshot, recipients = get_managed_snapshot(request, scope, period)
    if request.method != "POST":  # such as after a sign-in
        return redirect("reports:emails", scope, period)
    if key := request.POST.get("to", ""):
        recipient = find_recipient(recipients, key)
        deliveries.send_to_recipient(snapshot, recipient, actor=request.user, now=timezone.now())
        messages.success(request, _("Report email to %(email)s queued.") % {"email": recipient.email})
    else:
        deliveries.request_sending(snapshot, actor=request.user, now=timezone.now())
    return redirect_to_list(request, "reports:emails", scope, period)
