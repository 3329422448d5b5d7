"""Buttons of findings: verify, reopen, edit, withdraw, reply, verify all, and add from templates."""

from collections.abc import Callable
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.partners import permissions
from integrations.reviews.finding_templates import build_findings
from integrations.reviews.presence import end_writing
from integrations.reviews.views.review import load_finding
from integrations.submissions.access import (
    load_integration_for_program,
    redirect_get_to,
    require_permission,
    require_program_staff,
)
from integrations.submissions.forms.findings import FindingForm, FindingReopeningForm, FindingReplyForm
from integrations.submissions.models import Finding
from integrations.submissions.services import findings as finding_services
from integrations.submissions.views.texts import build_text_context, is_submitted, report_mentions
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.primary_keys import parse_pk
from portal.ui.refusals import add_refusals_to_form, render_action_form, report_refusals

FindingView = Callable[[AuthenticatedRequest, int], HttpResponse]


def build_text_view(
    form_class: type[forms.Form],
    perform: Callable[..., None],
    label: str,
    *,
    restored_label: str = "",
    is_for_program: bool = False,
) -> FindingView:
    """Return the view of a button that sends a text about a finding. After a sign-in, it shows the text again.

    `perform`: the service. `restored_label`: the label of the button after a sign-in, if it is another one.
    """

    def handle(request: AuthenticatedRequest, pk: int) -> HttpResponse:
        finding = load_finding(request, pk)
        if request.method != "POST":
            unsent = request.unsent()
            if unsent is None:
                return _redirect_to_finding(request, finding)
            # Not bound, because the reason for reopening can be blank.
            form = form_class(initial=unsent.dict())
            return _render_action_form(request, finding, form, _(restored_label or label), unsent)
        if is_for_program:
            require_program_staff(request)
        form = form_class(request.POST)
        if is_submitted(request) and form.is_valid():
            with add_refusals_to_form(form):
                perform(finding, **form.cleaned_data, actor=request.user, now=timezone.now())
                text = form.cleaned_data["text"]
                report_mentions(request, finding.integration, text, internal=not finding.is_visible_to_partner)
                return _redirect_to_finding(request, finding)
        return _render_action_form(request, finding, form, _(label))

    return handle


edit_finding = build_text_view(
    FindingForm, finding_services.edit_finding, gettext_noop("Save finding"), is_for_program=True
)
reply_to_finding = build_text_view(FindingReplyForm, finding_services.reply_to_finding, gettext_noop("Send reply"))
reopen_finding = build_text_view(
    FindingReopeningForm,
    finding_services.reopen_finding,
    gettext_noop("Reopen finding"),
    restored_label=gettext_noop("Reopen with this reason"),
    is_for_program=True,
)


@redirect_get_to("reviews:queue")
def verify_finding(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Verify a finding."""
    finding = load_finding(request, pk)
    require_program_staff(request)
    with report_refusals(request):
        finding_services.verify_finding(finding, actor=request.user, now=timezone.now())
    return _redirect_to_finding(request, finding)


@redirect_get_to("reviews:queue")
def withdraw_finding(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Withdraw a finding that the partner can't see yet."""
    finding = load_finding(request, pk)
    require_program_staff(request)
    with report_refusals(request, _("You withdrew finding %(number)s.") % {"number": finding.number}):
        finding_services.withdraw_finding(finding, actor=request.user, now=timezone.now())
    return redirect(f"{reverse('reviews:review', args=[finding.integration.uuid])}#findings")


@redirect_get_to("reviews:review")
def verify_findings(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Verify the selected findings with a response."""
    integration = load_integration_for_program(request, uuid)
    require_permission(permissions.can_decide, integration, request.user)
    pks = [pk for text in request.POST.getlist("finding") if (pk := parse_pk(text)) is not None]
    with report_refusals(request):
        if not pks:
            raise ActionRefused(_("Select at least one finding."), "validation-error")
        count = finding_services.verify_resolved_findings(integration, actor=request.user, now=timezone.now(), pks=pks)
        message = ngettext("You verified %(count)s finding.", "You verified %(count)s findings.", count)
        messages.success(request, message % {"count": count})
        end_writing(integration, request.user)
    return redirect(f"{reverse('reviews:review', args=[uuid])}#findings")


@redirect_get_to("reviews:review")
def apply_templates(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Add findings from the selected templates, and open the request for changes if that button was pressed."""
    integration = load_integration_for_program(request, uuid)
    with report_refusals(request):
        new_findings = build_findings(integration, request.POST.getlist("template"))
        if not new_findings:
            raise ActionRefused(_("Select at least one template."), "validation-error")
        finding_services.raise_findings(integration, new_findings, actor=request.user, now=timezone.now())
        count = len(new_findings)
        message = ngettext("You added %(count)s finding.", "You added %(count)s findings.", count)
        messages.success(request, message % {"count": count})
        if "request_changes" in request.POST:
            return redirect("reviews:transition", uuid, "request_changes")
    return redirect(f"{reverse('reviews:review', args=[uuid])}#findings")


def _redirect_to_finding(request: AuthenticatedRequest, finding: Finding) -> HttpResponseRedirect:
    if permissions.can_view_notes(finding.integration, request.user):
        end_writing(finding.integration, request.user)
    return redirect(_build_finding_url(request, finding))


def _build_finding_url(request: AuthenticatedRequest, finding: Finding) -> str:
    for_program = permissions.can_view_notes(finding.integration, request.user)
    page = "reviews:review" if for_program else "submissions:detail"
    return f"{reverse(page, args=[finding.integration.uuid])}#finding-{finding.number}"


def _render_action_form(
    request: AuthenticatedRequest, finding: Finding, form: forms.Form, label: str, values: QueryDict | None = None
) -> HttpResponse:
    """Show the form on a page of its own, with a preview of the text if its button was pressed."""
    is_internal = not finding.is_visible_to_partner
    return render_action_form(
        request,
        form,
        values or request.POST,
        label=label,
        cancel_url=_build_finding_url(request, finding),
        template="reviews/finding_text.html",
        integration=finding.integration,
        internal=is_internal,
        **build_text_context(request, finding.integration, internal=is_internal),
    )
