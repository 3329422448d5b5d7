"""What may be said of a standing, and to whom? The one place that knows; every page and list asks here.

A notice is between the program and the partner: to everybody else the integration is what it was. What is suspended
or removed says so, and never shows a tier.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ListingStatus
from portal.audit.models import AuditEvent

# the steps of the due process, as the page of the standing offers them
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
STATUS_PRESERVING_STEPS = (
    "dismiss_request",
    "appeal",
    "dismiss_appeal",
    "resume_deadline",
    "request_reinstatement",
)  # they change no standing
RELISTING_EVENT_TYPES = ("reinstate", "uphold_appeal")  # they list it again
STATUS_DESCRIPTIONS = {
    ListingStatus.UNLISTED: gettext_noop("Not listed: its company promises no support."),
    ListingStatus.LISTED: gettext_noop("Listed, and in good standing."),
    ListingStatus.ON_NOTICE: gettext_noop("Under notice. Its public page does not say so."),
    ListingStatus.SUSPENDED: gettext_noop("Suspended. Its public page says so."),
    ListingStatus.DELISTED: gettext_noop("Removed from the listing. Its public page stays and says so."),
}


@dataclass(frozen=True, slots=True)
class PublicListingStatus:
    """A standing as everybody may know it: a word, the sentence beside it, a tone, and whether a tier is shown.

    `key`: the same for machines, in addresses and data.
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
        gettext_noop("The program has suspended it: the promise of support was not kept, or is in doubt."),
        "warn",
        "suspended",
    ),
    ListingStatus.DELISTED: PublicListingStatus(
        gettext_noop("No longer listed"),
        gettext_noop("The program no longer lists it, and promises nothing about it."),
        "bad",
        "delisted",
    ),
    ListingStatus.UNLISTED: PublicListingStatus(
        gettext_noop("Community"),
        gettext_noop("Its company no longer promises support and said so. What was published stays usable."),
        "info",
        "community",
    ),
}
ENDED_STATUS = PublicListingStatus(
    gettext_noop("No longer supported"), gettext_noop("Its company has ended its support."), "info", "ended"
)
PUBLIC_STATUSES_BY_KEY = {status.key: status for status in (*PUBLIC_STATUSES.values(), ENDED_STATUS)}


def get_listing_status_after_step(step: str, target: Any) -> PublicListingStatus | None:
    """What everybody may know once a step of the due process was taken; None for any other step."""
    return (
        PUBLIC_STATUSES.get(target, LISTED_STATUS)
        if step in COMPLIANCE_STEPS and step not in STATUS_PRESERVING_STEPS
        else None
    )


def get_public_listing_status(integration: Integration) -> PublicListingStatus:
    """What everybody may know of the standing of an integration that was listed at some time."""
    return PUBLIC_STATUSES[ListingStatus(integration.listing_status)] if integration.is_open else ENDED_STATUS


def get_status_changed_at(integration: Integration) -> datetime | None:
    """Since when everybody may know that it stands as it does. A notice, and one that was taken back, has no date."""
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
