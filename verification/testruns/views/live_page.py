"""Shared parts of the test run pages: the selected run, earlier runs, and updates for htmx."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from verification.checks.services.runs import can_request_check_run
from verification.checks.views.results import STOP_POLLING_STATUS
from verification.testruns.selectors import list_without_large_fields

PlainData = dict[str, Any]
MAX_LISTED_TEST_RUNS = 6  # that the page lists


def render_page(
    request: HttpRequest,
    integration: Integration,
    model: Any,
    template: str,
    build_context: Callable[[Any], PlainData],
    *,
    status: int = 200,
    **extra_context: Any,
) -> HttpResponse:
    """The page.

    `build_context` says of a row what its page has beyond the others', `extra_context` what every page of its kind has.

    htmx gets what is new of a rehearsal under way, and the word to load the page once it has ended.
    """
    row = _get_selected(request, integration, model)
    previous = list_without_large_fields(model).filter(integration=integration)[:MAX_LISTED_TEST_RUNS]
    is_allowed = integration.is_open and can_request_check_run(integration, request.user)
    context = {
        "integration": integration,
        "row": row,
        "before": previous,
        "can_request_test": is_allowed,
        **extra_context,
    }
    context |= build_context(row) if row else {}
    if request.htmx and context.get("running"):  # type: ignore[attr-defined]
        return render(request, f"{template}#live", context)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(
            status=STOP_POLLING_STATUS, headers={"HX-Refresh": "true"}
        )  # the form and the facts are new too
    return render(request, template, context, status=status)


def render_json(
    request: HttpRequest, integration: Integration, model: Any, serialize: Callable[[Any], PlainData]
) -> HttpResponse:
    """The chosen rehearsal, `serialize` as the command line prints it, and when it was made. Raises Http404."""
    row = _get_selected(request, integration, model)
    if row is None:
        raise Http404(_("No test run yet."))
    metadata = {"asked_for": row.requested_at, "ended": row.finished_at}
    return JsonResponse({**metadata, **serialize(row)}, json_dumps_params={"indent": 2})


def _get_selected(request: HttpRequest, integration: Integration, model: Any) -> Any:
    """The one that the address names, the newest one if none is; None where there is none yet."""
    rows = model.objects.filter(integration=integration).select_related("requested_by")
    primary_key = request.GET.get("of", "")
    return (
        get_object_or_404(rows, pk=primary_key) if primary_key.isdecimal() and len(primary_key) < 12 else rows.first()
    )
