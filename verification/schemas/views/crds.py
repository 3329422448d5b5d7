"""Which Kubernetes resources would Crossplane make of this provider? See them, take one, take all."""

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from io import RawIOBase
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load
from verification.schemas import services
from verification.schemas.crossplane.options import Choices
from verification.schemas.crossplane.provider_requests import request_shapes
from verification.schemas.engine.coverage import Preview, as_json, as_text, preview_of, previews, summary, summed, told
from verification.schemas.engine.types import ProviderSchema
from verification.schemas.engine.yaml_text import dump
from verification.schemas.forms import ChoicesForm
from verification.schemas.models import StoredSchema

KEPT = 24 * 3600  # seconds; large providers take a while
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the archive is the same bytes every time


class Asked:
    """The stored schema that the address names, and the choices in it. Raises Http404."""

    def __init__(self, request: HttpRequest, uuid: UUID) -> None:
        self.integration: Integration = load(request, uuid)
        row = services.row_of(self.integration, request.GET.get("version", ""))
        if row is None:
            raise Http404(_("No schema of this version is kept."))
        self.row: StoredSchema = row
        self.schema = services.opened(row)
        self.form = ChoicesForm(request.GET)
        self.choices = self.form.chosen(self.schema)
        told = {key: request.GET[key] for key in (*self.form.fields, "version") if request.GET.get(key)}
        self.query = urlencode({"version": row.version} | told)

    def preview(self, resource: str) -> Preview:
        found = preview_of(self.schema, self.choices, resource)
        if found is None:
            raise Http404(_("The schema of this version has no such resource."))
        return found

    @property
    def key(self) -> str:
        """What the coverage depends on, as a key of the cache."""
        told = f"{self.row.digest} {self.choices!r}"
        return f"crossplane:{hashlib.sha256(told.encode()).hexdigest()}"

    @property
    def context(self) -> dict[str, Any]:
        told = {"integration": self.integration, "row": self.row, "form": self.form, "query": self.query}
        return told | {"is_refused": bool(self.form.errors)}


def crossplane(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Every resource of one version: what is made of it, or why nothing is."""
    asked = Asked(request, uuid)
    return render(request, "schemas/crossplane.html", asked.context | {"told": coverage_of(asked)})


def coverage_of(asked: Asked) -> dict[str, Any]:
    """What is made of each resource, or why nothing is."""
    told = cache.get_or_set(asked.key, lambda: summary(asked.schema, previews(asked.schema, asked.choices)), KEPT)
    return told or {}


def crossplane_resource(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One resource: both definitions, and the requests that a controller would send."""
    asked = Asked(request, uuid)
    preview = asked.preview(request.GET.get("resource", ""))
    shapes = request_shapes(asked.schema.resources[preview.resource], asked.choices)
    context = {
        "preview": preview,
        "files": [(one["spec"]["scope"], name, text) for one, (name, text) in _files(preview)],
        "requests": [(operation, _states(states)) for operation, states in shapes.items()],
    }
    return render(request, "schemas/resource.html", asked.context | context)


def _states(states: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each state with its name, the prior one first; blank where it is null."""
    return [(name, "" if state is None else dump(state).removeprefix("---\n")) for name, state in states.items()]


def _files(preview: Preview) -> list[tuple[dict[str, Any], tuple[str, str]]]:
    return list(zip(preview.definitions, preview.files(), strict=True))


def crossplane_file(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One definition as YAML: of the `resource`, in the `scope`."""
    preview = Asked(request, uuid).preview(request.GET.get("resource", ""))
    scope = request.GET.get("scope", "Cluster")
    for one, (name, text) in _files(preview):
        if one["spec"]["scope"] == scope:
            headers = {"Content-Disposition": content_disposition_header(True, name) or ""}
            return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers=headers)
    raise Http404(_("There is no such definition."))


def crossplane_archive(request: HttpRequest, uuid: UUID) -> HttpResponseBase:
    """All definitions and the coverage as one archive, sent while it is made."""
    asked = Asked(request, uuid)
    name = f"{asked.choices.category}-{asked.row.version}-crds.zip"
    headers = {"Content-Disposition": content_disposition_header(True, name) or ""}
    chunks = _zipped(_everything(asked.schema, asked.choices))
    return StreamingHttpResponse(chunks, content_type="application/zip", headers=headers)


def _everything(schema: ProviderSchema, chosen: Choices) -> Iterator[tuple[str, str]]:
    found = []
    for one in previews(schema, chosen):
        yield from one.files()
        found.append(told(one))
    coverage = summed(schema, found)
    yield "coverage.json", as_json(coverage)
    yield "coverage.txt", as_text(coverage)


class _Pipe(RawIOBase):
    """What is written to it is taken out again before the next piece."""

    def __init__(self) -> None:
        self.waiting: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.waiting.append(bytes(data))
        return len(self.waiting[-1])

    def taken(self) -> bytes:
        taken, self.waiting = b"".join(self.waiting), []
        return taken


def _zipped(files: Iterator[tuple[str, str]]) -> Iterator[bytes]:
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w") as archive:
        for name, text in files:
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
            yield pipe.taken()
    yield pipe.taken()


urlpatterns = [
    path("integrations/<uuid:uuid>/crossplane/", crossplane, name="crossplane"),
    path("integrations/<uuid:uuid>/crossplane/resource/", crossplane_resource, name="crossplane_resource"),
    path("integrations/<uuid:uuid>/crossplane/file/", crossplane_file, name="crossplane_file"),
    path("integrations/<uuid:uuid>/crossplane/archive/", crossplane_archive, name="crossplane_archive"),
]
