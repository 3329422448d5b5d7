"""Who else views the review or types a finding or decision."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path

from integrations.reviews.presence import VIEWING, WRITING, list_present, note_presence
from integrations.reviews.views.queue import load_integration_for_program
from integrations.submissions.views.access import redirect_get_to
from portal.accounts.requests import AuthenticatedRequest


@redirect_get_to("reviews:review")
def show_presence(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Note that the user views the review, or types, and render who else does."""
    integration = load_integration_for_program(request, uuid)
    note_presence(integration, request.user, WRITING if request.POST.get("writing") else VIEWING)
    context = {"integration": integration, "present": list_present(integration, request.user)}
    return render(request, "reviews/review_presence.html", context)


urlpatterns = [path("integrations/<uuid:uuid>/presence/", show_presence, name="presence")]
