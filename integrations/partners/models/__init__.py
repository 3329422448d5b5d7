"""Models of the partners app."""

from integrations.partners.models.calendars import CalendarEdition, CalendarEditionQuerySet
from integrations.partners.models.partners import Invitation, JoinRequest, Membership, Partner, Role

__all__ = [
    "CalendarEdition",
    "CalendarEditionQuerySet",
    "Invitation",
    "JoinRequest",
    "Membership",
    "Partner",
    "Role",
]
