"""Notification categories, and which of them people can turn off."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from django.utils.translation import gettext_noop as _

from portal.audit.catalog import EMAILS
from portal.audit.event_types import Category


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

    key: Category
    title: str
    description: str
    locked: str = ""
    side: str = ""
    digest: bool = True

    @property
    def event_types(self) -> list[str]:
        return [event_type for event_type, email in EMAILS.items() if email.category == self.key]

    def list_modes(self) -> tuple[DeliveryMode, ...]:
        """Return the delivery modes that people can select."""
        if self.locked:
            return (DeliveryMode.IMMEDIATE,)
        return tuple(mode for mode in DeliveryMode if self.digest or mode not in DIGEST_MODES)


CATEGORIES = (
    NotificationCategory(
        Category.DECISIONS,
        _("Decisions"),
        _("Approvals, declines, requested changes, listings, tiers, and waivers."),
        locked=_("Decisions start deadlines, so both sides must know about them."),
        side="partner",
    ),
    NotificationCategory(
        Category.COMPLIANCE,
        _("Listing status"),
        _("Notices, suspensions, appeals, and other steps of the compliance procedure."),
        locked=_("The deadlines of the compliance procedure start with the email."),
    ),
    NotificationCategory(
        Category.BREACHES,
        _("Breaches"),
        _("Breached SLA targets, retracted breaches, and decisions about them."),
        locked=_("Breaches need a response."),
    ),
    NotificationCategory(
        Category.CREDENTIALS,
        _("Test credentials"),
        _("Someone opened your test credentials, or they are due for rotation."),
        locked=_("They are your secrets."),
        side="partner",
    ),
    NotificationCategory(
        Category.REVIEWS,
        _("Review requests"),
        _("Requests for reviews, tiers, and label policies, and withdrawals."),
        side="program",
    ),
    NotificationCategory(Category.MESSAGES, _("Messages"), _("New messages about an integration.")),
    NotificationCategory(
        Category.CHECKS,
        _("Checks"),
        _("A check starts to fail or pass, or contradicts your CI results."),
    ),
    NotificationCategory(Category.WARNINGS, _("SLA warnings"), _("Issues whose due date is near.")),
    NotificationCategory(
        Category.PATH,
        _("Progress"),
        _("Integrations that are created, put on hold, resumed, reopened, archived, or moved to a new edition."),
    ),
    NotificationCategory(
        Category.AGREEMENTS,
        _("Agreements"),
        _("Agreements to sign, and agreements that both sides signed."),
    ),
    NotificationCategory(
        Category.MEETINGS,
        _("Meetings"),
        _("Proposed, scheduled, and canceled meetings. The email contains a calendar entry."),
        digest=False,
    ),
    NotificationCategory(
        Category.LABELS,
        _("Labels"),
        _("Decisions about the labels of your repository."),
        side="partner",
    ),
    NotificationCategory(
        Category.INTRODUCTIONS,
        _("Introductions"),
        _("Requests from partners with a similar integration."),
        side="partner",
    ),
)
CATEGORY_BY_KEY: Mapping[str, NotificationCategory] = MappingProxyType({kind.key: kind for kind in CATEGORIES})
