"""Models of the submissions app."""

from integrations.submissions.models.drafts import Draft
from integrations.submissions.models.findings import Finding, Introduction, Look, Message
from integrations.submissions.models.integration import Integration, IntegrationQuerySet
from integrations.submissions.models.listing_status import Standings
from integrations.submissions.models.requirements import (
    Agreement,
    Credential,
    CredentialUse,
    Document,
    Meeting,
    RequirementState,
)

__all__ = [
    "Agreement",
    "Credential",
    "CredentialUse",
    "Document",
    "Draft",
    "Finding",
    "Integration",
    "IntegrationQuerySet",
    "Introduction",
    "Look",
    "Meeting",
    "Message",
    "RequirementState",
    "Standings",
]
