"""Pages of the Kubernetes resources that Crossplane would generate: definitions, downloads, and reconciliations."""

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from io import RawIOBase
from typing import Any, Unpack
from urllib.parse import urlencode
from uuid import UUID

from django.core.cache import cache
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django_stubs_ext import StrPromise

from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Integration
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.form_fields import FormArguments
from portal.core.value_types import JsonObject, TemplateContext
from portal.ui.refusals import report_refusals
from verification.schemas import services
from verification.schemas.crossplane import coverage
from verification.schemas.crossplane.coverage import CrdPreview
from verification.schemas.crossplane.examples import build_example
from verification.schemas.crossplane.managed_resource import ManagedResourceCodec
from verification.schemas.crossplane.provider_requests import Request, build_requests, describe_requests
from verification.schemas.crossplane.reconcile_diff import Action, Reason, compare
from verification.schemas.engine.yaml_text import dump
from verification.schemas.forms import GeneratorChoicesForm, ReconciliationForm
from verification.schemas.models import ProviderSchema

# Building the coverage of a large provider is slow. A change to our own rules takes effect after at most a day.
CACHE_SECONDS = 24 * 3600
# Constant, so that archives are reproducible.
ARCHIVE_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
ACTIONS: dict[Action, StrPromise] = {
    "create": gettext_lazy("Create"),
    "update": gettext_lazy("Update"),
    "delete": gettext_lazy("Delete"),
    "nothing": gettext_lazy("No operation"),
}
TONES = {"nothing": "good", "delete": "warn"}
REASONS: dict[Reason, StrPromise] = {
    "missing": gettext_lazy("The object doesn't exist yet."),
    "gone": gettext_lazy("The manifest has a deletion timestamp, and the object no longer exists."),
    "deleting": gettext_lazy("The manifest has a deletion timestamp, and the object still exists."),
    "different": gettext_lazy("The observed state differs from the manifest."),
    "same": gettext_lazy("The observed state matches the manifest."),
}


class CrdPreviewRequest:
    """Stored schema and generator options from the URL. Raises Http404."""

    def __init__(self, request: AuthenticatedRequest, uuid: UUID) -> None:
        self.integration: Integration = load_visible_integration(request, uuid)
        row = services.get_schema_row(self.integration, request.GET.get("version", ""))
        if row is None:
            raise Http404(_("No schema of this version found."))
        self.row: ProviderSchema = row
        self.schema = services.load_schema(row)
        self.form = GeneratorChoicesForm(request.GET)
        self.choices = self.form.get_choices(self.schema)
        # Only known parameters: links of the page must not repeat whatever the URL contained.
        parameters = {key: request.GET[key] for key in (*self.form.fields, "version") if request.GET.get(key)}
        self.query = urlencode({"version": row.version} | parameters)

    @property
    def is_archivable(self) -> bool:
        """Return whether one archive can contain all definitions without occupying a worker for too long."""
        return self.row.uncompressed_bytes <= services.MAX_ARCHIVE_SCHEMA_BYTES

    def preview(self, resource: str) -> CrdPreview:
        crd_preview = coverage.build_preview(self.schema, self.choices, resource)
        if crd_preview is None:
            raise Http404(_("Resource not found in the schema of this version."))
        return crd_preview

    @property
    def context(self) -> TemplateContext:
        values = {"integration": self.integration, "row": self.row, "form": self.form, "query": self.query}
        return values | {"is_refused": bool(self.form.errors), "is_archivable": self.is_archivable}


def show_crds(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the coverage of a version: available resources, and skipped ones with the reason."""
    preview_request = CrdPreviewRequest(request, uuid)
    return render(
        request, "schemas/crossplane.html", preview_request.context | {"coverage": get_coverage(preview_request)}
    )


def get_coverage(preview_request: CrdPreviewRequest) -> dict[str, object]:
    """Return the coverage from the cache, or build it."""
    schema = preview_request.schema
    choices = preview_request.choices

    def build() -> JsonObject:
        # Without keeping the definitions in memory.
        return coverage.build_coverage(
            schema, [coverage.summarize_preview(preview) for preview in coverage.build_previews(schema, choices)]
        )

    # All that the coverage depends on, so that partners with the same schema and options share it.
    identity = f"{preview_request.row.digest} {choices!r}"
    key = f"crossplane:{hashlib.sha256(identity.encode()).hexdigest()}"
    return cache.get_or_set(key, build, CACHE_SECONDS) or {}


def show_crd(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show both definitions of a resource, and the requests that a controller sends."""
    preview_request = CrdPreviewRequest(request, uuid)
    preview = preview_request.preview(request.GET.get("resource", ""))
    shapes = describe_requests(preview_request.schema.resources[preview.resource], preview_request.choices)
    context = {
        "preview": preview,
        "files": [(definition["spec"]["scope"], name, text) for name, text, definition in preview.iterate_files()],
        "requests": format_requests(shapes),
        "reconciliation_form": build_reconciliation_form(preview_request, preview),
    }
    return render(request, "schemas/resource.html", preview_request.context | context)


def build_reconciliation_form(
    preview_request: CrdPreviewRequest, preview: CrdPreview, **arguments: Unpack[FormArguments]
) -> ReconciliationForm:
    """Return the form with an example of the newest scope."""
    schema = preview_request.schema
    choices = preview_request.choices
    codec = ManagedResourceCodec(schema.resources[preview.resource], choices)
    if preview.group_kind is not None:
        example = build_example(codec.resource, preview.group_kind, choices, is_namespaced=choices.scopes[-1])
        arguments.setdefault("initial", {"manifest": format_yaml(example)})
    return ReconciliationForm(codec, preview.definitions, **arguments)


def format_requests(requests: Mapping[str, Request]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return each operation with the name and text of its states, prior state first. A null state is empty text."""
    return [
        (operation, [(name, "" if state is None else format_yaml(state)) for name, state in states.items()])
        for operation, states in requests.items()
    ]


def format_yaml(value: object) -> str:
    """Return a value as YAML for display, without the start marker of a document."""
    return dump(value).removeprefix("---").lstrip()


def download_crd(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Download the definition of a resource and scope as YAML."""
    preview = CrdPreviewRequest(request, uuid).preview(request.GET.get("resource", ""))
    scope = request.GET.get("scope", "Cluster")
    for name, text, definition in preview.iterate_files():
        if definition["spec"]["scope"] == scope:
            headers = {"Content-Disposition": content_disposition_header(True, name) or ""}
            return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers=headers)
    raise Http404(_("Definition not found."))


def download_crd_archive(request: AuthenticatedRequest, uuid: UUID) -> HttpResponseBase:
    """Stream a ZIP archive with all definitions and the coverage."""
    preview_request = CrdPreviewRequest(request, uuid)
    with report_refusals(request):
        return build_archive_response(preview_request)
    return redirect(f"{reverse('schemas:crds', args=[uuid])}?{preview_request.query}")


def build_archive_response(preview_request: CrdPreviewRequest) -> HttpResponseBase:
    """Return the archive. Raises ActionRefused for a schema that is too large."""
    if not preview_request.is_archivable:
        raise ActionRefused(
            _("The schema is too large for one archive. Download the definitions one by one."), "conflict"
        )
    name = f"{preview_request.choices.category}-{preview_request.row.version}-crds.zip"
    headers = {"Content-Disposition": content_disposition_header(True, name) or ""}
    files = coverage.iterate_files(preview_request.schema, preview_request.choices)
    chunks = _stream_zip((file_name, text) for file_name, text, _definition in files)
    return StreamingHttpResponse(chunks, content_type="application/zip", headers=headers)


# Not seekable, so zipfile writes the size of a file after its content, and each file can be sent once it is complete.
class _ZipBuffer(RawIOBase):
    """Write-only buffer between the ZIP writer and the response."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []

    def write(self, data: Any) -> int:
        self.chunks.append(bytes(data))
        return len(self.chunks[-1])

    def drain(self) -> bytes:
        content = b"".join(self.chunks)
        self.chunks = []
        return content


def _stream_zip(files: Iterator[tuple[str, str]]) -> Iterator[bytes]:
    pipe = _ZipBuffer()
    with zipfile.ZipFile(pipe, "w") as archive:
        for name, text in files:
            entry = zipfile.ZipInfo(name, ARCHIVE_TIMESTAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
            yield pipe.drain()
    yield pipe.drain()


# A state can contain credentials, which must not reach error reports.
@sensitive_post_parameters("manifest", "state")
@sensitive_variables("form")
def preview_reconciliation(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the form. POST compares the manifest with the observed state."""
    preview_request = CrdPreviewRequest(request, uuid)
    preview = preview_request.preview(request.GET.get("resource", ""))
    if not preview.is_available:
        raise Http404(_("Resource not found in the schema of this version."))
    # Sent with POST although nothing is stored, because URLs end up in logs and histories.
    data = request.POST if request.method == "POST" else None
    form = build_reconciliation_form(preview_request, preview, data=data)
    context = preview_request.context | {"preview": preview, "reconciliation_form": form}
    if form.is_valid():
        context |= _reconcile(form)
    return render(request, "schemas/reconciliation.html", context, status=422 if form.errors else 200)


@sensitive_variables("form", "state")
def _reconcile(form: ReconciliationForm) -> TemplateContext:
    """Return the decision and the values that the page shows, all of them without secrets.

    Only the creation and an update have a planned state.
    """
    codec = form.codec
    managed_resource = form.cleaned_data["manifest"]
    state = form.cleaned_data["state"]
    decision = compare(codec, managed_resource, state)
    if state is not None:
        # After the comparison, which needs the object as the manifest describes it.
        managed_resource = codec.add_observation(managed_resource, state)
    requests = build_requests(codec, managed_resource)
    planned_state = requests.get(decision.action.capitalize(), {}).get("PlannedState")
    return {
        "decision": decision,
        "action": ACTIONS[decision.action],
        "tone": "warn" if decision.is_blocked else TONES.get(decision.action, "info"),
        "reason": REASONS[decision.reason],
        "differences": [
            (path, _format_json(desired), _format_json(observed)) for path, desired, observed in decision.differences
        ],
        "late": [(f"spec.forProvider.{path}", _format_json(value)) for path, value in decision.late.items()],
        "planned": planned_state and format_yaml(planned_state),
        "requests": format_requests(requests),
    }


def _format_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
