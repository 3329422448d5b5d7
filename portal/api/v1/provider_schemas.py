"""What does each version of a provider offer, and what has changed? Read, handed in, compared, from a program."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import File, Form, Query, Schema
from ninja.files import UploadedFile
from pydantic import Field

from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load
from portal.api.problems import Problem, fit
from portal.api.routing import Room, posted
from portal.core.errors import NotAllowed
from verification.schemas import services
from verification.schemas.engine.types import Unreadable
from verification.schemas.models import StoredSchema
from verification.schemas.views import crds
from verification.schemas.views.schemas import SchemaForm, pair_of
from verification.testruns.models import SchemaReading
from verification.testruns.services import provider_schema_inspections

room = Room("Schemas")
READ, WRITE = "checks:read", "checks:write"


class SchemaOut(Schema):
    """The schema of one version. `given_by` is blank where the portal read it itself."""

    version: str
    source: str
    digest: str
    resources: int
    data_sources: int
    given_by: str
    given_at: datetime


class ReadingOut(Schema):
    """A reading by the portal. `version` is blank until it is known; `outcome` until `finished_at`."""

    version: str
    requested_at: datetime
    says: str
    finished_at: datetime | None
    outcome: str
    results: list[Any]


class SchemasOut(Schema):
    """`versions`: the newest first; `reading`: the last one, under way or ended."""

    versions: list[SchemaOut]
    reading: ReadingOut | None


class ChangesWanted(Schema):
    version: str = Field("", max_length=250, description="The newer one; the newest that is kept where left out.")
    older: str = Field("", max_length=250, description="What it is compared with; the one before it where left out.")


class CrossplaneWanted(Schema):
    """The choices that do not stand in a schema; the usual ones where left out."""

    version: str = Field("", max_length=250)
    group_prefix: str = Field("", max_length=100)
    api_version: str = Field("", max_length=40)
    external_name: str = Field("", max_length=30)
    external_names: str = Field("", max_length=800, description="RESOURCE=RULE, one a line.")
    kinds: str = Field("", max_length=800, description="RESOURCE=group/Kind, one a line.")
    references: str = Field("", max_length=800, description="RESOURCE.argument, one a line.")
    singletons: str = Field("", max_length=20)
    single_blocks: str = Field("", max_length=20)
    computed_nested: str = Field("", max_length=20)
    numbers: str = Field("", max_length=20)
    runtime: str = Field("", max_length=20)


class ChangesOut(Schema):
    """What has changed. `verdict`: which step of the version number the changes need, and which was taken."""

    older: str
    newer: str
    verdict: dict[str, Any]
    changes: list[dict[str, Any]]


def schema_out(row: StoredSchema) -> dict[str, Any]:
    same = ("version", "source", "digest", "resources", "data_sources", "given_at")
    return {name: getattr(row, name) for name in same} | {"given_by": str(row.given_by or "")}


def reading_out(row: SchemaReading) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ReadingOut.model_fields}


def _provider(request: HttpRequest, uuid: UUID) -> Integration:
    found = load(request, uuid)
    if not provider_schema_inspections.is_read(found):
        raise Http404("Only a Terraform provider has a schema.")
    return found


@room.get("/integrations/{uuid:uuid}/schemas", READ, SchemasOut)
def list_schemas(request: HttpRequest, uuid: UUID) -> Any:
    """The schemas that are kept, one for each version, and how the portal's last reading went."""
    found = _provider(request, uuid)
    reading = SchemaReading.objects.filter(integration=found).first()
    versions = [schema_out(row) for row in services.known(found)]
    return {"versions": versions, "reading": reading_out(reading) if reading else None}


@room.post("/integrations/{uuid:uuid}/schemas", WRITE, SchemaOut, status=201)
def give_schema(request: HttpRequest, uuid: UUID, file: File[UploadedFile], version: Form[str]) -> Any:
    """Hand in the schema of a version: the output of “terraform providers schema -json”, or the same as .gz."""
    found = _provider(request, uuid)
    if not services.may_give(found, request.user):
        raise NotAllowed(services.REFUSAL, "may")
    given = fit(SchemaForm(posted(version=version), {"file": file})).cleaned_data
    try:
        row = services.store(found, given["version"], given["file"].read(), by=request.user, now=timezone.now())
    except Unreadable as sentence:
        raise Problem("unfit", str(sentence), fields=[("file", str(sentence))]) from sentence
    return schema_out(row)


@room.post("/integrations/{uuid:uuid}/schemas/read", WRITE, ReadingOut, status=202)
def read_schema(request: HttpRequest, uuid: UUID) -> Any:
    """Have the newest release's schema read from the provider itself, in the sandbox."""
    return reading_out(provider_schema_inspections.begin(_provider(request, uuid), by=request.user, now=timezone.now()))


@room.get("/integrations/{uuid:uuid}/schemas/changes", READ, ChangesOut)
def compare_schemas(request: HttpRequest, uuid: UUID, wanted: Query[ChangesWanted]) -> Any:
    """What changed from one version to another, what of it breaks, and whether the version's number admits that."""
    old, new = pair_of(load(request, uuid), wanted.version, wanted.older)
    found, said = services.between(old, new)
    changes = [change.as_data() for change in found.changes]
    return {"older": old.version, "newer": new.version, "verdict": said.as_data(), "changes": changes}


@room.get("/integrations/{uuid:uuid}/crossplane", READ, dict[str, Any])
def get_crossplane(request: HttpRequest, uuid: UUID, wanted: Query[CrossplaneWanted]) -> Any:
    """The Kubernetes resources that Crossplane would make of a version: how many, which, and why the others not."""
    return crds.coverage_of(_asked(request, uuid))


@room.get("/integrations/{uuid:uuid}/crossplane/archive", READ, None)
def get_crossplane_archive(request: HttpRequest, uuid: UUID, wanted: Query[CrossplaneWanted]) -> Any:
    """All definitions and the coverage as one archive (ZIP of YAML)."""
    _asked(request, uuid)
    return crds.crossplane_archive(request, uuid)


def _asked(request: HttpRequest, uuid: UUID) -> crds.Asked:
    """What is asked for. Raises Problem for choices that do not fit, where the page shows the usual ones."""
    asked = crds.Asked(request, uuid)
    fit(asked.form)
    return asked
