"""Models of the notifications app."""

from portal.notifications.models.emails import EmailMessage
from portal.notifications.models.preferences import CalendarFeed, NotificationPreference

__all__ = [
    "CalendarFeed",
    "EmailMessage",
    "NotificationPreference",
]
