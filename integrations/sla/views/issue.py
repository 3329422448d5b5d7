"""Issue page with its decisions and requests."""

from collections.abc import Callable, Mapping
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from integrations.sla.engine.types import Severity
from integrations.sla.filters import build_visibility_condition
from integrations.sla.forms.issues import DisputeForm, ReasonForm
from integrations.sla.issue_decisions import (
    DECISIONS,
    DISPUTE_DECISIONS,
    IssueDecision,
    lock_for_preview,
    preview_decision,
)
from integrations.sla.issue_page import build_issue_page
from integrations.sla.models import SupportIssue
from integrations.sla.selectors import issue_states
from integrations.submissions.access import require_permission
from integrations.submissions.selectors.answers import get_critical_issue_address
from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import TemplateContext
from portal.ui.refusals import add_refusals_to_form

EFFECT_REFUSAL = gettext_lazy("The effect isn't available right now. Reload the page.")


def load_issue(request: AuthenticatedRequest, uuid: UUID) -> SupportIssue:
    """Load an issue with everything that its projection needs. Raises Http404 if the user can't see it."""
    issues = issue_states.select_issues().select_related("integration__partner")
    issue = issues.filter(build_visibility_condition(request.user), uuid=uuid).first()
    if issue is None:
        raise Http404(_("Issue not found. It doesn't exist, or you don't have access."))
    return issue


def show_issue(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show both clocks, explanations, the timeline, and the user's actions."""
    return _render_page(request, load_issue(request, uuid), {})


def _render_page(
    request: AuthenticatedRequest, issue: SupportIssue, bound_forms: Mapping[str, ReasonForm]
) -> HttpResponse:
    context = _build_context(request, issue)
    context["decisions"] = [
        (decision, bound_forms.get(decision.name) or ReasonForm(auto_id=f"{decision.slug}-%s"))
        for decision in DECISIONS
        if decision.name in bound_forms
        or (decision in context["possible"] and not (issue.disputed and decision.name in DISPUTE_DECISIONS))
    ]
    # Forms restored after a sign-in are bound as well, but nothing was refused.
    return render(request, "sla/issue.html", context, status=422 if bound_forms and request.method == "POST" else 200)


def _build_context(request: AuthenticatedRequest, issue: SupportIssue) -> TemplateContext:
    now = timezone.now()
    user = request.user
    page = build_issue_page(issue, user, now)
    breaches = list(issue.breaches.order_by("due_at", "pk"))
    allowed = [decision for decision in DECISIONS if decision.permission(issue.integration, user)]
    is_critical = page.state.severity == Severity.CRITICAL
    return {
        "page": page,
        "issue": issue,
        "integration": issue.integration,
        "now": now,
        "possible": [decision for decision in allowed if decision.is_possible(issue, page.state, breaches)],
        "breaches": breaches,
        "can_decide": permissions.can_decide(issue.integration, user),
        "critical_issue_address": get_critical_issue_address(issue.integration) if is_critical else "",
    }


def load_dispute(request: AuthenticatedRequest, uuid: UUID) -> SupportIssue:
    """Load an issue for a decision about its dispute. Raises PermissionDenied if the user can't decide."""
    issue = load_issue(request, uuid)
    require_permission(permissions.can_decide, issue.integration, request.user)
    return issue


def show_dispute(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show a dispute with the effect of each possible decision, or decide."""
    issue = load_dispute(request, uuid)
    form_data = _get_form_data(request)
    # Links from emails and the queue can be older than the decision.
    if not issue.disputed and form_data is None:
        return redirect("sla:issue", uuid)
    form = DisputeForm(form_data)
    if request.method == "POST" and form.is_valid():
        decision = DISPUTE_DECISIONS[form.cleaned_data["decision"]]
        if response := _perform(request, issue, decision, form):
            return response
    context = build_dispute_context(request, issue) | {"form": form}
    form.describe_choices(context["previews"], context["now"])
    return render(request, "sla/dispute.html", context, status=422 if request.method == "POST" else 200)


def _get_form_data(request: AuthenticatedRequest) -> QueryDict | None:
    """Return the submitted input, also what was submitted before a sign-in."""
    data: QueryDict | None = request.POST if request.method == "POST" else request.unsent()
    return data


def _perform(
    request: AuthenticatedRequest, issue: SupportIssue, decision: IssueDecision, form: ReasonForm
) -> HttpResponse | None:
    """Make a decision. After a refusal, return None with the message in the form."""
    with add_refusals_to_form(form, "reason"):
        decision.perform(issue, form.cleaned_data["reason"], actor=request.user, now=timezone.now())
        messages.success(request, _(decision.texts.success_message))
        return redirect("sla:issue", issue.uuid)
    return None


def build_dispute_context(request: AuthenticatedRequest, issue: SupportIssue) -> TemplateContext:
    """Return the context of the dispute page with the effect of each decision, None while others lock the rows."""
    context = _build_context(request, issue)
    with transaction.atomic():
        # Each preview rolls back to a savepoint within this transaction, which keeps the locks for all of them.
        is_locked = lock_for_preview(issue)
        arguments = {"actor": request.user, "now": context["now"]}
        previews = [
            (decision, preview_decision(decision, issue, **arguments) if is_locked else None)
            for decision in context["possible"]
            if decision.name in DISPUTE_DECISIONS
        ]
    return context | {"previews": previews, "effect_refusal": "" if is_locked else EFFECT_REFUSAL}


def build_decision_view(decision: IssueDecision) -> Callable[..., HttpResponse]:
    """Return the view of a decision. After a refusal, it shows the form with the entered reason."""

    def decide(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
        form_data = _get_form_data(request)
        if form_data is None:
            return redirect("sla:issue", uuid)
        issue = load_issue(request, uuid)
        require_permission(decision.permission, issue.integration, request.user)
        form = ReasonForm(form_data, auto_id=f"{decision.slug}-%s")
        if request.method == "POST" and form.is_valid() and (response := _perform(request, issue, decision, form)):
            return response
        return _render_page(request, issue, {decision.name: form})

    return decide
