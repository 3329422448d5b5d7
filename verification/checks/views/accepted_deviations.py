"""View for accepting a deviation that a check reports."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.submissions.views.mixins import load_visible_integration, require_button
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.ui.refusals import report_refusal
from verification.checks.services.accepted_deviations import accept_deviation
from verification.checks.types import CHECKS


@require_button("checks:results")
def accept_finding(request: AuthenticatedRequest, uuid: UUID, key: str) -> HttpResponse:
    """Accept the deviation named in the form and show the checks again."""
    integration, check = load_visible_integration(request, uuid), CHECKS.get(key)
    if check is None or not check.accepts:
        raise Http404(_("There is nothing to accept. Reload the page."))
    try:
        accept_deviation(integration, key, request.POST.get("value", "")[:200], request.user, timezone.now())
        messages.success(request, _("You accepted the %(what)s permanently.") % {"what": check.accepts})
    except ActionRefused as refusal:
        report_refusal(request, refusal)
    return redirect("checks:results", uuid=uuid)


urlpatterns = [path("checks/<uuid:uuid>/accept/<str:key>/", accept_finding, name="accept_finding")]
