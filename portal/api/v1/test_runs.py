"""Operations for test runs of every kind."""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from ninja import Query, Schema
from pydantic import Field

from integrations.submissions.access import load_visible_integration
from portal.accounts.requests import AuthenticatedRequest
from portal.api.conditional import set_location_header
from portal.api.form_data import build_form_data, validate_form
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import get_row
from portal.api.routing import MessageResponse, RowId, ScopedRouter, StrictSchema
from portal.api.v1.schemas.common import DisplayText
from portal.core.value_types import JsonObject
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS
from verification.testruns.services import cancel_test_run as cancel, require_permission, start_test_run
from verification.testruns.views import load_integration

router = ScopedRouter("Test runs")
READ_SCOPE = "checks:read"
WRITE_SCOPE = "checks:write"
TESTS_PATH = "/integrations/{uuid:uuid}/tests"


class TestRunFilter(PaginationParams):
    kind: TestRun.Kind | None = None


class TestRunOut(Schema):
    """Test run. `about` is the tested URL or version. `outcome` is empty until `finished_at` is set."""

    id: int
    kind: TestRun.Kind
    about: str = Field(validation_alias="subject")
    requested_by: DisplayText
    requested_at: datetime
    finished_at: datetime | None
    outcome: str
    results: list[JsonObject]


class TestRunDetail(TestRunOut):
    """Test run with records of all exchanges, without secrets, as printed by the commands."""

    records: JsonObject

    @staticmethod
    def resolve_records(run: TestRun) -> JsonObject:
        return KINDS[run.kind].build_report(run)


class RunTaskTestIn(StrictSchema):
    """Run task test. `hmac_key` signs the requests. It is encrypted, and deleted at the end.

    Omitted fields use defaults.
    """

    url: str
    stages: list[str] = Field(max_length=10)
    hmac_key: str = Field("", serialization_alias="key")
    passing_workspace: str = ""
    failing_workspace: str = ""
    passing_plan: str = Field("", description="JSON as text.")
    failing_plan: str = Field("", description="JSON as text.")


class ProviderLifecycleTestIn(StrictSchema):
    """Provider acceptance test with HCL configurations.

    `environment` holds NAME=value, one per line. `test_credential` is the UUID of a test account.
    """

    version: str
    config: str = Field(serialization_alias="base")
    changed_config: str = Field(serialization_alias="changed")
    failing_change_config: str = Field("", serialization_alias="failing_change")
    invalid_config: str = Field("", serialization_alias="refused")
    partial_failure_config: str = Field("", serialization_alias="partial")
    environment: str = Field("", serialization_alias="secret")
    test_credential: str = Field("", serialization_alias="account")
    allowed_hosts: str = Field("", serialization_alias="hosts", description="Separated by spaces.")


class NomadPluginTestIn(StrictSchema):
    """Nomad plugin test. `config` is the agent configuration as JSON text."""

    version: str
    name: str = ""
    config: str = ""


@router.get(TESTS_PATH, READ_SCOPE, CursorPage[TestRunOut])
def list_test_runs(request: AuthenticatedRequest, uuid: UUID, params: Query[TestRunFilter]) -> Page[TestRun]:
    """List test runs of an integration, newest first."""
    # Records hold whole exchanges, which a list would read for nothing.
    runs = _list_visible(request, uuid).defer("records")
    if params.kind:
        runs = runs.filter(kind=params.kind)
    return paginate(request, runs, params)


@router.get(f"{TESTS_PATH}/{{int:pk}}", READ_SCOPE, TestRunDetail)
def get_test_run(request: AuthenticatedRequest, uuid: UUID, pk: RowId) -> TestRun:
    """Get a test run with its records. Poll while `finished_at` is null."""
    return get_row(_list_visible(request, uuid), "Test run not found.", pk=pk)


@router.post(f"{TESTS_PATH}/{{int:pk}}/cancel", WRITE_SCOPE)
def cancel_test_run(request: AuthenticatedRequest, uuid: UUID, pk: RowId) -> MessageResponse:
    """Cancel a run task test and keep its results so far. Other tests can't be canceled."""
    cancel(get_test_run(request, uuid, pk), actor=request.user)
    return MessageResponse(message="The test run is finished.")


@router.post(f"{TESTS_PATH}/run-task", WRITE_SCOPE, TestRunOut, status=202)
@sensitive_variables()
def start_run_task_test(request: AuthenticatedRequest, uuid: UUID, body: RunTaskTestIn) -> TestRun:
    """Start a run task test, which sends the platform's requests. One test can run at a time."""
    return _start(request, uuid, TestRun.Kind.RUN_TASK, body)


@router.post(f"{TESTS_PATH}/provider-lifecycle", WRITE_SCOPE, TestRunOut, status=202)
@sensitive_variables()
def start_provider_lifecycle_test(request: AuthenticatedRequest, uuid: UUID, body: ProviderLifecycleTestIn) -> TestRun:
    """Start a provider acceptance test in the sandbox: create, update, destroy. One test can run at a time."""
    return _start(request, uuid, TestRun.Kind.PROVIDER_LIFECYCLE, body)


@router.post(f"{TESTS_PATH}/nomad-plugin", WRITE_SCOPE, TestRunOut, status=202)
def start_nomad_plugin_test(request: AuthenticatedRequest, uuid: UUID, body: NomadPluginTestIn) -> TestRun:
    """Start a Nomad plugin test in the sandbox. One test can run at a time."""
    return _start(request, uuid, TestRun.Kind.NOMAD_PLUGIN, body)


@sensitive_variables()
def _start(request: AuthenticatedRequest, uuid: UUID, kind: str, body: StrictSchema) -> TestRun:
    """Start a test run. Users without permission are refused before their input is validated."""
    integration = load_integration(request, uuid, KINDS[kind])
    require_permission(integration, request.user)
    form = KINDS[kind].build_form(integration, build_form_data(**body.model_dump(by_alias=True)))
    validate_form(form, {field.serialization_alias or name: name for name, field in type(body).model_fields.items()})
    run = start_test_run(kind, integration, form.cleaned_data, actor=request.user, now=timezone.now())
    set_location_header(request, "integrations", uuid, "tests", run.pk)
    return run


def _list_visible(request: AuthenticatedRequest, uuid: UUID) -> QuerySet[TestRun]:
    integration = load_visible_integration(request, uuid)
    return TestRun.objects.filter(integration=integration).select_related("requested_by", "integration")
