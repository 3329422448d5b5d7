"""Actions that an integration needs, most urgent first, and why it is in the queue of the program."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from integrations.partners.models import VerificationState
from integrations.submissions.workflow.next_action import ActionTextParams, render_action_text
from integrations.submissions.workflow.states import (
    FINAL_STAGES,
    ComplianceStatus,
    IntegrationSnapshot,
    ListingStatus,
    OpenRequirement,
    ResponsibleParty,
    ReviewState,
    Stage,
)
from portal.core.value_types import JsonObject

PENDING_ACTION = "decision_pending"
MONITORED_ACTION = "none_monitored"
# What the program does after the partner signed, by the method of the agreement
SIGNATURE_ACTIONS = {"portal": "sign_for_program", "upload": "confirm_signed_pdf"}


@dataclass(frozen=True, slots=True)
class NextAction:
    """Responsible party, code and parameters of the action's text, and target of the button.

    `target`: "requirement:ID", "step:NAME", "findings", "review", "company", "compliance", or "". `requirement`: the
    open requirement that the action completes. No one is responsible after the end.
    """

    responsible_party: ResponsibleParty | None
    code: str
    target: str = ""
    params: ActionTextParams = field(default_factory=dict)
    requirement: OpenRequirement | None = None

    def render(self) -> str:
        """Return the action in the reader's language."""
        return render_action_text(self.code, self.params)


def determine_next_action(snapshot: IntegrationSnapshot) -> NextAction | None:
    """Return the first action; None for an integration that has ended."""
    return next(iter(list_actions(snapshot)), None)


def list_actions(snapshot: IntegrationSnapshot) -> tuple[NextAction, ...]:
    """Return all actions before the next position of any party, most urgent first; none after the end.

    While a decision can be undone, no one is asked for the step that follows it.
    """
    if snapshot.undo_until is not None:
        params = {"until": snapshot.undo_until.isoformat()}
        # A check constraint of the table allows no responsible party after the end, also while the end can be undone.
        party = None if snapshot.stage in FINAL_STAGES else ResponsibleParty.PORTAL
        return (NextAction(party, PENDING_ACTION, params=params),)
    if snapshot.stage in FINAL_STAGES:
        return ()
    list_in_stage = {Stage.REVIEW: _list_in_review, Stage.SUPPORT: _list_in_support}.get(snapshot.stage, _list_on_path)
    actions = list_in_stage(snapshot)
    if snapshot.on_hold_for is None:
        return actions
    return (NextAction(snapshot.on_hold_for, "on_hold", params={"reason": snapshot.hold_reason}), *actions)


def _list_on_path(snapshot: IntegrationSnapshot) -> tuple[NextAction, ...]:
    """Return the open requirements, then the company, or else the action that completes the step."""
    company = _list_for_company(snapshot) if _is_company_blocking(snapshot) else ()
    return (*_list_for_open(snapshot.missing), *company) or (_determine_step(snapshot),)


def _determine_step(snapshot: IntegrationSnapshot) -> NextAction:
    """Return the action that completes a step without open requirements."""
    if snapshot.stage == Stage.RELEASE:
        return NextAction(ResponsibleParty.PROGRAM, "publish", "step:publish")
    if snapshot.next_stage == Stage.REVIEW:
        return NextAction(ResponsibleParty.PARTNER, "request_review", "step:submit_for_review")
    return NextAction(ResponsibleParty.PARTNER, "complete_step", "step:complete_step", {"step": snapshot.step})


UNDECIDED_STATES = (VerificationState.NEEDS_DECISION, VerificationState.REJECTED)
COMPANY_ACTIONS: dict[VerificationState, tuple[ResponsibleParty, str]] = {
    VerificationState.UNVERIFIED: (ResponsibleParty.PARTNER, "verify_partner"),
    VerificationState.NEEDS_DECISION: (ResponsibleParty.PROGRAM, "decide_on_partner"),
    VerificationState.REJECTED: (ResponsibleParty.PARTNER, "rename_partner"),
}


def _is_company_blocking(snapshot: IntegrationSnapshot) -> bool:
    """Return whether the company must be accepted before the review, or verified before the publication."""
    if snapshot.stage == Stage.RELEASE:
        # docs/explanation/companies.md: an unverified company can request reviews, but its listing can't be published.
        return snapshot.company != VerificationState.VERIFIED
    return snapshot.next_stage == Stage.REVIEW and snapshot.company in UNDECIDED_STATES


def _list_for_company(snapshot: IntegrationSnapshot) -> tuple[NextAction, ...]:
    return (NextAction(*COMPANY_ACTIONS[snapshot.company], "company"),)


def _list_in_review(snapshot: IntegrationSnapshot) -> tuple[NextAction, ...]:
    """Return what the partner was asked for, the review, then what the partner can complete in the meantime."""
    if snapshot.review == ReviewState.CHANGES:
        return _list_in_changes(snapshot)
    review = NextAction(ResponsibleParty.PROGRAM, "review", "review", {"round": snapshot.round})
    others = [item for item in snapshot.missing if item.is_for_partner and item not in snapshot.partner_requests]
    return (*_list_for_open(snapshot.partner_requests), review, *_list_for_open(others))


def _list_in_changes(snapshot: IntegrationSnapshot) -> tuple[NextAction, ...]:
    """Return the findings first, then the partner's requirements and company, or else the next round."""
    params = {"count": snapshot.open_findings}
    # The findings are why the review came back, so they come before other requirements.
    findings = NextAction(ResponsibleParty.PARTNER, "respond_to_findings", "findings", params)
    resubmission = NextAction(ResponsibleParty.PARTNER, "request_another_review", "step:resubmit_for_review")
    actions = (
        *((findings,) if snapshot.open_findings else ()),
        *_list_for_open([item for item in snapshot.missing if item.is_for_partner]),
        *(_list_for_company(snapshot) if snapshot.company in UNDECIDED_STATES else ()),
    )
    return actions or (resubmission,)


# compliance_guards.SEPARATED_DECISIONS refers to these codes, so a new decision of the program needs an entry there if
# the authors of earlier ones must not make it.
COMPLIANCE_ACTIONS = {
    (ListingStatus.ON_NOTICE, ComplianceStatus.RUNNING): "respond_to_notice",
    (ListingStatus.ON_NOTICE, ComplianceStatus.EXPIRED): "decide_on_suspension",
    (ListingStatus.ON_NOTICE, ComplianceStatus.PARTNER_RESPONDED): "review_notice_response",
    (ListingStatus.ON_NOTICE, ComplianceStatus.APPEALED): "decide_on_notice_appeal",
    (ListingStatus.SUSPENDED, ComplianceStatus.RUNNING): "fix_issues",
    (ListingStatus.SUSPENDED, ComplianceStatus.EXPIRED): "decide_on_delisting",
    (ListingStatus.SUSPENDED, ComplianceStatus.PARTNER_RESPONDED): "review_suspension_response",
    (ListingStatus.SUSPENDED, ComplianceStatus.APPEALED): "decide_on_suspension_appeal",
}
IDLE_ACTIONS = {ListingStatus.DELISTED: "none_delisted", ListingStatus.UNLISTED: "none_unlisted"}


def _list_in_support(snapshot: IntegrationSnapshot) -> tuple[NextAction, ...]:
    """Return the compliance procedure, requirements that are no longer fulfilled, and the requested tier."""
    # Terraform Integration Program, "Support": a vendor can leave its provider to the community. Nothing is required of
    # anyone after that, unless the partner requests the reinstatement.
    if snapshot.process != ComplianceStatus.REQUESTED and snapshot.listing_status in IDLE_ACTIONS:
        return (NextAction(ResponsibleParty.PORTAL, IDLE_ACTIONS[snapshot.listing_status], "compliance"),)
    tier = NextAction(ResponsibleParty.PROGRAM, "decide_on_tier", "review", {"tier": snapshot.tier_request})
    actions = (
        *_list_for_compliance(snapshot),
        *_list_for_open(snapshot.missing),
        *((tier,) if snapshot.tier_request else ()),
    )
    return actions or (NextAction(ResponsibleParty.PORTAL, MONITORED_ACTION),)


def _list_for_compliance(snapshot: IntegrationSnapshot) -> tuple[NextAction, ...]:
    if snapshot.process == ComplianceStatus.REQUESTED and snapshot.compliance_request == "reinstatement":
        return (NextAction(ResponsibleParty.PROGRAM, "decide_on_reinstatement", "compliance"),)
    if snapshot.process == ComplianceStatus.REQUESTED:
        request = {"code": snapshot.compliance_request, "params": snapshot.compliance_request_params}
        return (NextAction(ResponsibleParty.PROGRAM, "decide_on_request", "compliance", {"request": request}),)
    code = COMPLIANCE_ACTIONS.get((snapshot.listing_status, snapshot.process))
    # Until the deadline, the partner can respond. Everything else waits for a reviewer.
    is_running = snapshot.process == ComplianceStatus.RUNNING
    party = ResponsibleParty.PARTNER if is_running else ResponsibleParty.PROGRAM
    return (NextAction(party, code, "compliance"),) if code else ()


def _list_for_open(open_requirements: Sequence[OpenRequirement]) -> tuple[NextAction, ...]:
    """Return the actions for requirements, the partner's first: only the partner can act on those.

    What a statement is about comes before the statement. The program's signatures are last, because they are items of
    their own in the review queue.
    """
    parties = list(ResponsibleParty)
    last = SIGNATURE_ACTIONS.values()
    # If all are blocked, they are listed anyway: without an action, the step would look complete.
    candidates = [item for item in open_requirements if not item.is_blocked] or open_requirements
    return tuple(
        NextAction(item.responsible_party, item.action, f"requirement:{item.id}", {"title": item.title}, item)
        for item in sorted(candidates, key=lambda item: (parties.index(item.responsible_party), item.action in last))
    )


COMPLIANCE_REASONS = {
    ComplianceStatus.EXPIRED: "deadline_ended",
    ComplianceStatus.PARTNER_RESPONDED: "partner_responded",
    ComplianceStatus.APPEALED: "appeal",
}


def list_reasons(snapshot: IntegrationSnapshot) -> list[JsonObject]:
    """Return the codes and parameters of why an integration is in the program's queue, most important first."""
    if snapshot.on_hold_for:
        return [_build_reason("hold", reason=snapshot.hold_reason)]
    # As codes, because the stored reasons are rendered in the language of each reader.
    reasons = [_build_reason(COMPLIANCE_REASONS[snapshot.process])] if snapshot.process in COMPLIANCE_REASONS else []
    if snapshot.process == ComplianceStatus.REQUESTED:
        reasons.append(_build_reason(snapshot.compliance_request, **snapshot.compliance_request_params))
    if snapshot.stage == Stage.REVIEW and snapshot.review == ReviewState.WAITING:
        reasons.append(_build_review_reason(snapshot))
    if snapshot.resolved_findings:
        reasons.append(_build_reason("resolved_findings", count=snapshot.resolved_findings))
    if snapshot.company == VerificationState.NEEDS_DECISION:
        reasons.append(_build_reason("partner_name"))
    # Only a verified company can be listed, see guards.require_verified_company.
    if snapshot.stage == Stage.RELEASE and snapshot.company == VerificationState.VERIFIED and not snapshot.missing:
        reasons.append(_build_reason("ready_to_publish"))
    if snapshot.tier_request:
        reasons.append(_build_reason("tier_request", tier=snapshot.tier_request))
    return reasons + [
        _build_reason("requirement", title=item.title)
        for item in snapshot.missing
        if item.responsible_party == ResponsibleParty.PROGRAM
    ]


def _build_review_reason(snapshot: IntegrationSnapshot) -> JsonObject:
    if snapshot.is_awaiting_second_reviewer:
        return _build_reason("second_review")
    if snapshot.round == 1:
        return _build_reason("new_review")
    return _build_reason("repeated_review", round=snapshot.round)


def _build_reason(code: str, **params: object) -> JsonObject:
    return {"code": code, "params": params}
