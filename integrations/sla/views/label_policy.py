"""Label policy page: current policy, proposal, and decision."""

from datetime import datetime
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.sla.forms.label_policy import LabelPolicyDecisionForm, LabelsForm
from integrations.sla.models import LabelPolicy
from integrations.sla.selectors import policies
from integrations.sla.services import label_proposals
from integrations.submissions.access import load_visible_integration, require_permission
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.primary_keys import parse_pk
from portal.core.value_types import TemplateContext
from portal.ui.refusals import add_refusals_to_form, render_action_form

MAX_EARLIER_POLICIES = 20


def build_initial_data(policy: LabelPolicy) -> dict[str, str]:
    """Return the form's initial data for a label policy."""
    parts = label_proposals.list_policy_parts(policy)
    return {name: "\n".join(part.entries) for name, part in zip(LabelsForm.base_fields, parts, strict=True)}


def show_label_policy(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the label policy. A POST request of the partner proposes a new one."""
    integration = load_visible_integration(request, uuid)
    now = timezone.now()
    if request.method == "POST":
        require_permission(permissions.can_edit, integration, request.user)
    policy = policies.get_policy_in_force(integration, now)
    form_data = request.POST if request.method == "POST" else request.unsent()
    form = LabelsForm(
        data=form_data,
        initial=build_initial_data(policy or policies.build_default_policy()),
        resolve_account=partial(label_proposals.resolve_account, integration),
    )
    if request.method == "POST" and form.is_valid():
        label_proposals.propose_label_policy(integration, form.policy, actor=request.user, now=now)
        message = _("Proposal sent to the program. The current label policy applies until the program decides.")
        messages.success(request, message)
        return redirect("sla:label_policy", uuid)
    context = _build_context(integration, request.user, policy, now) | {"form": form}
    return render(request, "sla/labels.html", context, status=422 if request.method == "POST" else 200)


def _build_context(integration: Integration, user: User, policy: LabelPolicy | None, now: datetime) -> TemplateContext:
    """Return the current policy, the open proposal, and earlier policies."""
    parts = label_proposals.list_policy_parts(policy or policies.build_default_policy())
    proposals = integration.label_policies.select_related("proposed_by", "decided_by")
    proposal = proposals.filter(state=LabelPolicy.State.PROPOSED).last()
    earlier_policies = proposals.exclude(state=LabelPolicy.State.PROPOSED).order_by("-proposed_at", "-pk")
    return {
        "integration": integration,
        "now": now,
        "policy": policy,
        "shown": parts,
        "proposal": proposal,
        "compared": list(zip(parts, label_proposals.list_policy_parts(proposal), strict=True)) if proposal else [],
        "earlier": [
            (earlier, label_proposals.list_policy_parts(earlier)) for earlier in earlier_policies[:MAX_EARLIER_POLICIES]
        ],
        "answer_form": LabelPolicyDecisionForm(),
        "can_edit": permissions.can_edit(integration, user),
        "can_decide": permissions.can_decide(integration, user),
    }


def decide_proposal(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Accept or decline the open proposal."""
    integration = load_visible_integration(request, uuid)
    if request.method != "POST":
        return redirect("sla:label_policy", uuid)
    require_permission(permissions.can_decide, integration, request.user)
    # The key names the proposal that the reviewer has read. A newer one must not be decided unseen.
    proposal = integration.label_policies.filter(pk=parse_pk(request.POST.get("policy", "")) or 0).first()
    form = LabelPolicyDecisionForm(request.POST)
    answer = request.POST.get("answer")
    accept = answer == "accept"
    form.fields["note"].required = not accept
    if form.is_valid():
        with add_refusals_to_form(form):
            if proposal is None or answer not in ("accept", "decline"):
                raise ActionRefused(_("This proposal was already decided."), "conflict")
            note = form.cleaned_data["note"]
            label_proposals.decide_proposal(proposal, accept=accept, note=note, actor=request.user, now=timezone.now())
            text = _("Label policy accepted. It applies to new issues.") if accept else _("Label policy declined.")
            messages.success(request, text)
            return redirect("sla:label_policy", uuid)
    label = _("Accept proposal") if accept else _("Decline proposal")
    return render_action_form(
        request, form, request.POST, label=label, cancel_url=reverse("sla:label_policy", args=[uuid])
    )
