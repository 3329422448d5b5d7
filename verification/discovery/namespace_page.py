"""Page of a registry namespace, from which several integrations are started at once."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import ngettext

from integrations.programs.selectors import get_edition_in_force
from portal.accounts.requests import AuthenticatedRequest
from verification.discovery.company_choice import CompanyChoice
from verification.discovery.forms import NamespaceForm
from verification.discovery.imports import ImportOutcome, import_providers, load_rows
from verification.discovery.models import Discovery


def build_form(request: HttpRequest, discovery: Discovery) -> NamespaceForm:
    """Return the form, bound to the input of a POST."""
    edition = get_edition_in_force(discovery.program_key)
    initial = {"offerings": discovery.values.get("offerings", [])}
    data = request.POST if request.method == "POST" else None
    return NamespaceForm(edition, load_rows(discovery), data=data, initial=initial)


def import_selected(
    request: AuthenticatedRequest, discovery: Discovery, form: NamespaceForm, company: CompanyChoice
) -> HttpResponse:
    """Import the selected providers and return to the page, which has the summary. Raises ActionRefused."""
    categories = form.get_categories()
    offerings = form.cleaned_data["offerings"]
    rows = import_providers(
        discovery, company.get_partner, categories, offerings, actor=request.user, now=timezone.now()
    )
    count = sum(row.outcome == ImportOutcome.CREATED for row in rows)
    text = ngettext("%(count)s integration started.", "%(count)s integrations started.", count) % {"count": count}
    # A repeated request creates nothing, so there is no success to report.
    messages.add_message(request, messages.SUCCESS if count else messages.INFO, text)
    return redirect("discovery:discovery", discovery.uuid)
