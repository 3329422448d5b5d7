"""What does a message say? The JSON of an event, as it was when it happened, and an example of each kind. No writes."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.audit.models import Event
from portal.webhooks.event_kinds import ISSUE_FIELDS, SAMPLES, TEST, VERSION, Kind

MOST = 64 * 1024  # characters of a body


def as_json(told: Mapping[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def read(body: str) -> dict[str, Any]:
    """What a body of ours says."""
    told: dict[str, Any] = json.loads(body)
    return told


def body_of(event: Event, kind: Kind) -> str:
    """The payload of one event. Issues that would make it too long are left out; `count` still says how many."""
    told = payload(event, kind)
    text = as_json(told)
    while len(text) > MOST and told["data"].get("issues"):
        told["data"]["issues"] = told["data"]["issues"][: len(told["data"]["issues"]) // 2]
        text = as_json(told)
    return text


def payload(event: Event, kind: Kind) -> dict[str, Any]:
    """`sequence` counts the events of one integration: it puts messages that overtook each other in order."""
    row = event.integration
    assert row is not None
    said = {name: shaped(name, event.data[name]) for name in kind.fields if name in event.data}
    data = {"sequence": event.seq, "sentence": event.told, "by": side_of(event), **about(row), **said}
    return {"type": kind.name, "version": VERSION, "timestamp": event.at.isoformat(), "data": data}


def about(row: Integration) -> dict[str, Any]:
    """What every message says of the integration and its company."""
    return {
        "integration": {
            "id": str(row.uuid),
            "name": row.name,
            "program": row.program_key,
            "edition": row.edition_date,
            "stage": str(row.stage),
            "standing": str(row.standing),
            "tier": row.tier,
            "turn": row.turn_holder,
            "repository": row.repository,
            "url": settings.SITE_URL + reverse("integration", args=[row.uuid]),
        },
        "partner": {"name": row.partner.name, "slug": row.partner.slug},
    }


def side_of(event: Event) -> str:
    """Who did it: "partner", "program", or "portal" for the machine."""
    if event.actor_id is None:
        return "portal"
    theirs = event.partner is not None and event.partner.memberships.filter(user_id=event.actor_id, ended_at=None)
    return "partner" if theirs and theirs.exists() else "program"


def shaped(name: str, value: Any) -> Any:
    """A value of an event as it is told outside."""
    if name == "issues":
        return [{key: issue.get(key) for key in ISSUE_FIELDS} for issue in value]
    if name in ("from", "to") and isinstance(value, list):
        return dict(zip(("stage", "step"), value, strict=False))
    if name == "standing":
        return dict(zip(("was", "is"), value, strict=False))
    return value


def test_body(partner: Partner | None, by: Any, now: datetime) -> str:
    """What “Send a test event” sends."""
    who = partner.name if partner else "the program"
    data = {"sentence": f"A test event for {who}.", "by": "program" if permissions.works_for_program(by) else "partner"}
    return as_json({"type": TEST, "version": VERSION, "timestamp": now.isoformat(), "data": data})


def example(kind: Kind) -> dict[str, Any]:
    """A payload of a kind, for readers."""
    site, samples = settings.SITE_URL, dict(SAMPLES)
    if "was" in kind.fields:  # editions, not stages
        samples["to"] = "2026-06"
    uuid = "0b7e4c1a-5d0e-4c55-9a43-8f4f6f1c2d3e"
    integration = {
        "id": uuid, "name": "Rocket", "program": "terraform-provider", "edition": "2026-06", "stage": "review",
        "standing": "none", "tier": "", "turn": "program", "repository": "acme/terraform-provider-rocket",
        "url": f"{site}/integrations/{uuid}/",
    }  # fmt: skip
    data = {
        "sequence": 12, "sentence": kind.means, "by": "program", "integration": integration,
        "partner": {"name": "Acme", "slug": "acme"}, **{name: samples[name] for name in kind.fields},
    }  # fmt: skip
    return {"type": kind.name, "version": VERSION, "timestamp": "2026-04-14T09:00:00+00:00", "data": data}
