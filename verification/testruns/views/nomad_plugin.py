"""Page of Nomad plugin tests, and its JSON."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load_visible_integration
from portal.core.errors import ActionRefused
from portal.core.repository_urls import get_product_name
from portal.ui.refusals import report_refusal
from verification.checks.services.runs import can_request_check_run
from verification.testruns import selectors
from verification.testruns.kinds.nomad_plugin.config import PLUGIN_TYPE_LABELS
from verification.testruns.kinds.nomad_plugin.driver import CALL_TITLES
from verification.testruns.kinds.nomad_plugin.forms import NomadPluginTestForm
from verification.testruns.kinds.nomad_plugin.records import PluginCall, load_records
from verification.testruns.kinds.nomad_plugin.report import build_report
from verification.testruns.kinds.nomad_plugin.rules.catalog import RULES
from verification.testruns.models import NomadRehearsal
from verification.testruns.services import nomad_plugin_tests
from verification.testruns.views.live_page import render_json, render_page

TEMPLATE = "testruns/nomad_plugin.html"
CALLS_BY_RULE = {rule.key: rule.acts for rule in RULES}
PLUGIN_TYPE_BY_CALL = {"task_schema": "driver", "capabilities": "driver", "reserve": "device", "stats": "device"}
MAX_ANSWER_CHARACTERS = 20_000  # characters of an answer that the page shows


@dataclass(frozen=True, slots=True)
class PluginAnswer:
    """A question as the page shows it: its words, how it ended, and the answer."""

    title: str
    line: str
    text: str


def load_integration(request: HttpRequest, uuid: UUID) -> Integration:
    integration = load_visible_integration(request, uuid)
    if not integration.plugin:
        raise Http404(_("Only task drivers and device plugins for Nomad have test runs."))
    return integration


def show_nomad_plugin_test(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page; a POST begins a rehearsal; htmx asks for what is new of it."""
    integration = load_integration(request, uuid)
    if request.method != "POST":
        return _render(request, integration, NomadPluginTestForm(initial=_get_initial_values(integration)))
    if not can_request_check_run(integration, request.user):
        raise PermissionDenied(_(nomad_plugin_tests.REFUSAL_MESSAGE))
    form = NomadPluginTestForm(request.POST)
    if not form.is_valid():
        return _render(request, integration, form, status=422)
    try:
        nomad_plugin_tests.start_test_run(integration, form.cleaned_data, actor=request.user, now=timezone.now())
    except ActionRefused as refusal:
        report_refusal(request, refusal)
    return redirect("testruns:nomad_plugin", uuid=uuid)


@require_safe
def show_nomad_plugin_test_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The chosen rehearsal, the newest one if none is chosen, as the command line prints it."""
    integration = load_integration(request, uuid)
    return render_json(
        request,
        integration,
        NomadRehearsal,
        lambda row: {"version": row.version, **build_report(load_records(row.seen))},
    )


def _render(
    request: HttpRequest, integration: Integration, form: NomadPluginTestForm, status: int = 200
) -> HttpResponse:
    return render_page(
        request,
        integration,
        NomadRehearsal,
        TEMPLATE,
        build_context,
        status=status,
        form=form,
        what=_(PLUGIN_TYPE_LABELS[integration.plugin]),
    )


def build_context(row: NomadRehearsal) -> dict[str, Any]:
    """What the page shows of a rehearsal: how far it is, its verdicts, and every question with its answer."""
    records = load_records(row.seen)
    call_names = [call_name for call_name in CALL_TITLES if PLUGIN_TYPE_BY_CALL.get(call_name, row.type) == row.type]
    answers = {call.act: _build_answer(call) for call in records.asked}
    results_context = selectors.build_results_context(row)
    answered_results = [
        (each, [answers[call_name] for call_name in CALLS_BY_RULE.get(each["rule"], ())[:1] if call_name in answers])
        if each["outcome"] in ("fail", "warn") else (each, [])
        for each in results_context["verdicts"]
    ]  # fmt: skip
    return {
        "running": row.finished_at is None,
        "done": len(answers),
        "of": len(call_names),
        "doing": next((CALL_TITLES[call_name] for call_name in call_names if call_name not in answers), ""),
        "not_run": records.unavailable,
        "broken": records.broken,
        "told": answered_results,
        "held": results_context["held"],
        "asked": list(answers.values()),
    }


def _build_answer(call: PluginCall) -> PluginAnswer:
    output = call.data.get("said")
    text = output if output is not None else json.dumps(call.data, indent=2, ensure_ascii=False) if call.data else ""
    ending = _("answered") if call.is_answered else call.sentence or call.came
    line = _("%(end)s after %(seconds)s s") % {"end": ending.rstrip("."), "seconds": f"{call.seconds:.1f}"}
    return PluginAnswer(call.title, line, str(text)[:MAX_ANSWER_CHARACTERS] or _("Nothing."))


def _get_initial_values(integration: Integration) -> dict[str, Any]:
    """What the form begins with: what was used last time, else the name that the repository gives."""
    last = NomadRehearsal.objects.filter(integration=integration).first()
    if last is not None:
        return {name: getattr(last, name) for name in ("version", "name", "config")}
    return {"name": get_product_name(integration.repository)}


urlpatterns = [
    path("integrations/<uuid:uuid>/tests/nomad-plugin/", show_nomad_plugin_test, name="nomad_plugin"),
    path("integrations/<uuid:uuid>/tests/nomad-plugin.json", show_nomad_plugin_test_json, name="nomad_plugin_json"),
]
