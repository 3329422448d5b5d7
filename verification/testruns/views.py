"""Pages of test runs, their JSON, and the action that cancels a run. One set of views for every kind with a form.

The inspection of a provider's schema has no page of its own: its panel is part of the page of schemas.
"""

from uuid import UUID

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_safe

from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Integration
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.value_types import TemplateContext
from portal.ui.htmx import STOP_POLLING_STATUS
from portal.ui.refusals import report_refusals
from verification.checks.services.runs import can_request_check_run
from verification.testruns import selectors, services
from verification.testruns.kinds.base import TestKind
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS
from verification.testruns.selectors import build_inspection_context

TEMPLATE = "testruns/test_run.html"
SCHEMA_KIND = TestRun.Kind.PROVIDER_SCHEMA
INSPECTION_TEMPLATE = "testruns/schema_inspection.html"
MAX_LISTED_TEST_RUNS = 6
MAX_ID_DIGITS = 12


def load_integration(request: AuthenticatedRequest, uuid: UUID, kind: TestKind) -> Integration:
    """Load an integration that the kind can test. Raises Http404."""
    integration = load_visible_integration(request, uuid)
    if not kind.is_supported(integration):
        raise Http404(_(kind.texts.unsupported_message))
    return integration


# Error reports must not contain HMAC keys and credentials.
@sensitive_post_parameters("key", "secret")
@sensitive_variables("form")
def show_test(request: AuthenticatedRequest, uuid: UUID, kind: str) -> HttpResponse:
    """Show the page. POST starts a test run; htmx requests updates of a running one."""
    definition = KINDS[kind]
    integration = load_integration(request, uuid, definition)
    if request.method != "POST":
        last = TestRun.objects.filter(integration=integration, kind=kind).first()
        unsent = request.unsent()
        return _render(request, integration, definition, definition.build_form(integration, unsent, last=last))
    # The service refuses, too, but only after the form has shown its errors to someone who can't send it.
    if not can_request_check_run(integration, request.user):
        raise PermissionDenied(_(services.REFUSAL_MESSAGE))
    form = definition.build_form(integration, request.POST)
    if not form.is_valid():
        return _render(request, integration, definition, form, status=422)
    with report_refusals(request):
        services.start_test_run(kind, integration, form.cleaned_data, actor=request.user, now=timezone.now())
    return redirect(f"testruns:{kind}", uuid=uuid)


@require_safe
def show_test_json(request: AuthenticatedRequest, uuid: UUID, kind: str) -> HttpResponse:
    """Return the selected test run, by default the newest, as the command prints it."""
    run = _get_selected(request, load_integration(request, uuid, KINDS[kind]), kind)
    if run is None:
        raise Http404(_("No test run yet."))
    metadata = {"requested_at": run.requested_at, "finished_at": run.finished_at}
    return JsonResponse({**metadata, **KINDS[kind].build_report(run)}, json_dumps_params={"indent": 2})


def cancel_test(request: AuthenticatedRequest, uuid: UUID, kind: str) -> HttpResponse:
    """Finish the running test run with its results so far."""
    if request.method == "POST":
        integration = load_integration(request, uuid, KINDS[kind])
        with report_refusals(request, _("Test run canceled. The results so far are below.")):
            services.require_permission(integration, request.user)
            run = TestRun.objects.open().filter(integration=integration, kind=kind).first()
            if run is None:
                raise ActionRefused(_("The test run has already ended."), "invalid-transition")
            services.cancel_test_run(run, actor=request.user)
    return redirect(f"testruns:{kind}", uuid=uuid)


def _render(
    request: AuthenticatedRequest, integration: Integration, kind: TestKind, form: forms.Form, status: int = 200
) -> HttpResponse:
    run = _get_selected(request, integration, kind.key)
    is_running = run is not None and run.is_running
    if request.htmx and not is_running:
        # The form and the details are new, too.
        return HttpResponse(status=STOP_POLLING_STATUS, headers={"HX-Refresh": "true"})
    runs = TestRun.objects.filter(integration=integration, kind=kind.key)
    page_url = reverse(f"testruns:{kind.key}", args=[integration.uuid])
    context: TemplateContext = {
        "integration": integration,
        "kind": kind,
        "page_url_name": f"testruns:{kind.key}",
        "cancel_url_name": f"testruns:cancel_{kind.key}",
        "json_url_name": f"testruns:{kind.key}_json",
        "row": run,
        "running": is_running,
        "poll_url": f"{page_url}?run={run.pk}" if run is not None and is_running else "",
        "earlier": runs.without_large_fields()[:MAX_LISTED_TEST_RUNS],
        "can_request_test": integration.is_open and can_request_check_run(integration, request.user),
        "form": form,
        **(_build_run_context(run, kind) if run else {}),
    }
    template = f"{TEMPLATE}#live" if request.htmx else TEMPLATE
    return render(request, template, context, status=status)


def _build_run_context(run: TestRun, kind: TestKind) -> dict[str, object]:
    """Return the run's part of the page. Results that did not pass show the output of their steps."""
    context = kind.build_context(run)
    select_outputs = context.pop("select_outputs", lambda result: ())
    results, passed_summary = selectors.sort_results(run)
    return {
        **context,
        "details": list(kind.list_details(run)),
        "passed_summary": passed_summary,
        "results": [
            (result, select_outputs(result) if result["outcome"] in ("fail", "warn") else ()) for result in results
        ],
    }


def _get_selected(request: HttpRequest, integration: Integration, kind: str) -> TestRun | None:
    """Return the selected run, by default the newest, None without runs."""
    runs = TestRun.objects.filter(integration=integration, kind=kind).select_related("requested_by")
    pk = request.GET.get("run", "")
    # A longer number doesn't fit into the column, and PostgreSQL would raise an error.
    return get_object_or_404(runs, pk=pk) if pk.isdecimal() and len(pk) < MAX_ID_DIGITS else runs.first()


def inspect_schema(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Inspect the newest release's schema on POST. htmx requests updates of a running inspection."""
    integration = load_integration(request, uuid, KINDS[SCHEMA_KIND])
    if request.method == "POST":
        with report_refusals(request):
            services.start_test_run(SCHEMA_KIND, integration, {}, actor=request.user, now=timezone.now())
    elif request.htmx:
        context = build_inspection_context(integration, request.user)
        if context["running"]:
            return render(request, INSPECTION_TEMPLATE, context)
        # The table of versions is new, too.
        return HttpResponse(status=STOP_POLLING_STATUS, headers={"HX-Refresh": "true"})
    return redirect("schemas:list", uuid)
