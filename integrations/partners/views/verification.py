"""Page where owners verify their company."""

from collections.abc import Callable

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions, selectors
from integrations.partners.domains import list_claimable_domains
from integrations.partners.forms.verification import OrganizationForm
from integrations.partners.models import Partner
from integrations.partners.services import verification
from integrations.partners.views.members import get_own_partner
from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import TemplateContext
from portal.github_access import services as github_access
from portal.ui.refusals import reported_refusals


def verify_partner(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show how to verify the company, and check what the owner published."""
    partner = get_own_partner(request, slug)
    if request.method != "POST":
        return render(request, "partners/verification.html", build_verification_context(request, partner))
    if check := CHECKS.get(request.POST.get("do", "")):
        with reported_refusals(request, _("%(name)s is verified.") % {"name": partner.name}):
            check(request, partner)
    return redirect("partners:verify", slug)


def _check_dns(request: AuthenticatedRequest, partner: Partner) -> None:
    domain = request.POST.get("domain", "")
    verification.verify_by_dns(partner, domain, actor=request.user, now=timezone.now())


def _check_email(request: AuthenticatedRequest, partner: Partner) -> None:
    verification.verify_by_email(partner, actor=request.user, now=timezone.now())


def _check_github(request: AuthenticatedRequest, partner: Partner) -> None:
    organization = request.POST.get("organization", "").strip()
    verification.verify_by_github(partner, organization, actor=request.user, now=timezone.now())


def _check_github_role(request: AuthenticatedRequest, partner: Partner) -> None:
    organization = request.POST.get("organization", "").strip()
    verification.verify_by_github_role(partner, organization, actor=request.user, now=timezone.now())


CHECKS: dict[str, Callable[[AuthenticatedRequest, Partner], None]] = {
    "dns": _check_dns,
    "email": _check_email,
    "github": _check_github,
    "github_role": _check_github_role,
}


def build_verification_context(request: AuthenticatedRequest, partner: Partner) -> TemplateContext:
    """Return the proofs, and for owners also what to publish."""
    can_manage = permissions.can_manage_partner(partner, request.user)
    address = verification.find_member_address(partner) if can_manage else None
    return {
        "partner": partner,
        "can_manage": can_manage,
        "state_reason": selectors.get_state_reason(partner),
        "verifications": partner.verifications.select_related("verified_by"),
        "records": [(domain, verification.get_record_name(domain)) for domain in list_claimable_domains(partner)],
        "record_value": verification.get_record_value(partner) if can_manage else "",
        "address": address,
        "file_name": verification.GITHUB_FILE,
        "form": OrganizationForm(),
        "can_connect": github_access.is_available(),
        "grant": github_access.find_grant(request.user),
    }
