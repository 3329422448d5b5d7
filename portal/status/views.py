"""Status page, status as JSON, and health endpoint."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from integrations.partners.permissions import is_program_staff
from portal.status import probes
from portal.status.background import get_background_status
from portal.ui.htmx import is_fragment_request


def serve_publicly(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Make a view public, for reading only. Caches never store its response."""
    return never_cache(login_not_required(require_safe(view)))


@serve_publicly
def check_health(request: HttpRequest) -> JsonResponse:
    """Return 200 if the database responds, or else 503. With ?background, also return 503 if jobs are late."""
    try:
        connection.ensure_connection()
        status = {"database": "ok"} | get_background_status(timezone.now())
    except DatabaseError:
        return JsonResponse({"database": "down"}, status=503)
    # Only on request: a load balancer must not remove web servers because a worker has stopped.
    is_unhealthy = "background" in request.GET and status["background"] == "late"
    return JsonResponse(status, status=503 if is_unhealthy else 200)


@serve_publicly
@vary_on_headers("HX-Request")
def show_status(request: HttpRequest) -> HttpResponse:
    """Show the status page, with details for program staff. Return 503 if the database is down.

    htmx asks for the measurements only, and keeps those that the page already shows.
    """
    now = timezone.now()
    try:
        groups = probes.measure_all(now)
        # The user is read from the database too, so this can fail like the probes.
        for_program = request.user.is_authenticated and is_program_staff(request.user)
        staff_groups = [probes.measure_for_staff(now)] if for_program else []
    except DatabaseError:
        return HttpResponse(render_to_string("status/status_down.html"), status=503)
    tone, summary = probes.summarize(groups)
    context = {"tone": tone, "summary": summary, "now": now, "for_program": for_program}
    # For reports of errors. Visitors need not know which version has which faults.
    context["version"] = settings.PORTAL_VERSION if request.user.is_authenticated else ""
    context["groups"] = [*groups, *staff_groups]
    if is_fragment_request(request):
        return render(request, "status/status_update.html", context | {"is_update": True})
    return render(request, "status/status.html", context)


@serve_publicly
def show_status_json(_request: HttpRequest) -> JsonResponse:
    """Return the status as JSON without details. Return 503 if the database is down."""
    now = timezone.now()
    try:
        # Programs read this, so it doesn't depend on the language of the request.
        with translation.override(settings.LANGUAGE_CODE):
            groups = probes.measure_all(now)
            tone, summary = probes.summarize(groups)
    except DatabaseError:
        return JsonResponse({"tone": "bad", "summary": "The database is down."}, status=503)
    lines = [
        {"name": line.name, "state": line.state, "summary": line.summary, "at": line.at}
        for _, group in groups
        for line in group
    ]
    return JsonResponse({"at": now, "tone": tone, "summary": summary, "lines": lines})
