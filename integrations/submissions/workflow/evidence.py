"""Registry of the functions that provide evidence for compliance decisions.

The compliance app knows more than this layer can import, so it registers its functions at startup. Without a provider
there is no activity, no transfer, and no evidence.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from portal.core.value_types import JsonObject

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration

PAUSED_FOR_ACTIVITY, PAUSED_FOR_APPEAL = "partner_responded", "appeal"


@dataclass(frozen=True, slots=True)
class PartnerActivity:
    """Activity of the partner that no reviewer has seen. `key` is unique within a compliance case."""

    key: str
    at: datetime
    summary: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class ComplianceFacts:
    """Facts for compliance guards.

    `data_up_to`: end of the complete data, None if nothing is monitored; `freeze_reason`: why a check put the
    integration on hold, while that hold lasts.
    """

    activities: tuple[PartnerActivity, ...] = ()
    data_up_to: datetime | None = None
    freeze_reason: str = ""


@dataclass(slots=True)
class _EvidenceProvider:
    facts_function: "Callable[[Integration, datetime], ComplianceFacts]" = field(
        default=lambda _row, _now: ComplianceFacts()
    )
    # Without a provider, guards see neither activity nor a transfer, and so allow no immediate suspension.
    evidence_function: "Callable[[Integration, datetime], JsonObject]" = field(default=lambda _row, _now: {})


# An object, because importers of module variables would keep the functions from before the registration.
_provider = _EvidenceProvider()


def set_evidence_provider(
    facts_function: "Callable[[Integration, datetime], ComplianceFacts]",
    evidence_function: "Callable[[Integration, datetime], JsonObject]",
) -> None:
    """Register the provider. `evidence_function` returns plain JSON."""
    _provider.facts_function, _provider.evidence_function = facts_function, evidence_function


def get_compliance_facts(integration: "Integration", now: datetime) -> ComplianceFacts:
    """Return the facts at a moment."""
    return _provider.facts_function(integration, now)


def collect_evidence(integration: "Integration", now: datetime) -> dict[str, object]:
    """Return the evidence that a decision stores and both sides see."""
    return _provider.evidence_function(integration, now)
