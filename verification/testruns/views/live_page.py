"""What have the pages of all rehearsals in common? Which one is shown, those before it, and what htmx gets of it."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from verification.checks.services.runs import may_ask
from verification.checks.views.results import STOP_POLLING
from verification.testruns.selectors import light

Plain = dict[str, Any]
MOST = 6  # that the page lists


def page(
    request: HttpRequest, found: Integration, model: Any, template: str, shown: Callable[[Any], Plain], *,
    status: int = 200, **more: Any,
) -> HttpResponse:  # fmt: skip
    """The page. `shown` says of a row what its page has beyond the others', `more` what every page of its kind has.

    htmx gets what is new of a rehearsal under way, and the word to load the page once it has ended.
    """
    row = _chosen(request, found, model)
    before = light(model).filter(integration=found)[:MOST]
    may = found.is_open and may_ask(found, request.user)
    context = {"integration": found, "row": row, "before": before, "may_ask": may, **more}
    context |= shown(row) if row else {}
    if request.htmx and context.get("running"):  # type: ignore[attr-defined]
        return render(request, f"{template}#live", context)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=STOP_POLLING, headers={"HX-Refresh": "true"})  # the form and the facts are new too
    return render(request, template, context, status=status)


def as_json(request: HttpRequest, found: Integration, model: Any, plain: Callable[[Any], Plain]) -> HttpResponse:
    """The chosen rehearsal, `plain` as the command line prints it, and when it was made. Raises Http404."""
    row = _chosen(request, found, model)
    if row is None:
        raise Http404(_("No rehearsal has been made yet."))
    about = {"asked_for": row.requested_at, "ended": row.finished_at}
    return JsonResponse({**about, **plain(row)}, json_dumps_params={"indent": 2})


def _chosen(request: HttpRequest, found: Integration, model: Any) -> Any:
    """The one that the address names, the newest one if none is; None where there is none yet."""
    rows = model.objects.filter(integration=found).select_related("requested_by")
    number = request.GET.get("of", "")
    return get_object_or_404(rows, pk=number) if number.isdecimal() and len(number) < 12 else rows.first()
