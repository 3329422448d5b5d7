"""Label policy page: current policy, proposal, and decision."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Unpack
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from integrations.sla.engine.severity import normalize_label
from integrations.sla.models import LabelPolicy
from integrations.sla.selectors import policies
from integrations.sla.services import label_proposals
from integrations.submissions.models import Integration
from integrations.submissions.views.access import load_visible_integration, require_permission
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.form_fields import FormArguments, MultiLineField
from portal.core.primary_keys import parse_pk
from portal.core.value_types import TemplateContext
from portal.ui.refusals import add_refusals_to_form, render_action_form

LOGIN_PATTERN = re.compile(r"^@?[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$")
MAX_LINES = 40
MAX_EARLIER_POLICIES = 20


build_lines_field = partial(MultiLineField, required=False, max_lines=MAX_LINES, rows=5)


class LabelsForm(forms.Form):
    """Label policy form. `resolve_account` returns the GitHub ID of a login or raises ActionRefused."""

    critical = build_lines_field(
        label=gettext_lazy("Critical labels"),
        required=True,
        help_text=gettext_lazy("Enter one label per line. Letter case doesn't matter."),
    )
    pause = build_lines_field(
        label=gettext_lazy("Pause labels"),
        help_text=gettext_lazy("Enter one per line. A pause label pauses the clock together with a request."),
    )
    team = build_lines_field(
        label=gettext_lazy("Team members"),
        help_text=gettext_lazy(
            "GitHub usernames, one per line. Owners, members, and collaborators of the repository already count."
        ),
    )
    bots = build_lines_field(
        label=gettext_lazy("Bot accounts"),
        help_text=gettext_lazy("GitHub usernames, one per line. Their issues and comments don't affect SLA clocks."),
    )
    second_accounts = build_lines_field(
        label=gettext_lazy("Second accounts"),
        help_text=gettext_lazy("Enter one pair per line, second account first. For example, ada-at-work = ada"),
    )

    def __init__(self, *, resolve_account: Callable[[str], int], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.resolve_account = resolve_account

    def clean_critical(self) -> list[str]:
        return _parse_labels(self.cleaned_data["critical"])

    def clean_pause(self) -> list[str]:
        return _parse_labels(self.cleaned_data["pause"])

    def clean_team(self) -> dict[int, str]:
        return self._resolve_accounts(self.cleaned_data["team"].split("\n"))

    def clean_bots(self) -> dict[int, str]:
        bots = self._resolve_accounts(self.cleaned_data["bots"].split("\n"))
        team = self.cleaned_data.get("team", {})
        if team_login := next((login for number, login in bots.items() if number in team), ""):
            message = _("“%(login)s” is listed as a team member and as a bot. Remove one of them.")
            raise ValidationError(message % {"login": team_login})
        return bots

    def clean_second_accounts(self) -> list[tuple[tuple[int, str], tuple[int, str]]]:
        lines = [line for line in self.cleaned_data["second_accounts"].split("\n") if line.strip()]
        return [self._resolve_pair(line) for line in lines]

    def _resolve_pair(self, line: str) -> tuple[tuple[int, str], tuple[int, str]]:
        names = line.replace("=", " ").split()
        if len(names) != 2:
            message = _("Enter two accounts instead of “%(line)s”. For example, ada-at-work = ada")
            raise ValidationError(message % {"line": line.strip()[:60]})
        accounts = list(self._resolve_accounts(names).items())
        if len(accounts) != 2:
            message = _("“%(line)s” names the same account twice. Enter two accounts.")
            raise ValidationError(message % {"line": line.strip()[:60]})
        return accounts[0], accounts[1]

    def _resolve_accounts(self, lines: list[str]) -> dict[int, str]:
        logins = [line.strip() for line in lines if line.strip()]
        if invalid_login := next((login for login in logins if not LOGIN_PATTERN.match(login)), ""):
            message = _("“%(login)s” is not a GitHub username. Enter the username only, without a URL.")
            raise ValidationError(message % {"login": invalid_login[:60]})
        try:
            return {self.resolve_account(name): name for name in (login.lstrip("@") for login in logins)}
        except ActionRefused as refusal:
            raise ValidationError(str(refusal)) from None

    @property
    def policy(self) -> LabelPolicy:
        """Return the entered label policy, unsaved."""
        data = self.cleaned_data
        pairs = self.cleaned_data["second_accounts"]
        logins = dict(account for pair in pairs for account in pair) | data["bots"] | data["team"]
        # IDs, because people can rename their accounts. The logins are kept for display only.
        return LabelPolicy(
            critical_labels=data["critical"],
            pause_labels=data["pause"],
            team=sorted(data["team"]),
            bots=sorted(data["bots"]),
            second_accounts={str(second): first for (second, _), (first, _) in sorted(pairs)},
            logins={str(account_id): login for account_id, login in sorted(logins.items())},
        )


class LabelPolicyDecisionForm(forms.Form):
    """Note with a decision on a proposal."""

    note = MultiLineField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=500,
        rows=2,
        error_messages={"required": gettext_lazy("Enter a reason. The partner can see it.")},
    )


def _parse_labels(text: str) -> list[str]:
    labels = sorted({normalize_label(label) for label in text.split("\n")} - {""})
    if long_label := next((label for label in labels if len(label) > 100), ""):
        message = _("“%(label)s…” is too long for a GitHub label. Enter 100 characters or fewer.")
        raise ValidationError(message % {"label": long_label[:40]})
    return labels


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
    accept = request.POST.get("answer") == "accept"
    form.fields["note"].required = not accept
    if form.is_valid():
        with add_refusals_to_form(form):
            if proposal is None or request.POST.get("answer") not in ("accept", "decline"):
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


urlpatterns = [
    path("integrations/<uuid:uuid>/label-policy/", show_label_policy, name="label_policy"),
    path("integrations/<uuid:uuid>/label-policy/decision/", decide_proposal, name="decide_label_policy"),
]
