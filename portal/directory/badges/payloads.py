"""JSON payloads of badges: complete, and in the format of shields.io."""

from portal.directory.badges.status import BadgeStatus
from portal.directory.models import Listing
from portal.directory.search import serialize_support_metrics
from portal.ui.components.moments import format_iso

# The colors of the SVG badge
GOOD_COLOR = "16613a"
NEUTRAL_COLOR = "5a5f6b"


def build_full_payload(badge_status: BadgeStatus, listing: Listing | None = None) -> dict[str, object]:
    """Return all data of a badge with links to its other formats. Times are in UTC.

    Only the badge of a listed integration has the support record, with the times of both SLA clocks.
    """
    return {
        "schema": 1,
        "integration": badge_status.integration,
        "uuid": badge_status.uuid,
        "partner": badge_status.partner,
        "program": {"key": badge_status.program_key, "name": badge_status.program, "product": badge_status.product},
        "listing_status": {
            "key": badge_status.listing_status,
            "name": badge_status.status_label,
            "description": badge_status.description,
            "began_at": format_iso(badge_status.listing_status_since),
        },
        "tier": {"key": badge_status.tier_key, "name": badge_status.tier} if badge_status.tier else None,
        "support": serialize_support_metrics(listing) if listing and badge_status.is_good else None,
        "listed_at": format_iso(badge_status.listed_since),
        "links": {
            "page": badge_status.page,
            "svg": f"{badge_status.page}badge.svg",
            "shields": f"{badge_status.page}badge.shields.json",
            "statement": f"{badge_status.page}statement.json",
        },
    }


def build_shields_payload(badge_status: BadgeStatus) -> dict[str, object]:
    """Return the payload of a shields.io endpoint badge."""
    return {
        "schemaVersion": 1,
        "label": badge_status.title,
        "message": badge_status.label,
        "color": GOOD_COLOR if badge_status.is_good else NEUTRAL_COLOR,
        # A status such as Suspended is a valid response and no error of this endpoint.
        "isError": False,
        "cacheSeconds": 60,
    }
