"""Staff page of a report's emails: exact preview, delivery state, and sending by hand."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST

from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import TemplateContext
from portal.reports import deliveries
from portal.reports.models import Frequency, ReportSnapshot
from portal.reports.period_texts import describe_period
from portal.reports.recipients import Recipient, list_recipients
from portal.reports.scopes import can_manage_report, get_display_name
from portal.reports.views import get_snapshot

PAGE_SIZE = 50
# The email has inline styles and must not run or load anything.
PREVIEW_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"


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


def show_emails(request: AuthenticatedRequest, scope: str, period: str) -> HttpResponse:
    """Show the email to a recipient, without the links that are theirs alone, and the delivery to each."""
    snapshot, recipients = get_managed_snapshot(request, scope, period)
    recipient = _get_preview_recipient(request, recipients)
    rows = deliveries.list_deliveries(snapshot, recipients)
    preview_url = reverse("reports:email_html", args=[scope, period])
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
        "is_sending": deliveries.is_sending(snapshot),
        "pending_count": sum(each.is_pending for each in rows),
    }
    return render(request, "reports/emails.html", context)


# The page of a report's emails shows the preview in a frame.
@xframe_options_sameorigin
def show_email_html(request: AuthenticatedRequest, scope: str, period: str) -> HttpResponse:
    """Return the HTML part of the email as a page of its own, without scripts."""
    snapshot, recipients = get_managed_snapshot(request, scope, period)
    recipient = _get_preview_recipient(request, recipients)
    email = deliveries.preview_report_email(snapshot, recipient, request.user, timezone.now())
    return HttpResponse(email.html, headers={"Content-Security-Policy": PREVIEW_POLICY})


@require_POST
def send_emails(request: AuthenticatedRequest, scope: str, period: str) -> HttpResponse:
    """Send the report to everyone who still waits for it, or to one recipient."""
    snapshot, recipients = get_managed_snapshot(request, scope, period)
    if key := request.POST.get("to", ""):
        recipient = find_recipient(recipients, key)
        deliveries.send_to_recipient(snapshot, recipient, actor=request.user, now=timezone.now())
        messages.success(request, _("Report sent to %(email)s.") % {"email": recipient.email})
    else:
        deliveries.request_sending(snapshot, actor=request.user, now=timezone.now())
    return redirect("reports:emails", scope, period)


urlpatterns = [
    path("reports/<str:scope>/<str:period>/emails/", show_emails, name="emails"),
    path("reports/<str:scope>/<str:period>/emails/preview/", show_email_html, name="email_html"),
    path("reports/<str:scope>/<str:period>/emails/send/", send_emails, name="send_emails"),
]
