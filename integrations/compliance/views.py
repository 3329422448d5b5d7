"""Compliance pages for both sides: the evidence as a page and as JSON, current and frozen with each decision."""

from operator import itemgetter
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.reviews.presenters import explain_decision_refusal, filter_relevant_actions
from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Integration
from integrations.submissions.public_status import ENDED_STATUS, TEXTS
from integrations.submissions.services.transitions import list_available_transitions
from integrations.submissions.views.workspace import build_next_action_context
from integrations.submissions.workflow.evidence import PROVIDER
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts.requests import AuthenticatedRequest
from portal.core.value_types import JsonObject

TIMESTAMP_KEYS = ("at", "data_up_to", "listing_status_since")


def show_evidence(request: AuthenticatedRequest, uuid: UUID, seq: int | None = None) -> HttpResponse:
    """Show the current evidence with the available actions, or the evidence at a decision."""
    integration = load_listed_integration(request, uuid)
    evidence = get_evidence(integration, seq)
    url_name, url_arguments = ("frozen_evidence_json", [uuid, seq]) if seq else ("status_json", [uuid])
    # Current evidence is JSON as well, so that it looks the same before and after a decision.
    status = TEXTS.listing_statuses[evidence["listing_status"]]
    # The end of support delists an integration too, but no one decided that in the procedure.
    description = status.description if integration.is_open or seq else ENDED_STATUS.description
    parsed = parse_timestamps(evidence)
    next_action = build_next_action_context(integration, request.user)
    is_staff_page = permissions.can_view_notes(integration, request.user)
    context = {
        "integration": integration,
        "decision_refusal": explain_decision_refusal(integration, request.user) if is_staff_page and not seq else "",
        "next_action": next_action if integration.next_action_target == "compliance" and not seq else None,
        "partner_options": status.options_after_appeal if integration.appealed_at else status.options,
        "evidence": parsed,
        "timeline": sorted((*parsed["decisions"], *parsed["activities"]), key=itemgetter("at"), reverse=True),
        "status_description": _(description),
        "for_program": permissions.can_act_for_program(integration, request.user),
        "json_href": reverse(f"compliance:{url_name}", args=url_arguments),
        "notice_days": settings.NOTICE_GRACE_DAYS,
        "delisting_days": settings.DELISTING_AFTER_DAYS,
        "seq": seq,
        "steps": [] if seq else list_compliance_steps(request, integration),
    }
    return render(request, "compliance/compliance.html", context)


def download_evidence(request: AuthenticatedRequest, uuid: UUID, seq: int | None = None) -> HttpResponse:
    """Return the current evidence, or the evidence at a decision, as a JSON file."""
    integration = load_listed_integration(request, uuid)
    name = f"compliance-{uuid}-{seq}.json" if seq else f"compliance-{uuid}.json"
    json_format = {"indent": 2, "ensure_ascii": False}
    response = JsonResponse(get_evidence(integration, seq), json_dumps_params=json_format)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def load_listed_integration(request: HttpRequest, uuid: UUID) -> Integration:
    """Return an integration that has been listed. Raises Http404."""
    integration = load_visible_integration(request, uuid)
    if integration.released_at is None:
        raise Http404(_("This integration has not been listed yet."))
    return integration


def list_compliance_steps(request: AuthenticatedRequest, integration: Integration) -> list[object]:
    """Return the available actions of the compliance procedure."""
    actions = list_available_transitions(integration, request.user, now=timezone.now())
    return [
        action
        for action in filter_relevant_actions(integration, actions)
        if TRANSITION_OPTIONS[action.name].is_compliance
    ]


def get_evidence(integration: Integration, seq: int | None = None) -> JsonObject:
    """Return the current evidence, or the evidence stored with the decision `seq`. Raises Http404."""
    if seq is None:
        return PROVIDER.collect_evidence(integration, timezone.now())
    # Program staff see no other events, because both sides must see the same evidence.
    event = integration.events.visible_to_partner().filter(seq=seq).first()
    evidence: JsonObject = event.data.get("evidence", {}) if event else {}
    if not evidence:
        raise Http404(_("This event has no stored evidence."))
    return evidence


def parse_timestamps(data: Any) -> Any:
    """Return the evidence with its ISO timestamps parsed for display."""
    if isinstance(data, list):
        return [parse_timestamps(item) for item in data]
    if not isinstance(data, dict):
        return data
    return {
        key: parse_datetime(value)
        if isinstance(value, str) and (key.endswith("_at") or key in TIMESTAMP_KEYS)
        else parse_timestamps(value)
        for key, value in data.items()
    }
