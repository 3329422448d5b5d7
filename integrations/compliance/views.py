"""Compliance pages for both sides: the evidence as a page and as JSON, current and frozen with each decision."""

import json
from collections.abc import Mapping
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.reviews.presenters import filter_relevant_actions
from integrations.submissions.models import Integration
from integrations.submissions.public_status import COMPLIANCE_STEPS, STATUS_DESCRIPTIONS
from integrations.submissions.services.transitions import list_available_transitions
from integrations.submissions.views.mixins import load_visible_integration
from integrations.submissions.workflow import evidence as workflow_evidence
from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import JsonObject, TemplateContext

COMPLIANCE_PATH = "integrations/<uuid:uuid>/compliance/"
TIMESTAMP_KEYS = ("at", "since", "due", "data_up_to", "found", "answered", "retracted", "sent")


def show_compliance(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the current evidence and the available actions."""
    integration, now = load_listed_integration(request, uuid), timezone.now()
    available_actions = filter_relevant_actions(
        integration, list_available_transitions(integration, request.user, now=now)
    )
    steps = [action for action in available_actions if action.name in COMPLIANCE_STEPS]
    return _render_evidence(
        request, integration, workflow_evidence.collect_evidence(integration, now), {"steps": steps, "seq": None}
    )


def show_frozen_evidence(request: AuthenticatedRequest, uuid: UUID, seq: int) -> HttpResponse:
    """Show the evidence as it was at a decision."""
    integration = load_listed_integration(request, uuid)
    return _render_evidence(request, integration, get_frozen_evidence(integration, seq), {"steps": [], "seq": seq})


def download_evidence(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Return the current evidence as a JSON file."""
    integration = load_listed_integration(request, uuid)
    return _build_json_response(
        workflow_evidence.collect_evidence(integration, timezone.now()), f"{integration.uuid}.json"
    )


def download_frozen_evidence(request: AuthenticatedRequest, uuid: UUID, seq: int) -> HttpResponse:
    """Return the evidence of a decision as a JSON file."""
    integration = load_listed_integration(request, uuid)
    return _build_json_response(get_frozen_evidence(integration, seq), f"{integration.uuid}-{seq}.json")


def load_listed_integration(request: AuthenticatedRequest, uuid: UUID) -> Integration:
    """Return an integration that has been listed. Raises Http404."""
    integration = load_visible_integration(request, uuid)
    if integration.released_at is None:
        raise Http404(_("This integration has not been listed yet."))
    return integration


def get_frozen_evidence(integration: Integration, seq: int) -> dict[str, object]:
    """Return the evidence stored with a decision. Raises Http404."""
    event = integration.events.visible_to_partner().filter(seq=seq).first()
    evidence: JsonObject = event.data.get("evidence", {}) if event else {}
    if not evidence:
        raise Http404(_("This event has no stored evidence."))
    return evidence


def _build_json_response(evidence: Mapping[str, object], filename: str) -> HttpResponse:
    response = HttpResponse(json.dumps(evidence, indent=2, ensure_ascii=False), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="compliance-{filename}"'
    return response


def _render_evidence(
    request: HttpRequest, integration: Integration, evidence: JsonObject, extra_context: TemplateContext
) -> HttpResponse:
    seq = extra_context["seq"]
    url_name = "compliance:frozen_evidence" if seq else "compliance:status"
    context = {
        "integration": integration,
        "evidence": parse_timestamps(evidence),
        "status_description": _(STATUS_DESCRIPTIONS.get(evidence["listing_status"], "")),
        "for_program": permissions.can_act_for_program(integration, request.user),
        "frozen_seqs": list(
            integration.events.filter(data__has_key="evidence").order_by("seq").values_list("seq", flat=True)
        ),
        "json_href": reverse(f"{url_name}_json", args=[integration.uuid, seq] if seq else [integration.uuid]),
        "notice_days": settings.NOTICE_GRACE_DAYS,
        "delisting_days": settings.DELISTING_AFTER_DAYS,
        **extra_context,
    }
    return render(request, "compliance/compliance.html", context)


def parse_timestamps(data: object) -> object:
    """Return the evidence with its ISO timestamps parsed for display."""
    if isinstance(data, list):
        return [parse_timestamps(item) for item in data]
    if not isinstance(data, dict):
        return data
    return {
        key: parse_datetime(value) if key in TIMESTAMP_KEYS and isinstance(value, str) else parse_timestamps(value)
        for key, value in data.items()
    }


urlpatterns = [
    path("integrations/<uuid:uuid>/compliance/", show_compliance, name="status"),
    path("integrations/<uuid:uuid>/compliance/evidence.json", download_evidence, name="status_json"),
    path("integrations/<uuid:uuid>/compliance/<int:seq>/", show_frozen_evidence, name="frozen_evidence"),
    path(
        "integrations/<uuid:uuid>/compliance/<int:seq>/evidence.json",
        download_frozen_evidence,
        name="frozen_evidence_json",
    ),
]
