"""Models of the partners app."""

from integrations.partners.models.calendars import PartnerCalendar, PartnerCalendarQuerySet
from integrations.partners.models.conflicts import ConflictKind, ConflictOfInterest
from integrations.partners.models.partners import (
    Invitation,
    JoinRequest,
    Membership,
    Partner,
    Role,
    VerificationState,
)
from integrations.partners.models.verifications import DOMAIN_METHODS, PartnerVerification, VerificationMethod
