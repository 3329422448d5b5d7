"""What is true of a listed integration now? The one answer that every badge, file and statement is made of.

What the public may know is decided in `integrations.compliance.public_status`; here it gets names that machines read.
"""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse

from integrations.compliance.public_status import get_public_listing_status, get_status_changed_at
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ListingStatus
from portal.core.badge_impersonation import strip_decoration

LISTED_STATUS, ENDED_STATUS = "listed", "ended"
# a notice is between the program and the partner: to everybody else the integration is listed
PUBLIC_STANDINGS: dict[ListingStatus, str] = {
    ListingStatus.LISTED: LISTED_STATUS,
    ListingStatus.ON_NOTICE: LISTED_STATUS,
    ListingStatus.SUSPENDED: "suspended",
    ListingStatus.DELISTED: "delisted",
    ListingStatus.UNLISTED: "community",
}


@dataclass(frozen=True, slots=True)
class BadgeStatus:
    """What a badge may say.

    `listing_status`: listed, suspended, removed, community or ended; `said`: the same in words.

    `tier` and `tier_key` are blank unless the listing shows a tier. Moments are aware; addresses are absolute.
    """

    uuid: str
    integration: str
    partner: str
    program: str
    program_key: str
    product: str
    tier: str
    tier_key: str
    listing_status: str
    said: str
    about: str
    listed_since: datetime
    listing_status_since: datetime
    page: str

    @property
    def is_good(self) -> bool:
        """Whether the badge is drawn in color."""
        return self.listing_status == LISTED_STATUS

    @property
    def word(self) -> str:
        """The one word of the badge."""
        return self.tier or self.said

    @property
    def sentence(self) -> str:
        """All of it in one sentence, for those who do not see the picture."""
        return f"{self.integration} by {self.partner}: {self.word} in the {self.program} program"


def get_badge_status(row: Integration) -> BadgeStatus:
    """What is true of an integration that was listed at some time. Names of people's own come without disguise."""
    listing_status = get_public_listing_status(row)
    tier = row.edition.tier(row.tier) if listing_status.shows_tier else None
    return BadgeStatus(
        uuid=str(row.uuid),
        integration=strip_decoration(row.name),
        partner=strip_decoration(row.partner.name),
        program=row.program.name,
        program_key=row.program_key,
        product=row.program.product,
        tier=tier.name if tier else "",
        tier_key=tier.key if tier else "",
        listing_status=PUBLIC_STANDINGS[ListingStatus(row.listing_status)] if row.is_open else ENDED_STATUS,
        said=listing_status.word,
        about=listing_status.sentence or (tier.meaning if tier else ""),
        listed_since=row.released_at,  # type: ignore[arg-type]
        listing_status_since=get_status_changed_at(row) or row.released_at,  # type: ignore[arg-type]
        page=build_absolute_url(reverse("listing", args=[row.uuid])),
    )


def build_absolute_url(path: str) -> str:
    """An address of ours as others write it."""
    return settings.SITE_URL + path
