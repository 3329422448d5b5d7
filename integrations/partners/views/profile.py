"""How does an owner change what the company's record says? Its name and its website."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.forms.members import CompanyForm
from integrations.partners.services import profiles
from integrations.partners.views.members import own_company
from portal.core.errors import NotAllowed


def company_change(request: HttpRequest, slug: str) -> HttpResponse:
    """The form for owners; others are told who can."""
    partner = own_company(request, slug)
    if not permissions.manages(partner, request.user):
        messages.error(request, permissions.refusal("may_manage"))
        return redirect("company", slug)
    typed = request.POST if request.method == "POST" else request.unsent()  # type: ignore[attr-defined]
    form = CompanyForm(typed, initial={"name": partner.name, "website": partner.website})
    if request.method == "POST" and form.is_valid():
        try:
            profiles.change(partner, **form.cleaned_data, by=request.user, now=timezone.now())
        except NotAllowed as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("Saved. The company's history says what it was before."))
            return redirect("company", slug)
    status = 422 if request.method == "POST" else 200
    return render(request, "partners/company_change.html", {"form": form, "partner": partner}, status=status)
