"""Why is this issue due when it is, and what can be done about it? One issue's page and its three buttons."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.sla.engine import inputs
from integrations.sla.filters import build_visibility_condition
from integrations.sla.issue_page import build_issue_page
from integrations.sla.models import SupportIssue
from integrations.sla.services import disputes
from integrations.submissions.views.mixins import require_button, require_permission
from portal.core.errors import ActionRefused
from portal.core.text_fields import MultiLineField
from portal.ui.refusals import raise_if_forbidden

DecisionFunction = Callable[..., Any]

FORM_NAMES = ("lower", "let_off", "ask", "dispute", "dismiss")


class ReasonForm(forms.Form):
    """Why: it is kept in the history, and both sides read it."""

    reason = MultiLineField(label=gettext_lazy("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}))


def load_issue(request: HttpRequest, uuid: UUID) -> SupportIssue:
    """The issue with all that its fold needs. Raises Http404 for what is not the person's to see."""
    issues = SupportIssue.objects.filter(build_visibility_condition(request.user), uuid=uuid).prefetch_related(
        inputs.EVENTS_PREFETCH
    )
    issue = issues.select_related("watch", "calendar", "policy", "integration__partner").first()
    if issue is None:
        raise Http404(_("This issue does not exist, or it is not visible to you."))
    return issue


def show_issue(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Both clocks, why, what happened, and what this person may do."""
    return _render_page(request, load_issue(request, uuid))


def _render_page(
    request: HttpRequest, issue: SupportIssue, bound_forms: dict[str, ReasonForm] | None = None
) -> HttpResponse:
    now, user = timezone.now(), request.user
    page = build_issue_page(issue, user, now)
    forms_by_name = {name: ReasonForm(auto_id=f"{name}-%s") for name in FORM_NAMES} | (bound_forms or {})
    is_critical, is_covered = page.state.severity == "critical", page.state.is_covered
    breaches = list(issue.breaches.order_by("due_at", "pk"))
    context = {
        "page": page,
        "issue": issue,
        "integration": issue.integration,
        "now": now,
        "forms": forms_by_name,
        "breaches": breaches,
        "can_dismiss_dispute": permissions.can_decide(issue.integration, user) and issue.disputed,
        "can_dispute": permissions.can_edit(issue.integration, user)
        and any(not breach.retracted_at for breach in breaches),
        "can_lower_severity": permissions.can_decide(issue.integration, user) and is_critical and is_covered,
        "can_exclude": permissions.can_decide(issue.integration, user) and is_covered,
        "can_request_lower_severity": permissions.can_edit(issue.integration, user) and is_critical and is_covered,
        "for_program": permissions.is_program_staff(user),
        "is_partner": permissions.can_edit(issue.integration, user),
        "open_form": next(iter(bound_forms), "") if bound_forms else "",
    }
    return render(request, "sla/issue.html", context, status=422 if bound_forms else 200)


def _handle_decision(
    request: HttpRequest, uuid: UUID, name: str, permission: Any, decide: DecisionFunction, message: str
) -> HttpResponse:
    """One button: check the reason, do it, say so; what was typed stays where it is not taken."""
    issue = load_issue(request, uuid)
    require_permission(permission, issue.integration, request.user)
    form = ReasonForm(request.POST, auto_id=f"{name}-%s")
    if not form.is_valid():
        return _render_page(request, issue, {name: form})
    try:
        decide(issue, form.cleaned_data["reason"], actor=request.user, now=timezone.now())
    except ActionRefused as refusal:
        raise_if_forbidden(refusal)
        form.add_error("reason", str(refusal))
        return _render_page(request, issue, {name: form})
    messages.success(request, message)
    return redirect("issue", uuid)


@require_button("issue")
def lower_severity(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The program agrees that it is not critical."""
    message = _("The severity is lowered. Both sides read why.")
    return _handle_decision(request, uuid, "lower", permissions.can_decide, disputes.lower_severity, message)


@require_button("issue")
def exclude_issue(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The program agrees that the promise does not cover it."""
    message = _("The promise does not cover this issue any more.")
    return _handle_decision(request, uuid, "let_off", permissions.can_decide, disputes.exclude_issue, message)


@require_button("issue")
def request_lower_severity(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The partner asks the program to lower the severity."""
    message = _("The program has your reason. The clock runs on until it agrees.")
    return _handle_decision(request, uuid, "ask", permissions.can_edit, disputes.request_lower_severity, message)


@require_button("issue")
def dispute_breach(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The partner disputes a breach that stands."""
    message = _("The program has your reason. The breach stands until it has decided.")
    return _handle_decision(request, uuid, "dispute", permissions.can_edit, disputes.dispute_breach, message)


@require_button("issue")
def dismiss_dispute(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The program leaves what is disputed as it is."""
    message = _("It stays as it is. Both sides read why.")
    return _handle_decision(request, uuid, "dismiss", permissions.can_decide, disputes.dismiss_dispute, message)


urlpatterns = [
    path("issues/<uuid:uuid>/", show_issue, name="issue"),
    path("issues/<uuid:uuid>/severity/", lower_severity, name="issue_lower"),
    path("issues/<uuid:uuid>/exclusion/", exclude_issue, name="issue_let_off"),
    path("issues/<uuid:uuid>/severity-request/", request_lower_severity, name="issue_ask"),
    path("issues/<uuid:uuid>/dispute/", dispute_breach, name="issue_dispute"),
    path("issues/<uuid:uuid>/dismiss/", dismiss_dispute, name="issue_dismiss"),
]
