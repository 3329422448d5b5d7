"""Registry of the functions that provide evidence for compliance decisions.

The compliance app knows more than this layer can import, so it registers its functions at startup. Without a provider
there is no activity, no transfer, and no evidence.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from portal.core.value_types import JsonObject

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration

PAUSED_FOR_ACTIVITY = "partner_responded"
PAUSED_FOR_APPEAL = "appeal"


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

    `data_up_to`: end of the complete data, None if nothing is monitored; `is_transferred`: whether the integration is
    on hold because the repository belongs to someone else.
    """

    activities: tuple[PartnerActivity, ...] = ()
    data_up_to: datetime | None = None
    is_transferred: bool = False


@dataclass(slots=True)
class EvidenceProvider:
    """Functions that return the facts for guards, and the evidence as plain JSON that a decision stores."""

    # Without a provider, guards see neither activity nor a transfer, and so allow no immediate suspension.
    get_facts: "Callable[[Integration, datetime], ComplianceFacts]" = lambda _row, _now: ComplianceFacts()
    collect_evidence: "Callable[[Integration, datetime], JsonObject]" = lambda _row, _now: {}


# An object, because importers of module variables would keep the functions from before the registration.
PROVIDER = EvidenceProvider()
