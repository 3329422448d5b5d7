"""Operations for provider schemas and Crossplane definitions."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated
from uuid import UUID

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from ninja import File, Form, Query, Schema
from ninja.files import UploadedFile
from pydantic import BeforeValidator, Field

from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Integration
from portal.accounts.requests import AuthenticatedRequest
from portal.api.choices import FilterBy, list_choice_values
from portal.api.form_data import build_form_data, clean, validate_form
from portal.api.problems import FieldError
from portal.api.routing import ScopedRouter
from portal.api.v1.schemas.common import DisplayText
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject
from verification.schemas import services
from verification.schemas.engine.types import SchemaParseError
from verification.schemas.forms import GeneratorChoicesForm, SchemaUploadForm
from verification.schemas.models import ProviderSchema
from verification.schemas.views import crds
from verification.schemas.views.schemas import get_schema_pair
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS
from verification.testruns.services import start_test_run

router = ScopedRouter("Schemas")
READ_SCOPE = "checks:read"
WRITE_SCOPE = "checks:write"


class ProviderSchemaOut(Schema):
    """Schema of a provider version. `submitted_by` is empty if the portal inspected the provider."""

    version: str
    source: str
    digest: str
    resources: int
    data_sources: int
    submitted_by: DisplayText
    submitted_at: datetime


class SchemaInspectionOut(Schema):
    """Schema inspection by the portal. `version` and `outcome` are empty until known."""

    version: str
    requested_at: datetime
    progress: Annotated[str, BeforeValidator(lambda records: str(records.get("progress", "")))] = Field(
        validation_alias="records"
    )
    finished_at: datetime | None
    outcome: str
    results: list[object]


class ProviderSchemasOut(Schema):
    """Schemas, newest version first, and the latest inspection."""

    versions: list[ProviderSchemaOut]
    inspection: SchemaInspectionOut | None


class SchemaDiffParams(Schema):
    version: str = Field("", max_length=250, description="Newer version. Default: the latest version.")
    older: str = Field("", max_length=250, description="Older version. Default: the previous version.")


OPTION_FIELDS = GeneratorChoicesForm.base_fields


class CrossplaneParams(Schema):
    """Options that a schema doesn't define. Omitted options use the defaults."""

    version: str = Field("", max_length=250)
    group_prefix: str = Field("", max_length=100)
    api_version: str = Field("", max_length=40)
    external_name: Annotated[str, FilterBy(list_choice_values(OPTION_FIELDS["external_name"]))] = ""
    external_names: str = Field("", max_length=800, description="RESOURCE=RULE, one per line.")
    kinds: str = Field("", max_length=800, description="RESOURCE=group/Kind, one per line.")
    references: str = Field("", max_length=800, description="RESOURCE.argument, one per line.")
    singletons: Annotated[str, FilterBy(list_choice_values(OPTION_FIELDS["singletons"]))] = ""
    single_blocks: Annotated[str, FilterBy(list_choice_values(OPTION_FIELDS["single_blocks"]))] = ""
    computed_nested: Annotated[str, FilterBy(list_choice_values(OPTION_FIELDS["computed_nested"]))] = ""
    numbers: Annotated[str, FilterBy(list_choice_values(OPTION_FIELDS["numbers"]))] = ""
    runtime: Annotated[str, FilterBy(list_choice_values(OPTION_FIELDS["runtime"]))] = ""


class SchemaDiffOut(Schema):
    """Schema changes. `verdict` compares the required version increment with the actual one."""

    older: str
    newer: str
    verdict: dict[str, object]
    changes: list[JsonObject]


def _load_provider(request: AuthenticatedRequest, uuid: UUID) -> Integration:
    integration = load_visible_integration(request, uuid)
    if not KINDS[TestRun.Kind.PROVIDER_SCHEMA].is_supported(integration):
        raise Http404("Only Terraform providers have schemas.")
    return integration


@router.get("/integrations/{uuid:uuid}/schemas", READ_SCOPE, ProviderSchemasOut)
def list_schemas(request: AuthenticatedRequest, uuid: UUID) -> JsonObject:
    """List the stored schemas and the latest inspection."""
    integration = _load_provider(request, uuid)
    inspection = TestRun.objects.filter(integration=integration, kind=TestRun.Kind.PROVIDER_SCHEMA).first()
    return {"versions": services.list_schemas(integration), "inspection": inspection}


@router.post("/integrations/{uuid:uuid}/schemas", WRITE_SCOPE, ProviderSchemaOut, status=201)
def upload_schema(
    request: AuthenticatedRequest, uuid: UUID, file: File[UploadedFile], version: Form[str]
) -> ProviderSchema:
    """Upload a schema: the output of “terraform providers schema -json”, optionally compressed as .gz."""
    integration = _load_provider(request, uuid)
    if not services.can_submit_schema(integration, request.user):
        raise ActionRefused(services.REFUSAL_MESSAGE, "forbidden")
    form = SchemaUploadForm(data=build_form_data(version=version), files=MultiValueDict({"file": [file]}))
    values = clean(form)
    content = values["file"].read()
    now = timezone.now()
    try:
        return services.store_schema(integration, values["version"], content, actor=request.user, now=now)
    except SchemaParseError as error:
        raise FieldError("file", str(error)) from error


@router.post("/integrations/{uuid:uuid}/schemas/inspect", WRITE_SCOPE, SchemaInspectionOut, status=202)
def inspect_schema(request: AuthenticatedRequest, uuid: UUID) -> TestRun:
    """Inspect the schema of the latest release in the sandbox."""
    integration = _load_provider(request, uuid)
    return start_test_run(TestRun.Kind.PROVIDER_SCHEMA, integration, {}, actor=request.user, now=timezone.now())


@router.get("/integrations/{uuid:uuid}/schemas/changes", READ_SCOPE, SchemaDiffOut)
def compare_schemas(request: AuthenticatedRequest, uuid: UUID, params: Query[SchemaDiffParams]) -> SchemaDiffOut:
    """Compare two versions: changes, breaking changes, and whether the version number allows them."""
    older_schema, newer_schema = get_schema_pair(load_visible_integration(request, uuid), params.version, params.older)
    diff, verdict = services.compare_versions(older_schema, newer_schema)
    return SchemaDiffOut(
        older=older_schema.version,
        newer=newer_schema.version,
        verdict=asdict(verdict),
        changes=[change.as_data() for change in diff.changes],
    )


@router.get("/integrations/{uuid:uuid}/crossplane", READ_SCOPE, JsonObject)
def get_crossplane(request: AuthenticatedRequest, uuid: UUID, params: Query[CrossplaneParams]) -> JsonObject:
    """Get the Kubernetes resources that Crossplane generates from a version, and reasons for missing ones."""
    return crds.get_coverage(_load_preview(request, uuid))


@router.get("/integrations/{uuid:uuid}/crossplane/archive", READ_SCOPE, None)
def get_crossplane_archive(
    request: AuthenticatedRequest, uuid: UUID, params: Query[CrossplaneParams]
) -> HttpResponseBase:
    """Download all definitions and the coverage as a ZIP archive of YAML files."""
    return crds.build_archive_response(_load_preview(request, uuid))


def _load_preview(request: AuthenticatedRequest, uuid: UUID) -> crds.CrdPreviewRequest:
    """Load the preview. Raises ApiError for invalid options, for which the page shows defaults."""
    preview = crds.CrdPreviewRequest(request, uuid)
    validate_form(preview.form)
    return preview
