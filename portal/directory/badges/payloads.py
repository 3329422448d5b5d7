"""How is a badge told to machines? The full truth as JSON, and in the words of shields.io's endpoint."""

from typing import Any

from portal.directory.badges.status import Truth
from portal.ui.components.moments import machine

GOOD, GREY = "16613a", "5a5f6b"  # as the badge is drawn


def full(truth: Truth) -> dict[str, Any]:
    """All that the badge knows, with the addresses of its other forms. Moments are in UTC, blanks are null."""
    return {
        "schema": 1,
        "integration": truth.integration,
        "integration_id": truth.uuid,
        "partner": truth.partner,
        "program": {"key": truth.program_key, "name": truth.program, "product": truth.product},
        "standing": {
            "key": truth.standing,
            "name": truth.said,
            "about": truth.about,
            "since": machine(truth.standing_since),
        },
        "tier": {"key": truth.tier_key, "name": truth.tier} if truth.tier else None,
        "listed_since": machine(truth.listed_since),
        "links": {
            "page": truth.page,
            "svg": f"{truth.page}badge.svg",
            "shields": f"{truth.page}badge.shields.json",
            "statement": f"{truth.page}statement.json",
        },
    }


def shields(truth: Truth) -> dict[str, Any]:
    """The same as shields.io's endpoint badge reads it."""
    return {
        "schemaVersion": 1,
        "label": truth.program,
        "message": truth.word,
        "color": GOOD if truth.is_good else GREY,
        "isError": False,
        "cacheSeconds": 60,
    }
