"""Notification categories, and which of them people can turn off."""

from collections.abc import Mapping
from types import MappingProxyType

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy

from portal.audit.event_types import EMAILS, Category
from portal.core.content_files import Content, load_section


class DeliveryMode(TextChoices):
    """Where a notification goes and when."""

    IMMEDIATE = "immediate", gettext_lazy("Immediate email")
    DAILY = "daily", gettext_lazy("Daily digest email")
    WEEKLY = "weekly", gettext_lazy("Weekly digest email")
    PORTAL = "portal", gettext_lazy("Portal only")
    OFF = "off", gettext_lazy("Off")


DIGEST_MODES = (DeliveryMode.DAILY, DeliveryMode.WEEKLY)


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


CATEGORIES = load_section(
    "portal/notifications/content/categories.yaml", "categories", tuple[NotificationCategory, ...]
)
CATEGORY_BY_KEY: Mapping[str, NotificationCategory] = MappingProxyType({kind.key: kind for kind in CATEGORIES})
