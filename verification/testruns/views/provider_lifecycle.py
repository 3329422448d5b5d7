"""Page of provider acceptance tests, and its JSON."""

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
from integrations.submissions.views.mixins import load_visible_integration
from portal.core.errors import ActionRefused
from portal.ui.refusals import report_refusal
from verification.checks.services.runs import can_request_check_run
from verification.releases.artifacts import file_names
from verification.schemas.models import ProviderSchema
from verification.testruns import selectors
from verification.testruns.kinds.provider_lifecycle.forms import ProviderLifecycleTestForm
from verification.testruns.kinds.provider_lifecycle.records import CommandRecord, ProviderLifecycleRecords, load_records
from verification.testruns.kinds.provider_lifecycle.report import build_report
from verification.testruns.kinds.provider_lifecycle.rules.catalog import RULES
from verification.testruns.kinds.provider_lifecycle.scenario import list_steps
from verification.testruns.models import LifecycleRehearsal
from verification.testruns.services import provider_lifecycle_tests
from verification.testruns.views.live_page import render_json, render_page

TEMPLATE = "testruns/provider_lifecycle.html"
STEPS_BY_RULE = {rule.key: rule.acts for rule in RULES} | {"partial": ("partial",), "left": ("cleanup",)}
TEXT_FIELDS = ("version", "base", "changed", "refused", "partial")


def load_integration(request: HttpRequest, uuid: UUID) -> Integration:
    integration = load_visible_integration(request, uuid)
    if not file_names.REPOSITORY.fullmatch(integration.repository.partition("/")[2]):
        raise Http404(_("Only Terraform providers have acceptance tests."))
    return integration


@sensitive_post_parameters("secret")
@sensitive_variables("form")
def show_provider_lifecycle_test(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page; a POST begins a rehearsal; htmx asks for what is new of it."""
    integration = load_integration(request, uuid)
    accounts = list_account_choices(integration)
    if request.method != "POST":
        return _render(
            request, integration, ProviderLifecycleTestForm(accounts, initial=_get_initial_values(integration))
        )
    if not can_request_check_run(integration, request.user):
        raise PermissionDenied(_(provider_lifecycle_tests.REFUSAL_MESSAGE))
    form = ProviderLifecycleTestForm(accounts, request.POST)
    if not form.is_valid():
        return _render(request, integration, form, status=422)
    try:
        provider_lifecycle_tests.start_test_run(integration, form.cleaned_data, actor=request.user, now=timezone.now())
    except ActionRefused as refusal:
        report_refusal(request, refusal)
    return redirect("testruns:provider_lifecycle", uuid=uuid)


@require_safe
def show_provider_lifecycle_test_json(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The chosen rehearsal, the newest one if none is chosen, as the command line prints it."""
    integration = load_integration(request, uuid)
    return render_json(
        request,
        integration,
        LifecycleRehearsal,
        lambda row: {"version": row.version, **build_report(load_records(row.seen))},
    )


def _render(
    request: HttpRequest, integration: Integration, form: ProviderLifecycleTestForm, status: int = 200
) -> HttpResponse:
    return render_page(request, integration, LifecycleRehearsal, TEMPLATE, build_context, status=status, form=form)


def build_context(row: LifecycleRehearsal) -> dict[str, Any]:
    """What the page shows of a rehearsal: how far it is, its verdicts, and every command with what it printed."""
    records = load_records(row.seen)
    steps = list_steps(has_refused=records.has_refused, has_partial=records.has_partial)
    results_context = selectors.build_results_context(row)
    next_step_title = next((step.title for step in steps if records.get_command(step.key) is None), "")
    return {
        "running": row.finished_at is None,
        "done": len(records.ran),
        "of": len(steps),
        "doing": next_step_title,
        "not_run": records.unavailable,
        "broken": records.broken,
        "told": [(verdict, _select_commands(verdict, records)) for verdict in results_context["verdicts"]],
        "held": results_context["held"],
        "ran": records.ran,
    }


def _select_commands(result: dict[str, Any], records: ProviderLifecycleRecords) -> list[CommandRecord]:
    """The commands that show why a rule does not hold plainly."""
    if result["outcome"] not in ("fail", "warn"):
        return []
    if result["rule"] == "secrets.output":
        return [command for command in records.ran if command.shown]
    return [
        command
        for step_key in STEPS_BY_RULE.get(result["rule"], ())[-1:]
        if (command := records.get_command(step_key)) is not None
    ]


def list_account_choices(integration: Integration) -> list[tuple[str, str]]:
    accounts = integration.credentials.filter(ended_at=None).order_by("pk")
    return [(str(account.uuid), account.label) for account in accounts]


def _get_initial_values(integration: Integration) -> dict[str, Any]:
    """What the form begins with: what was used last time, else the newest version that we know."""
    last = LifecycleRehearsal.objects.filter(integration=integration).first()
    if last is not None:
        return {name: getattr(last, name) for name in TEXT_FIELDS} | {"hosts": " ".join(last.hosts)}
    newest = ProviderSchema.objects.filter(integration=integration).order_by("-submitted_at").first()
    return {"version": newest.version if newest else ""}


urlpatterns = [
    path("integrations/<uuid:uuid>/tests/provider-lifecycle/", show_provider_lifecycle_test, name="provider_lifecycle"),
    path(
        "integrations/<uuid:uuid>/tests/provider-lifecycle.json",
        show_provider_lifecycle_test_json,
        name="provider_lifecycle_json",
    ),
]
