"""Agreements of all companies for program staff."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from integrations.reviews.forms.agreements import AgreementFilterForm
from integrations.submissions.models import Agreement
from integrations.submissions.selectors.agreements import build_row, select_agreements
from integrations.submissions.views.access import require_program_staff
from portal.ui.pagination import paginate

FILTERS = ("kind", "version", "state", "method")


def list_agreements(request: HttpRequest) -> HttpResponse:
    """List the versions that each company signed, with filters."""
    require_program_staff(request)
    form = AgreementFilterForm(data=request.GET)
    page = paginate(request, filter_agreements(form))
    context = {
        "form": form,
        "page": page,
        "agreements": [build_row(agreement) for agreement in page],
        "is_filtered": any(form.cleaned_data.values()),
    }
    return render(request, "reviews/agreements.html", context)


def filter_agreements(form: AgreementFilterForm) -> QuerySet[Agreement]:
    """Return the agreements that match the valid filters of the form, newest first."""
    form.is_valid()
    filters = {name: form.cleaned_data[name] for name in FILTERS if form.cleaned_data.get(name)}
    if query := form.cleaned_data.get("q"):
        filters["partner__name__icontains"] = query
    return select_agreements().select_related("partner").filter(**filters)


urlpatterns = [path("agreements/", list_agreements, name="agreements")]
