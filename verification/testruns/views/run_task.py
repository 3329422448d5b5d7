"""How does a partner have their run task rehearsed? One page that shows it live, and buttons to begin and to stop."""

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_safe

from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.views.mixins import load, pressed
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused
from verification.checks.rules.run_task import KEY
from verification.checks.runner import checked, keys_of
from verification.checks.services.runs import may_ask
from verification.testruns import selectors
from verification.testruns.kinds.run_task.callback_store import seen_of, target_of
from verification.testruns.kinds.run_task.forms import Rehearse
from verification.testruns.kinds.run_task.protocol import STAGES
from verification.testruns.kinds.run_task.report import as_plain
from verification.testruns.models import RunTaskRehearsal
from verification.testruns.services import run_task_tests
from verification.testruns.views.live_page import as_json, page

PAGE = "testruns/run_task.html"


def is_rehearsed(found: Integration) -> bool:
    """Whether its program has run tasks to rehearse."""
    return KEY in keys_of(checked(found))


def loaded(request: HttpRequest, uuid: UUID) -> Integration:
    found = load(request, uuid)
    if not is_rehearsed(found):
        raise Http404(_("Only a run task is rehearsed so."))
    return found


@sensitive_post_parameters("key")
@sensitive_variables("form")
def rehearsal(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page; a POST begins a rehearsal; htmx asks for what is new of it."""
    found = loaded(request, uuid)
    if request.method != "POST":
        return _page(request, found, Rehearse(initial=_usual(found)))
    if not may_ask(found, request.user):
        raise PermissionDenied(_(run_task_tests.REFUSAL))
    form = Rehearse(request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    try:
        run_task_tests.begin(found, form.cleaned_data, by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("rehearsal", uuid=uuid)


@require_safe
def rehearsal_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The chosen rehearsal, the newest one if none is chosen, as the command line prints it."""
    return as_json(request, loaded(request, uuid), RunTaskRehearsal, _plain)


def _plain(row: RunTaskRehearsal) -> dict[str, Any]:
    return {"stages": row.stages, **as_plain(seen_of(row, over=row.finished_at is not None), row.url)}


@pressed("rehearsal")
def rehearsal_stop(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """End the one under way with what was seen so far."""
    try:
        run_task_tests.stop(loaded(request, uuid), by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("rehearsal", uuid=uuid)


def _page(request: HttpRequest, found: Integration, form: Rehearse, status: int = 200) -> HttpResponse:
    return page(request, found, RunTaskRehearsal, PAGE, shown, status=status, form=form)


def shown(row: RunTaskRehearsal) -> dict[str, Any]:
    """What the page shows of a rehearsal: how far it is, its verdicts, and every exchange with its callbacks."""
    seen = seen_of(row, over=row.finished_at is not None)
    script = target_of(row, "key" if row.signed else "").script()
    return {
        "running": row.finished_at is None,
        "done": len(seen.exchanges),
        "of": len(script),
        **selectors.for_page(row),
        "effects": row.effects,
        "exchanges": [(each, seen.knocks_of(each.act)) for each in seen.exchanges],
    }


def _usual(found: Integration) -> dict[str, Any]:
    """What the form begins with: what was answered, or used last time."""
    last = RunTaskRehearsal.objects.filter(integration=found).first()
    if last is not None:
        return {"url": last.url, "stages": last.stages}
    given = [state.data for state in context.states_of(found).values()]
    url = next((data["endpoint"] for data in given if data.get("endpoint")), "")
    stages: list[str] = next((data["stages"] for data in given if isinstance(data.get("stages"), list)), [])
    return {"url": url, "stages": [stage for stage in stages if stage in STAGES]}


urlpatterns = [
    path("integrations/<uuid:uuid>/rehearsal/", rehearsal, name="rehearsal"),
    path("integrations/<uuid:uuid>/rehearsal.json", rehearsal_json, name="rehearsal_json"),
    path("integrations/<uuid:uuid>/rehearsal/stop/", rehearsal_stop, name="rehearsal_stop"),
]
