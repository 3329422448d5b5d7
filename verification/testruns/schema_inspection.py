"""Inspection of a provider's schema. It has no page of its own: its panel is part of the page of schemas."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from integrations.submissions.models import Integration
from portal.accounts.requests import AnyUser, AuthenticatedRequest
from portal.core.value_types import TemplateContext
from portal.ui.htmx import STOP_POLLING_STATUS
from portal.ui.refusals import report_refusals
from verification.checks.services.runs import can_request_check_run
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS
from verification.testruns.services import start_test_run
from verification.testruns.views import load_integration

KIND = TestRun.Kind.PROVIDER_SCHEMA
TEMPLATE = "testruns/schema_inspection.html"


def inspect_schema(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Inspect the newest release's schema on POST. htmx requests updates of a running inspection."""
    integration = load_integration(request, uuid, KINDS[KIND])
    if request.method == "POST":
        with report_refusals(request):
            start_test_run(KIND, integration, {}, actor=request.user, now=timezone.now())
    elif request.htmx:
        context = build_inspection_context(integration, request.user)
        if context["running"]:
            return render(request, TEMPLATE, context)
        # The table of versions is new, too.
        return HttpResponse(status=STOP_POLLING_STATUS, headers={"HX-Refresh": "true"})
    return redirect("schemas:list", uuid)


def build_inspection_context(integration: Integration, user: AnyUser) -> TemplateContext:
    """Return the newest inspection and the last one that has finished."""
    inspections = TestRun.objects.filter(integration=integration, kind=KIND).select_related("requested_by")
    newest = inspections.first()
    return {
        "integration": integration,
        "newest": newest,
        "running": newest is not None and newest.is_running,
        "last": inspections.exclude(finished_at=None).first(),
        "can_request_test": integration.is_open and can_request_check_run(integration, user),
    }
