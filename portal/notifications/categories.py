"""Notification categories, and which of them people can turn off."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from django.utils.translation import gettext_noop

from portal.audit.event_types import EMAILS, Category
from portal.core.content_files import Content, load_content


class DeliveryMode(StrEnum):
    """Where a notification goes and when."""

    IMMEDIATE = "immediate"
    DAILY = "daily"
    WEEKLY = "weekly"
    PORTAL = "portal"
    OFF = "off"


MODE_LABELS: Mapping[DeliveryMode, str] = MappingProxyType(
    {
        DeliveryMode.IMMEDIATE: gettext_noop("Immediate email"),
        DeliveryMode.DAILY: gettext_noop("Daily digest email"),
        DeliveryMode.WEEKLY: gettext_noop("Weekly digest email"),
        DeliveryMode.PORTAL: gettext_noop("Portal only"),
        DeliveryMode.OFF: gettext_noop("Off"),
    }
)
DIGEST_MODES = (DeliveryMode.DAILY, DeliveryMode.WEEKLY)


@dataclass(frozen=True, slots=True)
class NotificationCategory(Content):
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


CATEGORIES = load_content("portal/notifications/content/categories.yaml", dict[str, tuple[NotificationCategory, ...]])[
    "categories"
]
CATEGORY_BY_KEY: Mapping[str, NotificationCategory] = MappingProxyType({kind.key: kind for kind in CATEGORIES})
