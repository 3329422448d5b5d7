"""Issue page with its decisions and requests."""

from collections.abc import Callable
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.partners.permissions import PermissionRule
from integrations.sla.engine import inputs
from integrations.sla.filters import build_visibility_condition
from integrations.sla.issue_page import build_issue_page
from integrations.sla.models import SupportIssue
from integrations.sla.services import disputes
from integrations.submissions.views.mixins import require_button, require_permission
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.text_fields import MultiLineField
from portal.ui.refusals import raise_if_forbidden

DecisionFunction = Callable[..., object]

FORM_NAMES = ("lower", "let_off", "ask", "dispute", "dismiss")


class ReasonForm(forms.Form):
    """Reason that both sides can read in the history."""

    reason = MultiLineField(label=gettext_lazy("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}))


def load_issue(request: AuthenticatedRequest, uuid: UUID) -> SupportIssue:
    """Load an issue with everything that its projection needs. Raises Http404 if the user can't see it."""
    issues = SupportIssue.objects.filter(build_visibility_condition(request.user), uuid=uuid).prefetch_related(
        inputs.EVENTS_PREFETCH
    )
    issue = issues.select_related("watch", "calendar", "policy", "integration__partner").first()
    if issue is None:
        raise Http404(_("Issue not found. It doesn't exist, or you don't have access."))
    return issue


def show_issue(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show both clocks, explanations, the timeline, and the user's actions."""
    return _render_page(request, load_issue(request, uuid))


def _render_page(
    request: AuthenticatedRequest, issue: SupportIssue, bound_forms: dict[str, ReasonForm] | None = None
) -> HttpResponse:
    now, user = timezone.now(), request.user
    page = build_issue_page(issue, user, now)
    forms_by_name = {name: ReasonForm(auto_id=f"{name}-%s") for name in FORM_NAMES} | (bound_forms or {})
    is_critical, is_covered = page.state.severity == "critical", page.state.is_covered
    breaches = list(issue.breaches.order_by("due_at", "pk"))
    can_decide = permissions.can_decide(issue.integration, user)
    can_edit = permissions.can_edit(issue.integration, user)
    actions = {
        "can_dismiss_dispute": bool(can_decide and issue.disputed),
        "can_dispute": can_edit and any(not breach.retracted_at for breach in breaches),
        "can_lower_severity": can_decide and is_critical and is_covered,
        "can_exclude": can_decide and is_covered,
        "can_request_lower_severity": can_edit and is_critical and is_covered,
    }
    context = actions | {
        "page": page,
        "issue": issue,
        "integration": issue.integration,
        "now": now,
        "forms": forms_by_name,
        "breaches": breaches,
        "has_actions": any(actions.values()),
        "for_program": permissions.is_program_staff(user),
        "is_partner": can_edit,
        "open_form": next(iter(bound_forms), "") if bound_forms else "",
    }
    return render(request, "sla/issue.html", context, status=422 if bound_forms else 200)


def _handle_decision(
    request: AuthenticatedRequest,
    uuid: UUID,
    name: str,
    permission: PermissionRule,
    decide: DecisionFunction,
    message: str,
) -> HttpResponse:
    """Validate the reason and perform the action. After a refusal, show the form with the entered text."""
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
    return redirect("sla:issue", uuid)


@require_button("sla:issue")
def lower_severity(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Lower the severity of the issue."""
    message = _("Severity lowered. The partner and the program can see the reason.")
    return _handle_decision(request, uuid, "lower", permissions.can_decide, disputes.lower_severity, message)


@require_button("sla:issue")
def exclude_issue(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Exclude the issue from the SLA."""
    message = _("Issue excluded. SLA targets no longer apply to it.")
    return _handle_decision(request, uuid, "let_off", permissions.can_decide, disputes.exclude_issue, message)


@require_button("sla:issue")
def request_lower_severity(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Request a lower severity."""
    message = _("Request sent to the program. The clock keeps running until the program decides.")
    return _handle_decision(request, uuid, "ask", permissions.can_edit, disputes.request_lower_severity, message)


@require_button("sla:issue")
def dispute_breach(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Dispute a breach."""
    message = _("Dispute sent to the program. The breach stays on record until the program decides.")
    return _handle_decision(request, uuid, "dispute", permissions.can_edit, disputes.dispute_breach, message)


@require_button("sla:issue")
def dismiss_dispute(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Dismiss the open dispute."""
    message = _("Dispute dismissed. The partner and the program can see the reason.")
    return _handle_decision(request, uuid, "dismiss", permissions.can_decide, disputes.dismiss_dispute, message)


urlpatterns = [
    path("issues/<uuid:uuid>/", show_issue, name="issue"),
    path("issues/<uuid:uuid>/severity/", lower_severity, name="lower_severity"),
    path("issues/<uuid:uuid>/exclusion/", exclude_issue, name="exclude_issue"),
    path("issues/<uuid:uuid>/severity-request/", request_lower_severity, name="request_lower_severity"),
    path("issues/<uuid:uuid>/dispute/", dispute_breach, name="dispute_breach"),
    path("issues/<uuid:uuid>/dismiss/", dismiss_dispute, name="dismiss_dispute"),
]
