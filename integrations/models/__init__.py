"""The tables of the lower floor."""

from integrations.models.calendar import CalendarEdition
from integrations.models.draft import Draft
from integrations.models.event import Event
from integrations.models.integration import Integration
from integrations.models.partner import Invitation, JoinRequest, Membership, Partner, Role
from integrations.models.published import PublishedProvider
from integrations.models.requirement import (
    Agreement,
    Credential,
    CredentialUse,
    Document,
    Meeting,
    RequirementState,
)
from integrations.models.review import Finding, Introduction, Look, Message, ReviewerProfile

__all__ = [
    "Agreement",
    "CalendarEdition",
    "Credential",
    "CredentialUse",
    "Document",
    "Draft",
    "Event",
    "Finding",
    "Integration",
    "Introduction",
    "Invitation",
    "JoinRequest",
    "Look",
    "Meeting",
    "Membership",
    "Message",
    "Partner",
    "PublishedProvider",
    "RequirementState",
    "ReviewerProfile",
    "Role",
]
