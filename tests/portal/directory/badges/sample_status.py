"""Example of the data of badges and statements."""

from datetime import UTC, datetime
from typing import Any

from portal.directory.badges.status import BadgeStatus

SINCE = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)


def build_status(**other: Any) -> BadgeStatus:
    usual: dict[str, Any] = {
        "uuid": "0",
        "integration": "Rocket",
        "partner": "Acme",
        "program": "Nomad",
        "title": "Nomad",
        "program_key": "nomad",
        "product": "Nomad",
        "tier": "Verified",
        "tier_key": "verified",
        "listing_status": "listed",
        "status_label": "Listed",
        "description": "",
        "listed_since": SINCE,
        "listing_status_since": SINCE,
        "page": "https://portal.example/listed/0/",
    }
    return BadgeStatus(**usual | other)
