"""Current badge status of an integration, from which all badge formats and statements are built.

`integrations.submissions.public_status` decides what is public. This module adds machine-readable keys.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from integrations.submissions.models import Integration
from integrations.submissions.public_status import LISTED_STATUS, get_public_listing_status, get_status_changed_at
from portal.core.badge_impersonation import strip_decoration
from portal.core.site_urls import build_absolute_url
from portal.directory.models import Listing
from portal.directory.support_metrics import MIN_SAMPLE_SIZE


@dataclass(frozen=True, slots=True)
class BadgeStatus:
    """Public status of an integration.

    Attributes:
        listing_status: listed, suspended, delisted, community, or ended.
        title: The text on the left of the badge.
        status_label: The display name of the listing status.
        tier, tier_key: The tier, or empty strings if the listing shows no tier.
        page: The absolute URL of the listing.
        support: The median times of the SLA clocks, empty without enough data.
    """

    uuid: str
    integration: str
    partner: str
    program: str
    title: str
    program_key: str
    product: str
    tier: str
    tier_key: str
    listing_status: str
    status_label: str
    description: str
    listed_since: datetime
    listing_status_since: datetime
    page: str
    support: str = ""

    @property
    def is_good(self) -> bool:
        """Return whether the badge is green."""
        return self.listing_status == LISTED_STATUS.key

    @property
    def label(self) -> str:
        """Return the tier, or the status if the listing shows no tier."""
        return self.tier or self.status_label

    @property
    def alternative_text(self) -> str:
        """Return the text alternative of the badge."""
        text = f"{self.integration} by {self.partner}: {self.label} in the {self.program} program"
        return f"{text}. {self.support}" if self.support else text


def find_badge_status(uuid: UUID) -> BadgeStatus | None:
    """Return the status of an integration, or None if it was never listed."""
    row = Integration.objects.filter_public().select_related("partner", "listing").filter(uuid=uuid).first()
    return get_badge_status(row) if row else None


def get_badge_status(row: Integration) -> BadgeStatus:
    """Return the status of an integration that is or was listed, with normalized names."""
    listing_status = get_public_listing_status(row)
    tier = row.edition.get_tier(row.tier) if listing_status.shows_tier else None
    return BadgeStatus(
        uuid=str(row.uuid),
        # People enter these names, which must not imitate the status beside them.
        integration=strip_decoration(row.name),
        partner=strip_decoration(row.partner.name),
        program=row.program.name,
        title=row.edition.badge_label or row.program.name,
        program_key=row.program_key,
        product=row.program.product,
        tier=tier.name if tier else "",
        tier_key=tier.key if tier else "",
        listing_status=listing_status.key,
        status_label=listing_status.label,
        description=listing_status.description or (tier.description if tier else ""),
        listed_since=row.released_at,  # type: ignore[arg-type]
        listing_status_since=get_status_changed_at(row) or row.released_at,  # type: ignore[arg-type]
        page=build_absolute_url("directory:listing", row.uuid),
        support=describe_support(row) if listing_status == LISTED_STATUS else "",
    )


def describe_support(row: Integration) -> str:
    """Return the median times in English, empty if the issue tracker can't be measured.

    First responses count only if the program has a target for them. A median of too few issues is left out.
    """
    listing: Listing | None = getattr(row, "listing", None)
    # Targets and times are only shown while the portal can measure them.
    if listing is None or not listing.sla_target:
        return ""
    clocks = (
        ("first response", listing.median_hours, listing.response_count if row.edition.sla.respond else 0),
        ("resolution", listing.median_resolution_hours, listing.resolution_count),
    )
    medians = [
        f"{name} {hours:.1f} h" for name, hours, count in clocks if hours is not None and count >= MIN_SAMPLE_SIZE
    ]
    return f"Median {' · '.join(medians)}" if medians else ""
