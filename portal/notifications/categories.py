"""Table of notification categories, including which ones a person can turn off."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from django.utils.translation import gettext_noop as _


class DeliveryMode(StrEnum):
    """Where a notice goes and when."""

    IMMEDIATE = "immediate"
    DAILY = "daily"
    WEEKLY = "weekly"
    PORTAL = "portal"
    OFF = "off"


MODE_LABELS: Mapping[DeliveryMode, str] = MappingProxyType(
    {
        DeliveryMode.IMMEDIATE: _("Mail at once"),
        DeliveryMode.DAILY: _("Daily digest by mail"),
        DeliveryMode.WEEKLY: _("Weekly digest by mail"),
        DeliveryMode.PORTAL: _("In the portal only"),
        DeliveryMode.OFF: _("Not at all"),
    }
)
DIGEST_MODES = (DeliveryMode.DAILY, DeliveryMode.WEEKLY)


@dataclass(frozen=True, slots=True)
class NotificationCategory:
    """A kind of notice. `locked`: why nobody can silence it; `side`: who gets it, blank for both.

    `digest`: whether it can wait; what brings a calendar along cannot.
    """

    key: str
    title: str
    means: str
    event_types: tuple[str, ...]
    locked: str = ""
    side: str = ""
    digest: bool = True

    def ways(self) -> tuple[DeliveryMode, ...]:
        return tuple(how for how in DeliveryMode if self.digest or how not in DIGEST_MODES)


CATEGORIES = (
    NotificationCategory(
        "decisions",
        _("Decisions"),
        _("Approved, declined, listed, changes requested, tiers and waivers."),
        (
            "request_changes",
            "approve",
            "decline",
            "publish",
            "grant_tier",
            "decline_tier",
            "waived",
            "waiver_ended",
            "accepted",
        ),
        locked=_("A decision starts time that counts, and both sides rely on it having been told."),
        side="partner",
    ),
    NotificationCategory(
        "standing",
        _("Standing in the listing"),
        _("Notices, suspensions, appeals and everything of the due process."),
        (
            "issue_notice",
            "suggest_notice",
            "dismiss_request",
            "pause_deadline",
            "resume_deadline",
            "period_ended",
            "suspend",
            "suspend_immediately",
            "delist",
            "appeal",
            "uphold_appeal",
            "dismiss_appeal",
            "withdraw_notice",
            "reinstate",
            "request_reinstatement",
            "downgrade_to_community",
        ),
        locked=_("The periods of the due process run from the mail that told you."),
    ),
    NotificationCategory(
        "breaches",
        _("Breaches"),
        _("Issues past their due moment, breaches taken back, and what was decided about them."),
        (
            "issues_breached",
            "breaches_retracted",
            "severity_lowered",
            "not_covered",
            "breach_disputed",
            "dispute_dismissed",
        ),
        locked=_("A breach that nobody heard of helps nobody: silence is no answer."),
    ),
    NotificationCategory(
        "credentials",
        _("Test credentials"),
        _("Opened, or due to be made anew."),
        ("credential_revealed", "credential_to_rotate"),
        locked=_("It is about your secrets."),
        side="partner",
    ),
    NotificationCategory(
        "reviews",
        _("Review requests"),
        _("A review, a tier or labels to decide on; withdrawals."),
        ("submit_for_review", "resubmit_for_review", "request_tier", "withdraw", "labels_proposed", "severity_asked"),
        side="program",
    ),
    NotificationCategory(
        "messages", _("Messages"), _("Somebody wrote about an integration."), ("said_to_partner", "said_to_program")
    ),
    NotificationCategory(
        "checks",
        _("Checks"),
        _("A requirement that was met no longer is, or is again; CI was contradicted."),
        ("check_failed", "check_passed", "checks_disagree"),
    ),
    NotificationCategory(
        "warnings", _("Issues that come due"), _("Before an issue is past its due moment."), ("issues_warned",)
    ),
    NotificationCategory(
        "path",
        _("Path of an integration"),
        _("Begun, on hold, resumed, reopened, archived, a new edition."),
        ("created", "put_on_hold", "resume", "archive", "reopen", "edition_moved"),
    ),
    NotificationCategory(
        "agreements",
        _("Agreements"),
        _("To sign, and signed by both."),
        ("agreement_to_countersign", "agreement_to_sign", "agreement_complete"),
    ),
    NotificationCategory(
        "meetings",
        _("Meetings"),
        _("Times proposed, agreed or cancelled; the mail brings the calendar entry."),
        ("meeting_proposed", "meeting_agreed", "meeting_cancelled"),
        digest=False,
    ),
    NotificationCategory(
        "labels",
        _("Labels"),
        _("How labels of your repository are read."),
        ("labels_accepted", "labels_declined"),
        side="partner",
    ),
    NotificationCategory(
        "introductions",
        _("Introductions"),
        _("Others who work on the same thing."),
        ("introduction_asked", "introduction_agreed", "introduction_declined"),
        side="partner",
    ),
)
CATEGORY_BY_KEY = MappingProxyType({kind.key: kind for kind in CATEGORIES})
CATEGORY_BY_EVENT_TYPE = MappingProxyType({event_type: kind for kind in CATEGORIES for event_type in kind.event_types})
