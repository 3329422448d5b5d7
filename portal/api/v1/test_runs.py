"""Operations for test runs of run tasks, providers, and Nomad plugins."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from ninja import Path, Query, Schema
from pydantic import Field

from portal.api.conditional import set_location_header
from portal.api.problems import validate_form
from portal.api.routing import (
    CursorPage,
    MessageResponse,
    PaginationParams,
    ScopedRouter,
    StrictSchema,
    build_form_data,
    paginate,
)
from portal.core.errors import ActionRefused
from verification.checks.services.runs import can_request_check_run
from verification.testruns.kinds.nomad_plugin import report as nomad_report
from verification.testruns.kinds.nomad_plugin.forms import NomadPluginTestForm
from verification.testruns.kinds.nomad_plugin.records import load_records as nomad_seen
from verification.testruns.kinds.provider_lifecycle import report as lifecycle_report
from verification.testruns.kinds.provider_lifecycle.forms import ProviderLifecycleTestForm
from verification.testruns.kinds.provider_lifecycle.records import load_records as lifecycle_seen
from verification.testruns.kinds.run_task import report
from verification.testruns.kinds.run_task.callback_store import load_records
from verification.testruns.kinds.run_task.forms import RunTaskTestForm
from verification.testruns.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal
from verification.testruns.services import nomad_plugin_tests, provider_lifecycle_tests, run_task_tests
from verification.testruns.views import nomad_plugin, provider_lifecycle
from verification.testruns.views import run_task as views_rehearsal

router = ScopedRouter("Test runs")
READ_SCOPE, WRITE_SCOPE = "checks:read", "checks:write"
RUN_TASK_PATH, PROVIDER_LIFECYCLE_PATH, NOMAD_PLUGIN_PATH = (
    f"/integrations/{{uuid:uuid}}/{name}"
    for name in ("tests/run-task", "tests/provider-lifecycle", "tests/nomad-plugin")
)
MAX_ID = 2**63 - 1


class TestRunOut(Schema):
    """Test run. `about` is the tested URL or version. `outcome` is empty until `finished_at` is set."""

    id: int
    about: str
    requested_by: str
    requested_at: datetime
    finished_at: datetime | None
    outcome: str
    results: list[dict[str, Any]]


class TestRunDetail(TestRunOut):
    """Test run with records of all exchanges, without secrets, as printed by the commands."""

    records: dict[str, Any]


class RunTaskTestIn(StrictSchema):
    """Run task test. `key` signs the requests. It is encrypted, and deleted at the end. Omitted fields use defaults."""

    url: str
    stages: list[str] = Field(max_length=10)
    key: str = ""
    passing_workspace: str = ""
    failing_workspace: str = ""
    passing_plan: str = Field("", description="JSON as text.")
    failing_plan: str = Field("", description="JSON as text.")


class ProviderLifecycleTestIn(StrictSchema):
    """Provider acceptance test with HCL configurations.

    `secret` holds NAME=value, one per line. `account` is the UUID of a test account.
    """

    version: str
    base: str
    changed: str
    refused: str = ""
    partial: str = ""
    secret: str = ""
    account: str = ""
    hosts: str = Field("", description="Allowed hosts, separated by spaces.")


class NomadPluginTestIn(StrictSchema):
    """Nomad plugin test. `config` is the agent configuration as JSON text."""

    version: str
    name: str = ""
    config: str = ""


def serialize_test_run(row: Any) -> dict[str, Any]:
    field_names = ("requested_at", "finished_at", "outcome")
    subject = row.url if isinstance(row, RunTaskRehearsal) else row.version
    identifying_fields = {
        "id": row.pk,
        "results": row.verdicts,
        "about": subject,
        "requested_by": str(row.requested_by or ""),
    }
    return {name: getattr(row, name) for name in field_names} | identifying_fields


def _serialize_test_run_detail(row: Any, records: Mapping[str, Any]) -> dict[str, Any]:
    return serialize_test_run(row) | {"records": dict(records)}


def _get_test_run(rows: Any, pk: int) -> Any:
    test_run = rows.select_related("requested_by").filter(pk=pk).first() if pk <= MAX_ID else None
    if test_run is None:
        raise Http404("Test run not found.")
    return test_run


def _require_permission(integration: Any, request: HttpRequest, message: str) -> None:
    """Refuse users without permission before validating their input."""
    if not can_request_check_run(integration, request.user):
        raise ActionRefused(message, "forbidden")


@router.get(RUN_TASK_PATH, READ_SCOPE, CursorPage[TestRunOut])
def list_run_task_tests(
    request: HttpRequest, response: HttpResponse, uuid: UUID, pagination: Query[PaginationParams]
) -> Any:
    """List run task tests, newest first."""
    rows = RunTaskRehearsal.objects.filter(integration=views_rehearsal.load_integration(request, uuid))
    return paginate(request, response, rows.select_related("requested_by"), pagination, serialize_test_run)


@router.get(f"{RUN_TASK_PATH}/{{int:pk}}", READ_SCOPE, TestRunDetail)
def get_run_task_test(request: HttpRequest, uuid: UUID, pk: int = Path(le=MAX_ID)) -> Any:
    """Get a run task test with all exchanges. Poll while `finished_at` is null."""
    row = _get_test_run(
        RunTaskRehearsal.objects.filter(integration=views_rehearsal.load_integration(request, uuid)), pk
    )
    return _serialize_test_run_detail(
        row, report.build_report(load_records(row, over=row.finished_at is not None), row.url)
    )


@router.post(RUN_TASK_PATH, WRITE_SCOPE, TestRunOut, status=202)
@sensitive_variables()
def start_run_task_test(request: HttpRequest, response: HttpResponse, uuid: UUID, body: RunTaskTestIn) -> Any:
    """Start a run task test, which sends the platform's requests. One test can run at a time."""
    integration = views_rehearsal.load_integration(request, uuid)
    _require_permission(integration, request, run_task_tests.REFUSAL_MESSAGE)
    cleaned_data = validate_form(RunTaskTestForm(build_form_data(**body.model_dump()))).cleaned_data
    row = run_task_tests.start_test_run(integration, cleaned_data, actor=request.user, now=timezone.now())
    set_location_header(request, response, "integrations", uuid, "tests/run-task", row.pk)
    return serialize_test_run(row)


@router.post(f"{RUN_TASK_PATH}/stop", WRITE_SCOPE)
def cancel_run_task_test(request: HttpRequest, uuid: UUID) -> Any:
    """Cancel the current run task test and keep its results so far."""
    run_task_tests.cancel_test_run(
        views_rehearsal.load_integration(request, uuid), actor=request.user, now=timezone.now()
    )
    return MessageResponse(message="No test run is in progress.")


@router.get(PROVIDER_LIFECYCLE_PATH, READ_SCOPE, CursorPage[TestRunOut])
def list_provider_lifecycle_tests(
    request: HttpRequest, response: HttpResponse, uuid: UUID, pagination: Query[PaginationParams]
) -> Any:
    """List provider acceptance tests, newest first."""
    rows = LifecycleRehearsal.objects.filter(integration=provider_lifecycle.load_integration(request, uuid)).defer(
        "seen"
    )
    return paginate(request, response, rows.select_related("requested_by"), pagination, serialize_test_run)


@router.get(f"{PROVIDER_LIFECYCLE_PATH}/{{int:pk}}", READ_SCOPE, TestRunDetail)
def get_provider_lifecycle_test(request: HttpRequest, uuid: UUID, pk: int = Path(le=MAX_ID)) -> Any:
    """Get a provider acceptance test with all commands. Poll while `finished_at` is null."""
    row = _get_test_run(
        LifecycleRehearsal.objects.filter(integration=provider_lifecycle.load_integration(request, uuid)), pk
    )
    return _serialize_test_run_detail(row, lifecycle_report.build_report(lifecycle_seen(row.seen)))


@router.post(PROVIDER_LIFECYCLE_PATH, WRITE_SCOPE, TestRunOut, status=202)
@sensitive_variables()
def start_provider_lifecycle_test(
    request: HttpRequest, response: HttpResponse, uuid: UUID, body: ProviderLifecycleTestIn
) -> Any:
    """Start a provider acceptance test in the sandbox: create, update, destroy. One test can run at a time."""
    integration = provider_lifecycle.load_integration(request, uuid)
    _require_permission(integration, request, provider_lifecycle_tests.REFUSAL_MESSAGE)
    form = validate_form(
        ProviderLifecycleTestForm(
            provider_lifecycle.list_account_choices(integration), build_form_data(**body.model_dump())
        )
    )
    row = provider_lifecycle_tests.start_test_run(
        integration, form.cleaned_data, actor=request.user, now=timezone.now()
    )
    set_location_header(request, response, "integrations", uuid, "tests/provider-lifecycle", row.pk)
    return serialize_test_run(row)


@router.get(NOMAD_PLUGIN_PATH, READ_SCOPE, CursorPage[TestRunOut])
def list_nomad_plugin_tests(
    request: HttpRequest, response: HttpResponse, uuid: UUID, pagination: Query[PaginationParams]
) -> Any:
    """List Nomad plugin tests, newest first."""
    rows = NomadRehearsal.objects.filter(integration=nomad_plugin.load_integration(request, uuid)).defer("seen")
    return paginate(request, response, rows.select_related("requested_by"), pagination, serialize_test_run)


@router.get(f"{NOMAD_PLUGIN_PATH}/{{int:pk}}", READ_SCOPE, TestRunDetail)
def get_nomad_plugin_test(request: HttpRequest, uuid: UUID, pk: int = Path(le=MAX_ID)) -> Any:
    """Get a Nomad plugin test with all calls. Poll while `finished_at` is null."""
    row = _get_test_run(NomadRehearsal.objects.filter(integration=nomad_plugin.load_integration(request, uuid)), pk)
    return _serialize_test_run_detail(row, nomad_report.build_report(nomad_seen(row.seen)))


@router.post(NOMAD_PLUGIN_PATH, WRITE_SCOPE, TestRunOut, status=202)
def start_nomad_plugin_test(request: HttpRequest, response: HttpResponse, uuid: UUID, body: NomadPluginTestIn) -> Any:
    """Start a Nomad plugin test in the sandbox. One test can run at a time."""
    integration = nomad_plugin.load_integration(request, uuid)
    _require_permission(integration, request, nomad_plugin_tests.REFUSAL_MESSAGE)
    cleaned_data = validate_form(NomadPluginTestForm(build_form_data(**body.model_dump()))).cleaned_data
    row = nomad_plugin_tests.start_test_run(integration, cleaned_data, actor=request.user, now=timezone.now())
    set_location_header(request, response, "integrations", uuid, "tests/nomad-plugin", row.pk)
    return serialize_test_run(row)
