"""Pages for provider schemas: upload, history, and comparison."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Integration
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.uploads import get_oversized_fields
from verification.schemas import services
from verification.schemas.engine.types import SchemaParseError
from verification.schemas.forms import SchemaComparisonForm, SchemaUploadForm
from verification.schemas.models import ProviderSchema

COMMAND = "terraform providers schema -json > schema.json"


def show_schemas(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the schema history, newest first, with the upload form."""
    integration = load_visible_integration(request, uuid)
    if not services.has_provider(integration):
        raise Http404(_("Only Terraform providers have schemas."))
    form = SchemaUploadForm()
    if request.method == "POST":
        form = SchemaUploadForm(data=request.POST, files=request.FILES)
        # The upload handler drops a file that is too large before the form sees it.
        form.fields["file"].was_oversized = "file" in get_oversized_fields(request)  # type: ignore[attr-defined]
        stored_schema = _store_upload(request, integration, form)
        if stored_schema is not None:
            message = ngettext(
                "Saved the schema of version %(version)s with %(count)s resource.",
                "Saved the schema of version %(version)s with %(count)s resources.",
                stored_schema.resources,
            )
            messages.success(request, message % {"version": stored_schema.version, "count": stored_schema.resources})
            return redirect(f"{reverse('schemas:list', args=[uuid])}#top")  # where the message is, not the form
    context = {
        "integration": integration,
        "rows": services.list_schemas(integration),
        "form": form if services.can_submit_schema(integration, request.user) else None,
        "command": COMMAND,
    }
    return render(request, "schemas/history.html", context, status=422 if form.errors else 200)


def _store_upload(
    request: AuthenticatedRequest, integration: Integration, form: SchemaUploadForm
) -> ProviderSchema | None:
    """Store the uploaded schema. Return None if the form has errors."""
    # The file isn't parsed for someone whose upload would be refused.
    if not services.can_submit_schema(integration, request.user):
        raise PermissionDenied(_(services.REFUSAL_MESSAGE))
    if not form.is_valid():
        return None
    version = form.cleaned_data["version"]
    file = form.cleaned_data["file"]
    try:
        return services.store_schema(integration, version, file.read(), actor=request.user, now=timezone.now())
    except SchemaParseError as error:
        form.add_error("file", str(error))
    # The limit of versions, which someone else may have reached in the meantime.
    except ActionRefused as refusal:
        form.add_error(None, str(refusal))
    return None


def get_schema_pair(integration: Integration, version: str, older: str) -> tuple[ProviderSchema, ProviderSchema]:
    """Return two schemas, older one first. By default, compare the newest with the previous one. Raises Http404."""
    new = services.get_schema_row(integration, version)
    if new is None:
        raise Http404(_("No schema of this version found."))
    older = older or services.get_previous_version(integration, new.version)
    old = services.get_schema_row(integration, older) if older else None
    if old is None:
        raise Http404(_("No other version to compare with."))
    return old, new


def show_schema_changes(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the changes between two versions."""
    integration = load_visible_integration(request, uuid)
    old, new = get_schema_pair(integration, request.GET.get("version", ""), request.GET.get("from", ""))
    changes, version_verdict = services.compare_versions(old, new)
    form = SchemaComparisonForm(
        old=old.version, new=new.version, versions=[row.version for row in services.list_schemas(integration)]
    )
    context = {
        "integration": integration,
        "old": old,
        "new": new,
        "changes": changes,
        "verdict": version_verdict,
        "form": form,
    }
    return render(request, "schemas/changes.html", context)
