"""Issue page with its decisions and requests."""

from collections.abc import Callable, Mapping
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from integrations.partners.permissions import PermissionRule
from integrations.sla.decision_effects import lock_for_preview, preview_decision
from integrations.sla.engine import inputs
from integrations.sla.filters import build_visibility_condition
from integrations.sla.issue_decisions import DECISIONS, IssueDecision
from integrations.sla.issue_page import build_issue_page
from integrations.sla.models import SupportIssue
from integrations.sla.services.disputes import list_open_requests
from integrations.submissions.views.access import require_permission
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.form_fields import MultiLineField
from portal.core.value_types import TemplateContext
from portal.ui.refusals import raise_if_forbidden

EFFECT_REFUSAL = gettext_lazy("The effect isn't available right now. Reload the page.")


class ReasonForm(forms.Form):
    """Reason that both sides can read in the history."""

    reason = MultiLineField(label=gettext_lazy("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}))


def load_issue(request: AuthenticatedRequest, uuid: UUID) -> SupportIssue:
    """Load an issue with everything that its projection needs. Raises Http404 if the user can't see it."""
    issues = inputs.select_issues().select_related("integration__partner")
    issue = issues.filter(build_visibility_condition(request.user), uuid=uuid).first()
    if issue is None:
        raise Http404(_("Issue not found. It doesn't exist, or you don't have access."))
    return issue


def show_issue(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show both clocks, explanations, the timeline, and the user's actions."""
    return _render_page(request, load_issue(request, uuid), {})


BoundForms = Mapping[str, ReasonForm]


def _render_page(request: AuthenticatedRequest, issue: SupportIssue, bound_forms: BoundForms) -> HttpResponse:
    context = _build_context(request, issue, bound_forms)
    return render(request, "sla/issue.html", context, status=422 if bound_forms and request.method == "POST" else 200)


def _build_context(request: AuthenticatedRequest, issue: SupportIssue, bound_forms: BoundForms) -> TemplateContext:
    now, user = timezone.now(), request.user
    page = build_issue_page(issue, user, now)
    breaches = list(issue.breaches.order_by("due_at", "pk"))
    rules: tuple[PermissionRule, ...] = (permissions.can_decide, permissions.can_edit)
    has_permission = {rule: rule(issue.integration, user) for rule in rules}
    decisions = [
        (decision, bound_forms.get(decision.name) or ReasonForm(auto_id=f"{decision.slug}-%s"))
        for decision in DECISIONS
        if has_permission[decision.permission]
        and (decision.name in bound_forms or decision.is_possible(issue, page.state, breaches))
    ]
    return {
        "page": page,
        "issue": issue,
        "integration": issue.integration,
        "now": now,
        "decisions": decisions,
        "breaches": breaches,
        "for_program": permissions.is_program_staff(user),
        "is_partner": has_permission[permissions.can_edit],
        "can_decide": has_permission[permissions.can_decide],
    }


def load_dispute(request: AuthenticatedRequest, uuid: UUID) -> SupportIssue:
    """Load an issue for a decision about its dispute. Raises PermissionDenied if the user can't decide."""
    issue = load_issue(request, uuid)
    require_permission(permissions.can_decide, issue.integration, request.user)
    return issue


def show_dispute(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show a dispute with the possible decisions and the effect of each."""
    issue = load_dispute(request, uuid)
    return _render_dispute(request, issue, {}) if issue.disputed else redirect("sla:issue", uuid)


def build_dispute_context(
    request: AuthenticatedRequest, issue: SupportIssue, bound_forms: BoundForms
) -> TemplateContext:
    """Return the context of the issue with the effect of each decision that the user can take."""
    context = _build_context(request, issue, bound_forms)
    with transaction.atomic():
        is_locked = lock_for_preview(issue)
        decisions = [
            (decision, form, preview_decision(decision, issue, actor=request.user, now=context["now"]))
            if is_locked
            else (decision, form, None)
            for decision, form in context["decisions"]
            if decision.permission is permissions.can_decide
        ]
    return context | {"decisions": decisions, "effect_refusal": "" if is_locked else EFFECT_REFUSAL}


def _render_dispute(request: AuthenticatedRequest, issue: SupportIssue, bound_forms: BoundForms) -> HttpResponse:
    context = build_dispute_context(request, issue, bound_forms)
    context["requests"] = list_open_requests(context["page"].decisions)
    return render(request, "sla/dispute.html", context, status=422 if bound_forms and request.method == "POST" else 200)


def build_decision_view(decision: IssueDecision) -> Callable[..., HttpResponse]:
    """Return the view of a decision. After a refusal, it shows the form with the entered reason."""

    def decide(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
        form_data = request.POST if request.method == "POST" else request.unsent()  # type: ignore[attr-defined]
        if form_data is None:
            return redirect("sla:issue", uuid)
        issue = load_issue(request, uuid)
        require_permission(decision.permission, issue.integration, request.user)
        form = ReasonForm(form_data, auto_id=f"{decision.slug}-%s")
        is_dispute = issue.disputed and decision.permission is permissions.can_decide
        render_form = _render_dispute if is_dispute else _render_page
        if not form.is_valid() or request.method != "POST":
            return render_form(request, issue, {decision.name: form})
        try:
            decision.perform(issue, form.cleaned_data["reason"], actor=request.user, now=timezone.now())
        except ActionRefused as refusal:
            raise_if_forbidden(refusal)
            form.add_error("reason", str(refusal))
            return render_form(request, issue, {decision.name: form})
        messages.success(request, str(decision.success_message))
        return redirect("sla:issue", uuid)

    return decide


urlpatterns = [
    path("issues/<uuid:uuid>/", show_issue, name="issue"),
    path("issues/<uuid:uuid>/dispute/", show_dispute, name="dispute"),
    *(
        path(f"issues/<uuid:uuid>/{decision.slug}/", build_decision_view(decision), name=decision.name)
        for decision in DECISIONS
    ),
]
