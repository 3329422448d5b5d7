"""Page where owners verify their company."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions, selectors
from integrations.partners.domains import list_claimable_domains
from integrations.partners.models import Partner
from integrations.partners.services import verification
from integrations.partners.views.members import get_own_partner
from portal.accounts.requests import AuthenticatedRequest
from portal.core.form_fields import SingleLineField
from portal.core.value_types import TemplateContext
from portal.github_access import services as github_access
from portal.ui.refusals import report_refusals

# Service and names of its inputs by the value of the button
CHECKS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "dns": (verification.verify_by_dns, ("domain",)),
    "email": (verification.verify_by_email, ()),
    "github": (verification.verify_by_github, ("organization",)),
    "github_role": (verification.verify_by_github_role, ("organization",)),
}


class OrganizationForm(forms.Form):
    """Name of a GitHub organization."""

    organization = SingleLineField(
        label=gettext_lazy("GitHub organization"),
        max_length=39,
        help_text=gettext_lazy("The name in the URL of your organization on GitHub."),
    )


def verify_partner(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show how to verify the company, and check what the owner published."""
    partner = get_own_partner(request, slug)
    if request.method != "POST":
        return render(request, "partners/verification.html", build_verification_context(request, partner))
    if check := CHECKS.get(request.POST.get("action", "")):
        verify, names = check
        values = [request.POST.get(name, "").strip() for name in names]
        with report_refusals(request):
            verify(partner, *values, actor=request.user, now=timezone.now())
            partner.refresh_from_db(fields=["verification_state"])
            if partner.is_verified:
                message = _("%(name)s is verified.")
            else:
                message = _("Proof saved. %(name)s still needs a decision on its name.")
            messages.success(request, message % {"name": partner.name})
    return redirect("partners:verify", slug)


def build_verification_context(request: AuthenticatedRequest, partner: Partner) -> TemplateContext:
    """Return the proofs, and for owners also what to publish."""
    can_manage = permissions.can_manage_partner(partner, request.user)
    address = verification.find_member_address(partner) if can_manage else None
    return {
        "partner": partner,
        "can_manage": can_manage,
        "state_reason": selectors.get_state_reason(partner),
        "verifications": selectors.list_verifications(partner),
        "records": [(domain, verification.get_record_name(domain)) for domain in list_claimable_domains(partner)],
        "record_value": verification.get_record_value(partner) if can_manage else "",
        "address": address,
        "file_name": verification.GITHUB_FILE,
        "form": OrganizationForm(),
        "can_connect": github_access.is_available(),
        "grant": github_access.find_grant(request.user),
    }
