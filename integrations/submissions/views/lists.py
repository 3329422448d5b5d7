"""Integration list."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.submissions.forms.filters import IntegrationFilterForm
from integrations.submissions.models import Integration
from integrations.submissions.selectors.filtered_integrations import filter_integrations
from portal.accounts.requests import AuthenticatedRequest
from portal.ui.htmx import is_fragment_request
from portal.ui.pagination import paginate

# The list shows none of these long texts and documents.
DEFERRED_COLUMNS = ("description", "offerings", "undo", "reasons", "requirement_counts", "compliance_request_params")


@vary_on_headers("HX-Request")
def list_integrations(request: AuthenticatedRequest) -> HttpResponse:
    """List the user's integrations; program staff see all."""
    form = IntegrationFilterForm(data=request.GET)
    form.is_valid()
    visible = Integration.objects.visible_to(request.user).select_related("partner").defer(*DEFERRED_COLUMNS)
    page = paginate(request, filter_integrations(visible, form.cleaned_data))
    is_fragment = is_fragment_request(request)
    for_program = permissions.is_program_staff(request.user)
    context = {
        "form": form,
        "is_fragment": is_fragment,
        "page": page,
        "rows": list(page.object_list),
        "is_filtered": any(value for name, value in form.cleaned_data.items() if name != "sort"),
        "for_program": for_program,
        "has_partner_names": for_program or len(permissions.get_roles(request.user)) > 1,
    }
    return render(request, f"submissions/list.html{'#results' if is_fragment else ''}", context)
