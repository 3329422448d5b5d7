"""Page of run task tests, its JSON, and the action that cancels a run."""

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
from integrations.submissions.views.mixins import load_visible_integration, require_button
from portal.core.errors import ActionRefused
from portal.ui.refusals import report_refusal
from verification.checks.rules.run_task import CHECK_KEY
from verification.checks.runner import list_checked_requirements, list_required_check_keys
from verification.checks.services.runs import can_request_check_run
from verification.testruns import selectors
from verification.testruns.kinds.run_task.callback_store import build_target, load_records
from verification.testruns.kinds.run_task.forms import RunTaskTestForm
from verification.testruns.kinds.run_task.protocol import STAGES
from verification.testruns.kinds.run_task.report import build_report
from verification.testruns.models import RunTaskRehearsal
from verification.testruns.services import run_task_tests
from verification.testruns.views.live_page import render_json, render_page

TEMPLATE = "testruns/run_task.html"


def has_run_task_test(integration: Integration) -> bool:
    """Whether its program has run tasks to rehearse."""
    return CHECK_KEY in list_required_check_keys(list_checked_requirements(integration))


def load_integration(request: HttpRequest, uuid: UUID) -> Integration:
    integration = load_visible_integration(request, uuid)
    if not has_run_task_test(integration):
        raise Http404(_("Only run tasks have this test."))
    return integration


@sensitive_post_parameters("key")
@sensitive_variables("form")
def show_run_task_test(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page; a POST begins a rehearsal; htmx asks for what is new of it."""
    integration = load_integration(request, uuid)
    if request.method != "POST":
        return _render(request, integration, RunTaskTestForm(initial=_get_initial_values(integration)))
    if not can_request_check_run(integration, request.user):
        raise PermissionDenied(_(run_task_tests.REFUSAL_MESSAGE))
    form = RunTaskTestForm(request.POST)
    if not form.is_valid():
        return _render(request, integration, form, status=422)
    try:
        run_task_tests.start_test_run(integration, form.cleaned_data, actor=request.user, now=timezone.now())
    except ActionRefused as refusal:
        report_refusal(request, refusal)
    return redirect("testruns:run_task", uuid=uuid)


@require_safe
def show_run_task_test_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The chosen rehearsal, the newest one if none is chosen, as the command line prints it."""
    return render_json(request, load_integration(request, uuid), RunTaskRehearsal, _serialize_test_run)


def _serialize_test_run(row: RunTaskRehearsal) -> dict[str, Any]:
    return {"stages": row.stages, **build_report(load_records(row, over=row.finished_at is not None), row.url)}


@require_button("testruns:run_task")
def cancel_run_task_test(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """End the one under way with what was seen so far."""
    try:
        run_task_tests.cancel_test_run(load_integration(request, uuid), actor=request.user, now=timezone.now())
    except ActionRefused as refusal:
        report_refusal(request, refusal)
    return redirect("testruns:run_task", uuid=uuid)


def _render(request: HttpRequest, integration: Integration, form: RunTaskTestForm, status: int = 200) -> HttpResponse:
    return render_page(request, integration, RunTaskRehearsal, TEMPLATE, build_context, status=status, form=form)


def build_context(row: RunTaskRehearsal) -> dict[str, Any]:
    """What the page shows of a rehearsal: how far it is, its verdicts, and every exchange with its callbacks."""
    records = load_records(row, over=row.finished_at is not None)
    steps = build_target(row, "key" if row.signed else "").script()
    return {
        "running": row.finished_at is None,
        "done": len(records.exchanges),
        "of": len(steps),
        **selectors.build_results_context(row),
        "effects": row.effects,
        "exchanges": [(each, records.list_callbacks(each.act)) for each in records.exchanges],
    }


def _get_initial_values(integration: Integration) -> dict[str, Any]:
    """What the form begins with: what was answered, or used last time."""
    last = RunTaskRehearsal.objects.filter(integration=integration).first()
    if last is not None:
        return {"url": last.url, "stages": last.stages}
    answers = [state.data for state in context.get_fulfillments(integration).values()]
    url = next((data["endpoint"] for data in answers if data.get("endpoint")), "")
    stages: list[str] = next((data["stages"] for data in answers if isinstance(data.get("stages"), list)), [])
    return {"url": url, "stages": [stage for stage in stages if stage in STAGES]}


urlpatterns = [
    path("integrations/<uuid:uuid>/tests/run-task/", show_run_task_test, name="run_task"),
    path("integrations/<uuid:uuid>/tests/run-task.json", show_run_task_test_json, name="run_task_json"),
    path("integrations/<uuid:uuid>/tests/run-task/stop/", cancel_run_task_test, name="cancel_run_task"),
]
