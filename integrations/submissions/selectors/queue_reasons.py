"""Reasons why an integration is in the queue of the program."""

from typing import TYPE_CHECKING

from integrations.programs.stages import Stage
from integrations.submissions.workflow.states import (
    ComplianceStatus,
    IntegrationSnapshot,
    ResponsibleParty,
    ReviewState,
)

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration

COMPLIANCE_REASONS = {
    ComplianceStatus.EXPIRED: "deadline ended",
    ComplianceStatus.PARTNER_RESPONDED: "partner responded",
    ComplianceStatus.APPEALED: "appeal",
}


def list_reasons(integration: "Integration", facts: IntegrationSnapshot) -> list[str]:
    """Return why an integration is in the program's queue, most important first."""
    if facts.on_hold_for:
        return [f"on hold: {facts.hold_reason}"]
    reasons = [COMPLIANCE_REASONS[facts.process]] if facts.process in COMPLIANCE_REASONS else []
    if facts.process == ComplianceStatus.REQUESTED:
        reasons.append(facts.compliance_request)
    if facts.stage == Stage.REVIEW and facts.review == ReviewState.WAITING:
        reasons.append("new review" if facts.round == 1 else f"review round {facts.round}")
    if facts.resolved_findings:
        reasons.append(f"response to {facts.resolved_findings} finding{'s' if facts.resolved_findings > 1 else ''}")
    if facts.stage == Stage.RELEASE and not facts.missing:
        reasons.append("ready to publish")
    if facts.tier_request:
        reasons.append(f"request for tier {facts.tier_request}")
    program_requirements = [
        m
        for m in (*facts.missing, *facts.unfulfilled, *facts.renewals)
        if m.responsible_party == ResponsibleParty.PROGRAM
    ]
    return reasons + [m.title for m in program_requirements]
