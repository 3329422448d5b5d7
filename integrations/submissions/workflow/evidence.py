"""What does the due process of a standing need to know of the support, which is recorded on the floors above?

Those who watch name themselves here once, when the portal is ready; the guards and the steps ask through this door.
Without a witness nothing is known: then nobody acted, no repository is in other hands, and there is no evidence.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration

PAUSED_FOR_ACTIVITY, PAUSED_FOR_APPEAL = "partner_responded", "appeal"


@dataclass(frozen=True, slots=True)
class PartnerActivity:
    """Something that speaks for the partner and that no person has looked at yet. Its key is unique in a process."""

    key: str
    at: datetime
    summary: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class ComplianceFacts:
    """What the witness knows. `up_to`: everything before this moment was seen, None where nothing is watched;
    `frozen`: why the machine put it on hold, while that hold lasts."""

    acts: tuple[PartnerActivity, ...] = ()
    up_to: datetime | None = None
    frozen: str = ""


@dataclass(slots=True)
class _EvidenceProvider:
    facts_function: "Callable[[Integration, datetime], ComplianceFacts]" = field(
        default=lambda _row, _now: ComplianceFacts()
    )
    evidence_function: "Callable[[Integration, datetime], dict[str, Any]]" = field(default=lambda _row, _now: {})


_provider = _EvidenceProvider()


def set_evidence_provider(
    facts_function: "Callable[[Integration, datetime], ComplianceFacts]",
    evidence_function: "Callable[[Integration, datetime], dict[str, Any]]",
) -> None:
    """Whom to ask from now on. `evidence_function` answers with plain JSON."""
    _provider.facts_function, _provider.evidence_function = facts_function, evidence_function


def get_compliance_facts(integration: "Integration", now: datetime) -> ComplianceFacts:
    """What speaks for and against the next step, as of a moment. Asked once a moment: kept on the row."""
    cached_facts: tuple[datetime, ComplianceFacts] | None = integration.__dict__.get("_known")
    if cached_facts is None or cached_facts[0] != now:
        cached_facts = integration.__dict__["_known"] = (now, _provider.facts_function(integration, now))
    return cached_facts[1]


def collect_evidence(integration: "Integration", now: datetime) -> dict[str, Any]:
    """The pack that both sides see, as it is frozen with a decision."""
    return _provider.evidence_function(integration, now)
