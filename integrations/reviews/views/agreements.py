"""Agreements of all companies for program staff."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from integrations.reviews.forms.filters import AgreementFilterForm
from integrations.reviews.selectors.filtered_lists import filter_agreements
from integrations.submissions.access import require_program_staff
from integrations.submissions.selectors.agreements import build_row
from portal.ui.pagination import paginate


def list_agreements(request: HttpRequest) -> HttpResponse:
    """List the versions that each company signed, with filters."""
    require_program_staff(request)
    form = AgreementFilterForm(data=request.GET)
    form.is_valid()
    page = paginate(request, filter_agreements(form.cleaned_data))
    context = {
        "form": form,
        "page": page,
        "agreements": [build_row(agreement) for agreement in page],
        "is_filtered": any(form.cleaned_data.values()),
    }
    return render(request, "reviews/agreements.html", context)
