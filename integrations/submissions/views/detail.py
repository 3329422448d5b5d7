"""Integration page and its history."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.submissions.views.access import load_visible_integration
from integrations.submissions.views.workspace import render_workspace
from portal.accounts.requests import AuthenticatedRequest
from portal.ui.pagination import paginate


@vary_on_headers("HX-Request")
def show_integration(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the integration page with the requirement opened that the user has to fulfill next.

    A page that waits for a change asks with the `version` that it shows.
    """
    integration = load_visible_integration(request, uuid)
    if request.htmx and request.GET.get("version") == str(integration.version):
        return HttpResponse(status=204)
    return render_workspace(request, integration)


def show_history(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show all events, newest first. Program staff also see internal events."""
    integration = load_visible_integration(request, uuid)
    events = integration.events.order_by("-seq")
    if not permissions.can_view_notes(integration, request.user):
        events = events.visible_to_partner()
    context = {"integration": integration, "page": paginate(request, events)}
    return render(request, "submissions/history.html", context)


urlpatterns = [
    path("integrations/<uuid:uuid>/", show_integration, name="detail"),
    path("integrations/<uuid:uuid>/history/", show_history, name="history"),
]
