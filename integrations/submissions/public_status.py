"""Public listing status: the only module that decides what the public sees of a compliance case.

A notice is between the program and the partner. The public sees no change. A suspended or delisted integration
shows its status and no tier.
"""

from datetime import datetime

from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ListingStatus
from portal.core.content_files import Content, load_content

RELISTING_EVENT_TYPES = ("compliance.reinstated", "compliance.appeal_upheld")


class PublicListingStatus(Content):
    """Listing status as the public sees it: label, description, tone, and whether the tier is shown.

    `key` identifies the status in URLs and data.
    """

    key: str
    label: str
    tone: str
    description: str = ""
    shows_tier: bool = False


class ListingStatusText(Content):
    """Key of a public status, the description of the listing status for both sides, and the partner's options.

    `options_after_appeal` doesn't offer another appeal.
    """

    public: str
    description: str
    options: str = ""
    options_after_appeal: str = ""


class StatusTexts(Content):
    """Content of public_statuses.yaml."""

    public_statuses: tuple[PublicListingStatus, ...]
    listing_statuses: dict[ListingStatus, ListingStatusText]


TEXTS = load_content("integrations/submissions/content/public_statuses.yaml", StatusTexts)
PUBLIC_STATUSES_BY_KEY = {status.key: status for status in TEXTS.public_statuses}
PUBLIC_STATUSES = {status: PUBLIC_STATUSES_BY_KEY[text.public] for status, text in TEXTS.listing_statuses.items()}
# The end of support delists an integration too, so only its stage tells the two apart.
LISTED_STATUS = PUBLIC_STATUSES_BY_KEY["listed"]
ENDED_STATUS = PUBLIC_STATUSES_BY_KEY["ended"]


def get_public_listing_status(integration: Integration) -> PublicListingStatus:
    """Return the public status of an integration that has been listed."""
    return PUBLIC_STATUSES[ListingStatus(integration.listing_status)] if integration.is_open else ENDED_STATUS


def get_status_changed_at(integration: Integration) -> datetime | None:
    """Return when the public status last changed. Notices, including withdrawn ones, don't change it."""
    if not integration.is_open:
        return integration.ended_at
    if PUBLIC_STATUSES[ListingStatus(integration.listing_status)] is not LISTED_STATUS:
        return integration.listing_status_since or integration.released_at
    if integration.listing_status_since is None:
        return integration.released_at
    # A notice that was withdrawn also began a status. Its date would tell the public that there was a notice.
    events = integration.events.filter(event_type__in=RELISTING_EVENT_TYPES).order_by("-seq")
    relisting_times = (
        event.at
        for event in events
        if "listing_status" in event.data
        and PUBLIC_STATUSES[ListingStatus(event.data["listing_status"][0])] is not LISTED_STATUS
    )
    return next(relisting_times, integration.released_at)
