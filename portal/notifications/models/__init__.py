"""Models of the notifications app."""

from portal.notifications.models.emails import EmailMessage
from portal.notifications.models.preferences import NotificationPreference

__all__ = [
    "EmailMessage",
    "NotificationPreference",
]
