"""Reasons why an integration is in the queue of the program."""

from typing import TYPE_CHECKING

from integrations.programs.schema import Stage
from integrations.submissions.workflow.states import (
    ComplianceStatus,
    IntegrationSnapshot,
    ResponsibleParty,
    ReviewState,
)

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration

COMPLIANCE_REASONS = {
    ComplianceStatus.EXPIRED: "the period has ended",
    ComplianceStatus.PARTNER_RESPONDED: "the partner acted",
    ComplianceStatus.APPEALED: "appeal",
}


def list_reasons(integration: "Integration", facts: IntegrationSnapshot) -> list[str]:
    """Why an integration is in the program's queue, in words, most telling first."""
    if facts.on_hold_for:
        return [f"on hold: {facts.hold_reason}"]
    reasons = [COMPLIANCE_REASONS[facts.process]] if facts.process in COMPLIANCE_REASONS else []
    if facts.process == ComplianceStatus.REQUESTED:
        reasons.append(facts.compliance_request)
    if facts.stage == Stage.REVIEW and facts.review == ReviewState.WAITING:
        reasons.append("new review" if facts.round == 1 else f"review round {facts.round}")
    if facts.resolved_findings:
        reasons.append(f"answered {facts.resolved_findings} finding{'s' if facts.resolved_findings > 1 else ''}")
    if facts.stage == Stage.RELEASE and not facts.missing:
        reasons.append("ready to list")
    if facts.tier_request:
        reasons.append(f"asks for the tier {facts.tier_request}")
    program_requirements = [
        m for m in (*facts.missing, *facts.broken, *facts.renewals) if m.holder == ResponsibleParty.PROGRAM
    ]
    return reasons + [m.title for m in program_requirements]
