"""JSON payloads of webhook deliveries, and an example for each event type."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.event_types import PAYLOAD_NAMES, WEBHOOKS
from portal.audit.models import AuditEvent
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import JsonObject
from portal.webhooks.event_types import DOCUMENTATION, ISSUE_KEYS, PAYLOAD_VERSION, TEST_EVENT_TYPE

MAX_BODY_CHARACTERS = 64 * 1024


def serialize_json(data: Mapping[str, object]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def format_json(data: object) -> str:
    """Return JSON with indentation, for pages."""
    return json.dumps(data, indent=2, ensure_ascii=False)


def format_body(body: str) -> str:
    """Return a JSON body with indentation, or any other body unchanged."""
    try:
        return format_json(json.loads(body))
    except ValueError:
        return body


def build_body(event: AuditEvent) -> str:
    """Return the body of an event. A long list of issues is shortened; `count` still has their number."""
    payload_data = build_payload(event)
    text = serialize_json(payload_data)
    while len(text) > MAX_BODY_CHARACTERS and payload_data["data"].get("issues"):
        # Only this list can be long. Receivers read the rest from the API.
        payload_data["data"]["issues"] = payload_data["data"]["issues"][: len(payload_data["data"]["issues"]) // 2]
        text = serialize_json(payload_data)
    return text


def build_payload(event: AuditEvent) -> JsonObject:
    """Return the payload of an event. `sequence` orders the events of an integration."""
    row = event.integration
    assert row is not None
    # Only the fields that the catalog lists: the data of an event can contain messages between people.
    names = {key: name for key, name in WEBHOOKS[event.event_type].payload_names.items() if key in event.data}
    data = {
        "sequence": event.seq,
        "summary": event.summary,
        "by": get_actor_side(event),
        **build_subject_data(row),
        **{name: format_value(key, event.data[key]) for key, name in names.items()},
    }
    # “type”, “timestamp”, and “data” are the fields of Standard Webhooks.
    return {"type": event.event_type, "version": PAYLOAD_VERSION, "timestamp": event.at.isoformat(), "data": data}


def build_subject_data(row: Integration) -> dict[str, object]:
    """Return the integration and the partner, which are part of every payload."""
    return {
        "integration": {
            "uuid": str(row.uuid),
            "name": row.name,
            "program": row.program_key,
            "edition": row.edition_date,
            "stage": str(row.stage),
            "listing_status": str(row.listing_status),
            "tier": row.tier,
            "responsible_party": row.responsible_party,
            "repository": row.repository,
            "url": build_absolute_url("submissions:detail", row.uuid),
        },
        "partner": {"name": row.partner.name, "slug": row.partner.slug},
    }


def get_actor_side(event: AuditEvent) -> str:
    """Return the side of the actor: partner, program, or portal."""
    if event.actor_id is None:
        return "portal"
    if event.partner is not None and event.partner.memberships.filter(user_id=event.actor_id, ended_at=None).exists():
        return "partner"
    actor = User.objects.filter(pk=event.actor_id).first()  # a company token's technical user has no membership
    return "program" if permissions.is_program_staff(actor) else "partner"


def format_value(name: str, value: Any) -> object:
    """Return an event value in the form of the payload."""
    if name == "issues":
        return [{PAYLOAD_NAMES.get(key, key): issue.get(key) for key in ISSUE_KEYS} for issue in value]
    if name in ("old", "new"):
        return dict(zip(("stage", "step"), value, strict=False))
    if name == "listing_status":
        return dict(zip(("old", "new"), value, strict=False))
    if name == "compliance_deadline":
        return value or None
    return value


def build_test_body(partner: Partner | None, actor: User, now: datetime) -> str:
    """Return the body of a test event."""
    recipient_name = partner.name if partner else "the program"
    data = {
        "summary": f"Test event for {recipient_name}.",
        "by": "program" if permissions.is_program_staff(actor) else "partner",
    }
    return serialize_json(
        {"type": TEST_EVENT_TYPE, "version": PAYLOAD_VERSION, "timestamp": now.isoformat(), "data": data}
    )


def build_example(event_type: str) -> dict[str, object]:
    """Return a sample payload of an event type for the documentation."""
    webhook = WEBHOOKS[event_type]
    samples = DOCUMENTATION.samples
    integration = DOCUMENTATION.subject["integration"]
    data = {
        "sequence": 12,
        "summary": webhook.description,
        "by": "program",
        "integration": integration | {"url": settings.SITE_URL + integration["url"]},
        "partner": DOCUMENTATION.subject["partner"],
        **{name: samples[name] for name in webhook.payload_names.values()},
    }
    return {"type": event_type, "version": PAYLOAD_VERSION, "timestamp": "2026-04-14T09:00:00+00:00", "data": data}
