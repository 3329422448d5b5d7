"""Models of the submissions app."""

from integrations.submissions.models.agreements import Agreement, AgreementSignature
from integrations.submissions.models.drafts import IntegrationDraft
from integrations.submissions.models.findings import Finding, Introduction, ReadMarker, ReviewMessage
from integrations.submissions.models.integration import (
    DESCRIPTION_FIELDS,
    REPOSITORY_FIELDS,
    Integration,
    IntegrationQuerySet,
)
from integrations.submissions.models.listing_status import ListingStatusFields
from integrations.submissions.models.requirements import (
    Document,
    EvidenceSnapshot,
    Meeting,
    RequirementFulfillment,
    TestCredential,
    TestCredentialAccess,
)
