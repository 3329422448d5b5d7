"""Page where owners verify their company."""

from django.contrib import messages
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
from portal.ui.refusals import add_refusals_to_form, report_refusals


def verify_partner(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Show how to verify the company, and check what the owner published."""
    partner = get_own_partner(request, slug)
    if request.method != "POST":
        context = build_verification_context(request, partner, OrganizationForm())
        return render(request, "partners/verification.html", context)
    requested_action = request.POST.get("action")
    if requested_action in ("github", "github_role"):
        return verify_by_github(request, partner, is_role_check=requested_action == "github_role")
    now = timezone.now()
    if requested_action == "dns":
        domain = request.POST.get("domain", "").strip()
        with report_refusals(request):
            verification.verify_by_dns(partner, domain, actor=request.user, now=now)
            report_proof(request, partner)
    elif requested_action == "email":
        with report_refusals(request):
            verification.verify_by_email(partner, actor=request.user, now=now)
            report_proof(request, partner)
    return redirect("partners:verify", slug)


def verify_by_github(request: AuthenticatedRequest, partner: Partner, *, is_role_check: bool) -> HttpResponse:
    """Check the owner's role in the GitHub organization, or the file in its repository."""
    form = OrganizationForm(request.POST)
    if form.is_valid():
        organization = form.cleaned_data["organization"]
        verify = verification.verify_by_github_role if is_role_check else verification.verify_by_github
        with add_refusals_to_form(form, "organization"):
            verify(partner, organization, actor=request.user, now=timezone.now())
            report_proof(request, partner)
            return redirect("partners:verify", partner.slug)
    context = build_verification_context(request, partner, form)
    return render(request, "partners/verification.html", context, status=422)


def report_proof(request: AuthenticatedRequest, partner: Partner) -> None:
    """Show on the next page whether the saved proof verifies the company."""
    partner.refresh_from_db(fields=["verification_state"])
    if partner.is_verified:
        message = _("%(name)s is verified.")
    else:
        message = _("Proof saved. %(name)s still needs a decision on its name.")
    messages.success(request, message % {"name": partner.name})


def build_verification_context(
    request: AuthenticatedRequest, partner: Partner, form: OrganizationForm
) -> TemplateContext:
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
        "form": form,
        "can_connect": github_access.is_available(),
        "grant": github_access.find_grant(request.user),
    }
