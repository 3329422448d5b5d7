"""Page of a reconciliation: what Crossplane would do for a manifest and an observed state. Nothing is stored."""

import json
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django_stubs_ext import StrPromise

from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import TemplateContext
from verification.schemas.crossplane.provider_requests import build_requests
from verification.schemas.crossplane.reconcile_diff import Action, Reason, compare
from verification.schemas.forms import ReconciliationForm
from verification.schemas.views.crds import (
    CrdPreviewRequest,
    build_reconciliation_form,
    format_requests,
    format_yaml,
)

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
