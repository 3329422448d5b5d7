"""Models of the submissions app."""

from integrations.submissions.models.drafts import IntegrationDraft
from integrations.submissions.models.findings import Finding, Introduction, ReadMarker, ReviewMessage
from integrations.submissions.models.integration import Integration, IntegrationQuerySet
from integrations.submissions.models.listing_status import ListingStatusFields
from integrations.submissions.models.requirements import (
    Agreement,
    Document,
    Meeting,
    RequirementFulfillment,
    TestCredential,
    TestCredentialAccess,
)

__all__ = [
    "Agreement",
    "Document",
    "Finding",
    "Integration",
    "IntegrationDraft",
    "IntegrationQuerySet",
    "Introduction",
    "ListingStatusFields",
    "Meeting",
    "ReadMarker",
    "RequirementFulfillment",
    "ReviewMessage",
    "TestCredential",
    "TestCredentialAccess",
]
