"""Table of notification categories, including which ones a person can turn off."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from django.utils.translation import gettext_noop as _


class DeliveryMode(StrEnum):
    """Where a notification goes and when."""

    IMMEDIATE = "immediate"
    DAILY = "daily"
    WEEKLY = "weekly"
    PORTAL = "portal"
    OFF = "off"


MODE_LABELS: Mapping[DeliveryMode, str] = MappingProxyType(
    {
        DeliveryMode.IMMEDIATE: _("Immediate email"),
        DeliveryMode.DAILY: _("Daily digest email"),
        DeliveryMode.WEEKLY: _("Weekly digest email"),
        DeliveryMode.PORTAL: _("Portal only"),
        DeliveryMode.OFF: _("Off"),
    }
)
DIGEST_MODES = (DeliveryMode.DAILY, DeliveryMode.WEEKLY)


@dataclass(frozen=True, slots=True)
class NotificationCategory:
    """Notification category.

    Attributes:
        locked: Why people can't turn it off, or blank.
        side: Who receives it: partner, program, or blank for both.
        digest: Whether it can wait for a digest. Emails with a calendar entry can't.
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
        _("Approvals, declines, requested changes, listings, tiers, and waivers."),
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
        locked=_("Decisions start deadlines, so both sides must know about them."),
        side="partner",
    ),
    NotificationCategory(
        "standing",
        _("Listing status"),
        _("Notices, suspensions, appeals, and other steps of the compliance procedure."),
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
        locked=_("The deadlines of the compliance procedure start with the email."),
    ),
    NotificationCategory(
        "breaches",
        _("Breaches"),
        _("Breached SLA targets, retracted breaches, and decisions about them."),
        (
            "issues_breached",
            "breaches_retracted",
            "severity_lowered",
            "not_covered",
            "breach_disputed",
            "dispute_dismissed",
        ),
        locked=_("Breaches need a response."),
    ),
    NotificationCategory(
        "credentials",
        _("Test credentials"),
        _("Someone opened your test credentials, or they are due for rotation."),
        ("credential_revealed", "credential_to_rotate"),
        locked=_("They are your secrets."),
        side="partner",
    ),
    NotificationCategory(
        "reviews",
        _("Review requests"),
        _("Reviews, tiers, and labels to decide, and withdrawals."),
        ("submit_for_review", "resubmit_for_review", "request_tier", "withdraw", "labels_proposed", "severity_asked"),
        side="program",
    ),
    NotificationCategory(
        "messages", _("Messages"), _("New messages about an integration."), ("said_to_partner", "said_to_program")
    ),
    NotificationCategory(
        "checks",
        _("Checks"),
        _("A check starts to fail or pass, or contradicts your CI results."),
        ("check_failed", "check_passed", "checks_disagree"),
    ),
    NotificationCategory("warnings", _("SLA warnings"), _("Issues whose due date is near."), ("issues_warned",)),
    NotificationCategory(
        "path",
        _("Progress"),
        _("Integrations that are created, put on hold, resumed, reopened, archived, or moved to a new edition."),
        ("created", "put_on_hold", "resume", "archive", "reopen", "edition_moved"),
    ),
    NotificationCategory(
        "agreements",
        _("Agreements"),
        _("Agreements to sign, and agreements that both sides signed."),
        ("agreement_to_countersign", "agreement_to_sign", "agreement_complete"),
    ),
    NotificationCategory(
        "meetings",
        _("Meetings"),
        _("Proposed, scheduled, and canceled meetings. The email contains a calendar entry."),
        ("meeting_proposed", "meeting_agreed", "meeting_cancelled"),
        digest=False,
    ),
    NotificationCategory(
        "labels",
        _("Labels"),
        _("Decisions about the labels of your repository."),
        ("labels_accepted", "labels_declined"),
        side="partner",
    ),
    NotificationCategory(
        "introductions",
        _("Introductions"),
        _("Requests from partners with a similar integration."),
        ("introduction_asked", "introduction_agreed", "introduction_declined"),
        side="partner",
    ),
)
CATEGORY_BY_KEY = MappingProxyType({kind.key: kind for kind in CATEGORIES})
CATEGORY_BY_EVENT_TYPE = MappingProxyType({event_type: kind for kind in CATEGORIES for event_type in kind.event_types})
