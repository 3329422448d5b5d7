"""States of an integration and its next action, as pure functions of plain values."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from integrations.partners.models import VerificationState
from integrations.programs.stages import FINAL_STAGES as FINAL_STAGES
from integrations.programs.stages import OPEN_STAGES as OPEN_STAGES
from integrations.programs.stages import Stage as Stage
from integrations.submissions.workflow.next_action import SentenceParams, get_action_label, render_sentence


class ListingStatus(StrEnum):
    """Public state of a listed integration, independent of its stage."""

    UNLISTED = "unlisted"
    LISTED = "listed"
    ON_NOTICE = "on_notice"
    SUSPENDED = "suspended"
    DELISTED = "delisted"


class ComplianceStatus(StrEnum):
    """State of the compliance procedure."""

    NONE = ""
    REQUESTED = "requested"  # a notice is suggested or a reinstatement requested
    RUNNING = "running"  # the partner can respond until the deadline
    EXPIRED = "expired"  # the deadline has passed; a reviewer must decide
    PARTNER_RESPONDED = "partner_responded"  # paused: the partner responded
    APPEALED = "appealed"  # paused: the partner appealed


class ReviewState(StrEnum):
    """State of a review round: none, waiting for the program, or waiting for changes."""

    NONE = ""
    WAITING = "waiting"
    CHANGES = "changes"


class Status(StrEnum):
    """State of a requirement, including the outcomes of checks."""

    OPEN = "open"
    SUBMITTED = "submitted"
    AWAITING_OTHER_PARTY = "awaiting_other_party"  # submitted by one side, open for the other
    NOT_APPLICABLE = "not_applicable"
    WAIVED = "waived"
    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    ERROR = "error"
    NOT_RUN = "not_run"
    EXPIRED = "expired"


FULFILLED_STATUSES = frozenset(
    {Status.SUBMITTED, Status.NOT_APPLICABLE, Status.PASS, Status.WARN}
)  # a waiver counts while unexpired


class ResponsibleParty(StrEnum):
    """Party that must act next. Each open integration has exactly one. With several open requirements, the first."""

    PARTNER = "partner"
    PROGRAM = "program"
    MACHINE = "machine"
    THIRD_PARTY = "third_party"


OUTAGE_PARTY = "outage"  # recorded instead of the machine while checks end with errors; never counts for the partner


@dataclass(frozen=True, slots=True)
class OpenRequirement:
    """Open requirement with its responsible party and the code of the action on it.

    `group`: its any-of group; `enough`: how many more of that group are needed, 0 without a group. `is_blocked`: it is
    a statement about something that must come first.
    """

    id: str
    title: str
    responsible_party: ResponsibleParty
    action: str = "complete"
    group: str = ""
    enough: int = 0
    is_blocked: bool = False

    @property
    def action_label(self) -> str:
        return get_action_label(self.action)


def count_open(open_requirements: Collection[OpenRequirement]) -> int:
    """Return how many requirements must be completed. An any-of group counts with its missing minimum."""
    remaining_by_group = {item.group: item.enough for item in open_requirements if item.group}
    return sum(not item.group for item in open_requirements) + sum(remaining_by_group.values())


@dataclass(frozen=True, slots=True)
class IntegrationSnapshot:
    """Values that determine the next action.

    `missing`: requirements that block the next position, in the order of the path; `next_stage`: the stage of the next
    position, None in support; `undo_until`: end of the period in which the last decision can be undone, None after it.
    """

    stage: Stage
    step: str
    next_stage: Stage | None = None
    on_hold_for: ResponsibleParty | None = None
    hold_reason: str = ""
    review: ReviewState = ReviewState.NONE
    round: int = 0
    open_findings: int = 0
    resolved_findings: int = 0
    missing: tuple[OpenRequirement, ...] = ()
    partner_requests: tuple[OpenRequirement, ...] = ()  # in review: requirements that wait for the partner's response
    tier_request: str = ""
    unfulfilled: tuple[OpenRequirement, ...] = ()  # in support: requirements that are no longer fulfilled
    company: VerificationState = VerificationState.VERIFIED
    listing_status: ListingStatus = ListingStatus.UNLISTED
    process: ComplianceStatus = ComplianceStatus.NONE
    compliance_request: str = ""
    compliance_request_params: SentenceParams = field(default_factory=dict)
    undo_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class NextAction:
    """Responsible party, code and parameters of the action's sentence, and target of the button.

    `target`: "requirement:ID", "step:NAME", "findings", "review", "company", "compliance", or "".
    """

    responsible_party: ResponsibleParty
    code: str
    target: str = ""
    params: SentenceParams = field(default_factory=dict)

    def render(self) -> str:
        """Return the action in the reader's language."""
        return render_sentence(self.code, self.params)


PENDING_ACTION = "decision_pending"


def determine_next_action(snapshot: IntegrationSnapshot) -> NextAction | None:
    """Return the next action; None for an integration that has ended.

    While a decision can be undone, nobody is asked for the step that follows it.
    """
    if snapshot.undo_until is not None:
        params = {"until": snapshot.undo_until.isoformat()}
        return NextAction(ResponsibleParty.MACHINE, PENDING_ACTION, params=params)
    if snapshot.stage in FINAL_STAGES:
        return None
    if snapshot.on_hold_for is not None:
        return NextAction(snapshot.on_hold_for, "on_hold", params={"reason": snapshot.hold_reason})
    if snapshot.stage == Stage.REVIEW:
        return _determine_in_review(snapshot)
    if snapshot.stage == Stage.SUPPORT:
        return _determine_in_support(snapshot)
    if snapshot.missing:
        return _determine_for_open(snapshot.missing)
    if _is_company_blocking(snapshot):
        return _determine_for_company(snapshot)
    return _determine_step(snapshot)


def _determine_step(snapshot: IntegrationSnapshot) -> NextAction:
    """Return the action that completes a step without open requirements."""
    if snapshot.stage == Stage.RELEASE:
        return NextAction(ResponsibleParty.PROGRAM, "publish", "step:publish")
    if snapshot.next_stage == Stage.REVIEW:
        return NextAction(ResponsibleParty.PARTNER, "request_review", "step:submit_for_review")
    return NextAction(ResponsibleParty.PARTNER, "complete_step", "step:complete_step", {"step": snapshot.step})


UNDECIDED_STATES = (VerificationState.NEEDS_DECISION, VerificationState.REJECTED)
COMPANY_ACTIONS: dict[VerificationState, tuple[ResponsibleParty, str]] = {
    VerificationState.UNVERIFIED: (ResponsibleParty.PARTNER, "verify_company"),
    VerificationState.NEEDS_DECISION: (ResponsibleParty.PROGRAM, "decide_on_company"),
    VerificationState.REJECTED: (ResponsibleParty.PARTNER, "rename_company"),
}


def _is_company_blocking(snapshot: IntegrationSnapshot) -> bool:
    """Whether the company must be accepted before the review, or verified before the publication."""
    if snapshot.stage == Stage.RELEASE:
        return snapshot.company != VerificationState.VERIFIED
    return snapshot.next_stage == Stage.REVIEW and snapshot.company in UNDECIDED_STATES


def _determine_for_company(snapshot: IntegrationSnapshot) -> NextAction:
    return NextAction(*COMPANY_ACTIONS[snapshot.company], "company")


def _determine_in_review(snapshot: IntegrationSnapshot) -> NextAction:
    if snapshot.review == ReviewState.CHANGES:
        return _determine_in_changes(snapshot)
    if snapshot.partner_requests:
        return _determine_for_open(snapshot.partner_requests)
    return NextAction(ResponsibleParty.PROGRAM, "review", "review", {"round": snapshot.round})


def _determine_in_changes(snapshot: IntegrationSnapshot) -> NextAction:
    """Return the findings first, then the partner's requirements, then the next round."""
    if snapshot.open_findings:
        params = {"count": snapshot.open_findings}
        return NextAction(ResponsibleParty.PARTNER, "respond_to_findings", "findings", params)
    partner_requirements = tuple(
        item for item in snapshot.missing if item.responsible_party == ResponsibleParty.PARTNER and not item.is_blocked
    )
    if partner_requirements:
        return _determine_for_open(partner_requirements)
    if snapshot.company in UNDECIDED_STATES:
        return _determine_for_company(snapshot)
    return NextAction(ResponsibleParty.PARTNER, "request_another_review", "step:resubmit_for_review")


COMPLIANCE_ACTIONS: dict[tuple[ListingStatus, ComplianceStatus], tuple[ResponsibleParty, str]] = {
    (ListingStatus.ON_NOTICE, ComplianceStatus.RUNNING): (ResponsibleParty.PARTNER, "respond_to_notice"),
    (ListingStatus.ON_NOTICE, ComplianceStatus.EXPIRED): (ResponsibleParty.PROGRAM, "decide_on_suspension"),
    (ListingStatus.ON_NOTICE, ComplianceStatus.PARTNER_RESPONDED): (ResponsibleParty.PROGRAM, "review_notice_response"),
    (ListingStatus.ON_NOTICE, ComplianceStatus.APPEALED): (ResponsibleParty.PROGRAM, "decide_on_notice_appeal"),
    (ListingStatus.SUSPENDED, ComplianceStatus.RUNNING): (ResponsibleParty.PARTNER, "fix_issues"),
    (ListingStatus.SUSPENDED, ComplianceStatus.EXPIRED): (ResponsibleParty.PROGRAM, "decide_on_delisting"),
    (ListingStatus.SUSPENDED, ComplianceStatus.PARTNER_RESPONDED): (
        ResponsibleParty.PROGRAM,
        "review_suspension_response",
    ),
    (ListingStatus.SUSPENDED, ComplianceStatus.APPEALED): (ResponsibleParty.PROGRAM, "decide_on_suspension_appeal"),
}
IDLE_ACTIONS = {ListingStatus.DELISTED: "none_delisted", ListingStatus.UNLISTED: "none_unlisted"}


def _determine_for_compliance(snapshot: IntegrationSnapshot) -> NextAction | None:
    """Return the next action of the compliance procedure, or None."""
    if snapshot.process == ComplianceStatus.REQUESTED:
        request = {"code": snapshot.compliance_request, "params": snapshot.compliance_request_params}
        return NextAction(ResponsibleParty.PROGRAM, "decide_on_request", "compliance", {"request": request})
    if (snapshot.listing_status, snapshot.process) in COMPLIANCE_ACTIONS:
        return NextAction(*COMPLIANCE_ACTIONS[snapshot.listing_status, snapshot.process], "compliance")
    if snapshot.listing_status in IDLE_ACTIONS:
        return NextAction(ResponsibleParty.MACHINE, IDLE_ACTIONS[snapshot.listing_status], "compliance")
    return None


def _determine_in_support(snapshot: IntegrationSnapshot) -> NextAction:
    compliance_action = _determine_for_compliance(snapshot)
    if compliance_action is not None:
        return compliance_action
    if snapshot.unfulfilled:
        return _determine_for_open(snapshot.unfulfilled)
    if snapshot.tier_request:
        return NextAction(ResponsibleParty.PROGRAM, "decide_on_tier", "review", {"tier": snapshot.tier_request})
    return NextAction(ResponsibleParty.MACHINE, "none_monitored")


def _determine_for_open(open_requirements: tuple[OpenRequirement, ...]) -> NextAction:
    """Return the action for the first requirement, the partner's first: only the partner can act on those.

    What a statement is about comes before the statement.
    """
    candidates = [item for item in open_requirements if not item.is_blocked] or open_requirements
    item = min(candidates, key=lambda item: list(ResponsibleParty).index(item.responsible_party))
    return NextAction(item.responsible_party, item.action, f"requirement:{item.id}", {"title": item.title})
