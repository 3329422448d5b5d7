"""Page of a program's report recipients and schedule, and the links that recipients without an account get."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import TemplateContext
from portal.reports import schedules, unsubscribe
from portal.reports.forms import ExternalRecipientForm, FrequencyForm, ReportScheduleForm
from portal.reports.models import ExternalRecipient, Frequency
from portal.reports.recipients import list_external_recipients, list_recipients, load_schedules
from portal.reports.scopes import ReportScope, can_manage_report, find_report_scope, get_display_name
from portal.ui.refusals import add_refusals_to_form


def get_managed_scope(request: AuthenticatedRequest, scope: str) -> ReportScope:
    """Return the scope of a program, or of all, whose reports the user manages, or raise Http404."""
    report_scope = find_report_scope(scope)
    if report_scope is None or report_scope.partner or not can_manage_report(request.user, report_scope):
        raise Http404(_("Only managers of the program and staff can edit the recipients of its report."))
    return report_scope


def edit_recipients(request: AuthenticatedRequest, scope: str) -> HttpResponse:
    """Show who receives a report and when, or save the roles and the schedule."""
    report_scope = get_managed_scope(request, scope)
    schedule = load_schedules([scope])[scope]
    form = ReportScheduleForm(instance=schedule, data=request.POST if request.method == "POST" else None)
    if form.is_valid():
        changes = {name: form.cleaned_data[name] for name in form.changed_data}
        schedules.change_schedule(scope, changes, actor=request.user, now=timezone.now())
        messages.success(request, _("Recipients and schedule saved."))
        return redirect("reports:recipients", scope)
    return _render_page(request, report_scope, form, ExternalRecipientForm(scope))


def _render_page(
    request: AuthenticatedRequest,
    report_scope: ReportScope,
    form: ReportScheduleForm,
    external_form: ExternalRecipientForm,
) -> HttpResponse:
    readers = [each for each in list_recipients(report_scope) if each.person and each.frequency != Frequency.NEVER]
    context: TemplateContext = {
        "scope": report_scope.key,
        "name": get_display_name(report_scope.key, report_scope.name),
        "reports_url": reverse("reports:list"),
        "form": form,
        "external_form": external_form,
        "readers": readers,
        "external_recipients": list_external_recipients(report_scope.key).select_related("added_by"),
    }
    is_refused = bool(form.errors or external_form.errors)
    return render(request, "reports/recipients.html", context, status=422 if is_refused else 200)


def add_external_recipient(request: AuthenticatedRequest, scope: str) -> HttpResponse:
    """Add a recipient without an account, who must confirm. After a sign-in, show the input again."""
    report_scope = get_managed_scope(request, scope)
    if request.method == "POST":
        form = ExternalRecipientForm(scope, data=request.POST)
    elif unsent := request.unsent():
        form = ExternalRecipientForm(scope, initial=unsent.dict())
    else:
        return redirect("reports:recipients", scope)
    if form.is_valid():
        email = form.cleaned_data["email"]
        frequency = Frequency(form.cleaned_data["frequency"])
        # The form has compared the address with the recipients, but a second request can be faster.
        with add_refusals_to_form(form, "email"):
            schedules.add_external_recipient(report_scope, email, frequency, actor=request.user, now=timezone.now())
            messages.success(request, _("We asked %(email)s to confirm.") % {"email": email})
            return redirect("reports:recipients", scope)
    schedule_form = ReportScheduleForm(instance=load_schedules([scope])[scope])
    return _render_page(request, report_scope, schedule_form, form)


def remove_external_recipient(request: AuthenticatedRequest, scope: str, pk: int) -> HttpResponse:
    """Stop the reports to a recipient without an account."""
    get_managed_scope(request, scope)
    if request.method != "POST":  # such as after a sign-in
        return redirect("reports:recipients", scope)
    recipients: QuerySet[ExternalRecipient] = list_external_recipients(scope)
    # Only of this scope: managers of one program can't end the reports of another.
    recipient = get_object_or_404(recipients, pk=pk)
    schedules.end_external_recipient(recipient, actor=request.user, now=timezone.now())
    messages.success(request, _("%(email)s no longer receives this report.") % {"email": recipient.email})
    return redirect("reports:recipients", scope)


@csrf_exempt  # the token is the proof: a mail program posts without a session
@login_not_required
def confirm_or_unsubscribe(request: HttpRequest, token: str, *, is_unsubscribing: bool) -> HttpResponse:
    """Confirm or unsubscribe as a recipient. GET only asks, because email scanners open all links."""
    recipient = unsubscribe.find_external_recipient(token)
    report_scope = find_report_scope(recipient.scope) if recipient else None
    if recipient is None or report_scope is None:
        raise Http404(_("This link is no longer valid."))
    form = FrequencyForm(instance=recipient, data={"frequency": recipient.frequency, **request.POST.dict()})
    is_current = True
    if request.method == "POST" and is_unsubscribing:
        schedules.end_external_recipient(recipient, actor=None, now=timezone.now())
    elif request.method == "POST" and form.is_valid():
        is_current = schedules.confirm_external_recipient(form.save(commit=False), timezone.now())
    if not is_current:
        raise Http404(_("This link is no longer valid."))
    is_refused = bool(request.method == "POST" and not is_unsubscribing and form.errors)
    context = {
        "form": None if is_unsubscribing else form,
        "email": recipient.email,
        "name": get_display_name(report_scope.key, report_scope.name),
        "is_done": request.method == "POST" and not is_refused,
        "is_unsubscribing": is_unsubscribing,
    }
    return render(request, "reports/subscription.html", context, status=422 if is_refused else 200)
