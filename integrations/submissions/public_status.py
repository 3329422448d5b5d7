"""Public listing status: the only module that decides what the public sees of a compliance case.

A notice is between the program and the partner. The public sees no change. A suspended or delisted integration
shows its status and no tier.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ListingStatus
from portal.audit.models import AuditEvent

# in the order in which the compliance page offers them
COMPLIANCE_STEPS = (
    "issue_notice",
    "dismiss_request",
    "withdraw_notice",
    "appeal",
    "uphold_appeal",
    "dismiss_appeal",
    "resume_deadline",
    "suspend",
    "suspend_immediately",
    "delist",
    "request_reinstatement",
    "reinstate",
    "downgrade_to_community",
)
STATUS_PRESERVING_STEPS = ("dismiss_request", "appeal", "dismiss_appeal", "resume_deadline", "request_reinstatement")
RELISTING_EVENT_TYPES = ("compliance.reinstated", "compliance.appeal_upheld")
STATUS_DESCRIPTIONS = {
    ListingStatus.UNLISTED: gettext_noop("Unlisted. The partner makes no support commitment."),
    ListingStatus.LISTED: gettext_noop("Listed. No notice is open."),
    ListingStatus.ON_NOTICE: gettext_noop("On notice. The public page doesn't show it."),
    ListingStatus.SUSPENDED: gettext_noop("Suspended. The public page shows the suspension."),
    ListingStatus.DELISTED: gettext_noop("Delisted. The public page stays online and shows the status."),
}


@dataclass(frozen=True, slots=True)
class PublicListingStatus:
    """Listing status as the public sees it: label, description, tone, and whether the tier is shown.

    `key` identifies the status in URLs and data.
    """

    word: str
    sentence: str
    tone: str
    key: str
    shows_tier: bool = False


LISTED_STATUS = PublicListingStatus(gettext_noop("Listed"), "", "good", "listed", shows_tier=True)
PUBLIC_STATUSES = {
    ListingStatus.LISTED: LISTED_STATUS,
    ListingStatus.ON_NOTICE: LISTED_STATUS,
    ListingStatus.SUSPENDED: PublicListingStatus(
        gettext_noop("Suspended"),
        gettext_noop(
            "The program suspended this integration because it missed its support commitment or ownership changed."
        ),
        "warn",
        "suspended",
    ),
    ListingStatus.DELISTED: PublicListingStatus(
        gettext_noop("No longer listed"),
        gettext_noop("The program no longer lists this integration. No support commitment applies."),
        "bad",
        "delisted",
    ),
    ListingStatus.UNLISTED: PublicListingStatus(
        gettext_noop("Community"),
        gettext_noop("The partner ended its support commitment. Published versions stay available."),
        "info",
        "community",
    ),
}
ENDED_STATUS = PublicListingStatus(
    gettext_noop("No longer supported"), gettext_noop("The partner ended support."), "info", "ended"
)
PUBLIC_STATUSES_BY_KEY = {status.key: status for status in (*PUBLIC_STATUSES.values(), ENDED_STATUS)}


def get_listing_status_after_step(step: str, target: Any) -> PublicListingStatus | None:
    """Return the public status after a compliance step, or None if the step doesn't change the status."""
    return (
        PUBLIC_STATUSES.get(target, LISTED_STATUS)
        if step in COMPLIANCE_STEPS and step not in STATUS_PRESERVING_STEPS
        else None
    )


def get_public_listing_status(integration: Integration) -> PublicListingStatus:
    """Return the public status of an integration that has been listed."""
    return PUBLIC_STATUSES[ListingStatus(integration.listing_status)] if integration.is_open else ENDED_STATUS


def get_status_changed_at(integration: Integration) -> datetime | None:
    """Return when the public status last changed. Notices, including withdrawn ones, don't change it."""
    if not integration.is_open:
        return integration.ended_at
    if PUBLIC_STATUSES[ListingStatus(integration.listing_status)] is not LISTED_STATUS:
        return integration.listing_status_since or integration.released_at
    events = (
        AuditEvent.objects.filter(integration=integration, event_type__in=RELISTING_EVENT_TYPES).order_by("-seq")
        if integration.listing_status_since
        else ()
    )
    relisting_times = (
        event.at
        for event in events
        if "listing_status" in event.data
        and PUBLIC_STATUSES[ListingStatus(event.data["listing_status"][0])] is not LISTED_STATUS
    )
    return next(relisting_times, integration.released_at)
