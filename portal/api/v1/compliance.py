"""Operations for the evidence of the compliance procedure."""

from uuid import UUID

from ninja import Path

from integrations.compliance.views import get_evidence, load_listed_integration
from portal.accounts.requests import AuthenticatedRequest
from portal.api.routing import ScopedRouter
from portal.core.value_types import JsonObject

router = ScopedRouter("Compliance")


@router.get("/integrations/{uuid:uuid}/compliance", "integrations:read", JsonObject)
def get_compliance(request: AuthenticatedRequest, uuid: UUID) -> JsonObject:
    """Get the current evidence of the compliance procedure. Both sides see the same evidence."""
    return get_evidence(load_listed_integration(request, uuid))


@router.get("/integrations/{uuid:uuid}/compliance/{int:sequence}", "integrations:read", JsonObject)
def get_frozen_compliance(request: AuthenticatedRequest, uuid: UUID, sequence: int = Path(le=2**31 - 1)) -> JsonObject:
    """Get the evidence at the time of a decision. `sequence` is that of the decision's event."""
    return get_evidence(load_listed_integration(request, uuid), sequence)
