"""Page where owners change the name and website of a company."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.forms.members import PartnerProfileForm
from integrations.partners.services import profiles
from integrations.partners.views.members import get_own_partner
from portal.accounts.requests import AuthenticatedRequest
from portal.core.form_fields import send_initial_values
from portal.ui.refusals import add_refusals_to_form


def edit_partner_profile(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Change name and website. Members who aren't owners see who can."""
    partner = get_own_partner(request, slug)
    if not permissions.can_manage_partner(partner, request.user):
        messages.error(request, refusals.get_refusal("can_manage"))
        return redirect("partners:members", slug)
    form_data = request.POST if request.method == "POST" else request.unsent()
    form = PartnerProfileForm(form_data, initial={"name": partner.name, "website": partner.website})
    send_initial_values(form)
    if request.method == "POST" and form.is_valid():
        # Only what the user edited: a page that was opened earlier must not revert a colleague's change.
        changes = {name: form.cleaned_data[name] for name in form.changed_data}
        with add_refusals_to_form(form, "name"):
            profiles.change_profile(partner, **changes, actor=request.user, now=timezone.now())
            messages.success(request, _("Company profile saved."))
            return redirect("partners:members", slug)
    status = 422 if request.method == "POST" else 200
    return render(request, "partners/company_change.html", {"form": form, "partner": partner}, status=status)
