"""Agreements of all companies for program staff."""

from typing import Unpack

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy

from integrations.submissions.models import Agreement
from integrations.submissions.selectors.agreements import AgreementState, build_row, select_agreements
from integrations.submissions.views.access import require_program_staff
from portal.core.form_fields import FilterField, FormArguments, SingleLineField
from portal.ui.pagination import paginate

FILTERS = ("kind", "version", "state", "method")


class AgreementFilterForm(forms.Form):
    """Filters in the URL of the list. An invalid filter shows an error; the others still apply."""

    q = SingleLineField(label=gettext_lazy("Partner"), required=False, max_length=100, widget=forms.SearchInput)
    kind = FilterField(label=gettext_lazy("Agreement"), choices=Agreement.KINDS)
    version = FilterField(label=gettext_lazy("Version"))
    state = FilterField(label=gettext_lazy("State"), choices=AgreementState.choices)
    method = FilterField(label=gettext_lazy("Method"), choices=Agreement.Method.choices)

    def __init__(self, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        versions = Agreement.objects.order_by("-version").values_list("version", flat=True).distinct()
        self.fields["version"].set_choices((version, version) for version in versions)  # type: ignore[attr-defined]


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
