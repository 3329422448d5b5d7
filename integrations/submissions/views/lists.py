"""Integration list."""

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.submissions.forms.filters import SORT_ORDERS, IntegrationFilterForm
from integrations.submissions.models import Integration
from portal.accounts.requests import AuthenticatedRequest
from portal.core.name_matching import compute_name_key
from portal.core.value_types import NamedValues
from portal.ui.htmx import is_fragment_request
from portal.ui.pagination import paginate

# The list shows none of these long texts and documents.
DEFERRED_COLUMNS = ("description", "offerings", "undo", "reasons", "requirement_counts", "compliance_request_params")
FILTERED_COLUMNS = ("stage", "category", "responsible_party", "listing_status")


def build_text_condition(query: str) -> Q:
    """Return the condition for a name, repository, or partner search."""
    condition = Q(name__icontains=query) | Q(repository__icontains=query) | Q(partner__name__icontains=query)
    key = compute_name_key(query)
    return condition | Q(name_key__contains=key) if key else condition


def filter_integrations(rows: QuerySet[Integration], filters: NamedValues) -> QuerySet[Integration]:
    """Return the rows that match all filters, in the requested order."""
    rows = rows.filter(**{name: filters[name] for name in FILTERED_COLUMNS if filters.get(name)})
    if filters.get("program"):
        rows = rows.filter(program_key=filters["program"])
    if filters.get("q"):
        rows = rows.filter(build_text_condition(filters["q"]))
    _, order = SORT_ORDERS.get(filters.get("sort", ""), SORT_ORDERS["newest"])
    return rows.order_by(*order)


@vary_on_headers("HX-Request")
def list_integrations(request: AuthenticatedRequest) -> HttpResponse:
    """List the user's integrations; program staff see all."""
    form = IntegrationFilterForm(data=request.GET)
    form.is_valid()
    visible = Integration.objects.visible_to(request.user).select_related("partner").defer(*DEFERRED_COLUMNS)
    page = paginate(request, filter_integrations(visible, form.cleaned_data))
    context = {
        "form": form,
        "page": page,
        "rows": list(page.object_list),
        "is_filtered": any(value for name, value in form.cleaned_data.items() if name != "sort"),
        "for_program": permissions.is_program_staff(request.user),
    }
    return render(request, f"submissions/list.html{'#results' if is_fragment_request(request) else ''}", context)


urlpatterns = [path("integrations/", list_integrations, name="list")]
