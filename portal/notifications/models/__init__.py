"""Models of the notifications app."""

from portal.notifications.models.emails import Email
from portal.notifications.models.escalations import Escalation
from portal.notifications.models.preferences import CalendarFeed, Wish

__all__ = [
    "CalendarFeed",
    "Email",
    "Escalation",
    "Wish",
]
