"""Reasons why an integration is in the queue of the program."""

from integrations.partners.models import VerificationState
from integrations.programs.stages import Stage
from integrations.submissions.workflow.states import (
    ComplianceStatus,
    IntegrationSnapshot,
    ResponsibleParty,
    ReviewState,
)
from portal.core.value_types import JsonObject

COMPLIANCE_REASONS = {
    ComplianceStatus.EXPIRED: "deadline_ended",
    ComplianceStatus.PARTNER_RESPONDED: "partner_responded",
    ComplianceStatus.APPEALED: "appeal",
}


def list_reasons(facts: IntegrationSnapshot) -> list[JsonObject]:
    """Return the codes and parameters of why an integration is in the program's queue, most important first."""
    if facts.on_hold_for:
        return [_build_reason("hold", reason=facts.hold_reason)]
    # As codes, because the stored reasons are rendered in the language of each reader.
    reasons = [_build_reason(COMPLIANCE_REASONS[facts.process])] if facts.process in COMPLIANCE_REASONS else []
    if facts.process == ComplianceStatus.REQUESTED:
        reasons.append(_build_reason(facts.compliance_request, **facts.compliance_request_params))
    if facts.stage == Stage.REVIEW and facts.review == ReviewState.WAITING:
        reasons.append(_build_review_reason(facts))
    if facts.resolved_findings:
        reasons.append(_build_reason("resolved_findings", count=facts.resolved_findings))
    if facts.company == VerificationState.NEEDS_DECISION:
        reasons.append(_build_reason("company_name"))
    # Only a verified company can be listed, see guards.is_company_verified.
    if facts.stage == Stage.RELEASE and facts.company == VerificationState.VERIFIED and not facts.missing:
        reasons.append(_build_reason("ready_to_publish"))
    if facts.tier_request:
        reasons.append(_build_reason("tier_request", tier=facts.tier_request))
    return reasons + [
        _build_reason("requirement", title=item.title)
        for item in (*facts.missing, *facts.unfulfilled)
        if item.responsible_party == ResponsibleParty.PROGRAM
    ]


def _build_review_reason(facts: IntegrationSnapshot) -> JsonObject:
    if facts.is_awaiting_second_reviewer:
        return _build_reason("second_review")
    return _build_reason("new_review") if facts.round == 1 else _build_reason("repeated_review", round=facts.round)


def _build_reason(code: str, **params: object) -> JsonObject:
    return {"code": code, "params": params}
