"""Decisions of reviewers on companies."""

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners.models import Partner, VerificationState
from integrations.partners.services import name_decisions, verification
from integrations.submissions.views.access import require_program_staff
from portal.accounts.requests import AuthenticatedRequest
from portal.core.form_fields import MultiLineField
from portal.ui.refusals import report_refusals


class PartnerDecisionForm(forms.Form):
    """Reason for a decision on a company."""

    note = MultiLineField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The partner's owners see it in their email and in the history."),
    )


@dataclass(frozen=True, slots=True)
class PartnerDecision:
    """Decision on a company: its label, and the states in which it is possible."""

    label: str | Promise
    decide: Callable[..., None]
    states: tuple[VerificationState, ...]


UNVERIFIED, VERIFIED = VerificationState.UNVERIFIED, VerificationState.VERIFIED
NEEDS_DECISION, REJECTED = VerificationState.NEEDS_DECISION, VerificationState.REJECTED
DECISIONS = {
    "verify": PartnerDecision(gettext_lazy("Verify partner"), verification.verify_by_decision, (UNVERIFIED,)),
    "approve": PartnerDecision(
        gettext_lazy("Approve name"), name_decisions.approve_partner, (NEEDS_DECISION, REJECTED)
    ),
    "reject": PartnerDecision(
        gettext_lazy("Reject partner"), name_decisions.reject_partner, (UNVERIFIED, VERIFIED, NEEDS_DECISION)
    ),
}


def build_decisions(partner: Partner) -> list[tuple[str, PartnerDecision, PartnerDecisionForm]]:
    """Return the possible decisions with their forms."""
    return [
        (key, decision, PartnerDecisionForm(auto_id=f"{key}-%s"))
        for key, decision in DECISIONS.items()
        if partner.verification_state in decision.states
    ]


def decide_on_partner(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Decide on a company with a reason."""
    require_program_staff(request)
    partner = get_object_or_404(Partner, slug=slug)
    form, decision = PartnerDecisionForm(request.POST), DECISIONS.get(request.POST.get("action", ""))
    if decision and form.is_valid():
        with report_refusals(request, _("Decision recorded. We notify the owners by email.")):
            decision.decide(partner, form.cleaned_data["note"], actor=request.user, now=timezone.now())
    elif decision:
        messages.error(request, _("Enter a reason. We record it with the decision."))
    return redirect("reviews:partner", slug)


urlpatterns = [path("companies/<slug:slug>/decision/", decide_on_partner, name="decide_on_partner")]
