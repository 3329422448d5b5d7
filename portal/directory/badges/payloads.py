"""How is a badge told to machines? The full truth as JSON, and in the words of shields.io's endpoint."""

from typing import Any

from portal.directory.badges.status import BadgeStatus
from portal.ui.components.moments import format_iso

GOOD_COLOR, NEUTRAL_COLOR = "16613a", "5a5f6b"  # as the badge is drawn


def build_full_payload(badge_status: BadgeStatus) -> dict[str, Any]:
    """All that the badge knows, with the addresses of its other forms. Moments are in UTC, blanks are null."""
    return {
        "schema": 1,
        "integration": badge_status.integration,
        "integration_id": badge_status.uuid,
        "partner": badge_status.partner,
        "program": {"key": badge_status.program_key, "name": badge_status.program, "product": badge_status.product},
        "listing_status": {
            "key": badge_status.listing_status,
            "name": badge_status.said,
            "about": badge_status.about,
            "since": format_iso(badge_status.listing_status_since),
        },
        "tier": {"key": badge_status.tier_key, "name": badge_status.tier} if badge_status.tier else None,
        "listed_since": format_iso(badge_status.listed_since),
        "links": {
            "page": badge_status.page,
            "svg": f"{badge_status.page}badge.svg",
            "shields": f"{badge_status.page}badge.shields.json",
            "statement": f"{badge_status.page}statement.json",
        },
    }


def build_shields_payload(badge_status: BadgeStatus) -> dict[str, Any]:
    """The same as shields.io's endpoint badge reads it."""
    return {
        "schemaVersion": 1,
        "label": badge_status.program,
        "message": badge_status.word,
        "color": GOOD_COLOR if badge_status.is_good else NEUTRAL_COLOR,
        "isError": False,
        "cacheSeconds": 60,
    }
