"""Which states are there, and whose turn is it? Pure: plain values in, plain values out."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from integrations.programs.schema import FINAL_STAGES, OPEN_STAGES, Stage

__all__ = [
    "FINAL_STAGES",
    "OPEN_STAGES",
    "OUTAGE_PARTY",
    "ComplianceStatus",
    "IntegrationSnapshot",
    "ListingStatus",
    "NextAction",
    "ResponsibleParty",
    "ReviewState",
    "Stage",
    "Status",
    "determine_next_action",
]


class ListingStatus(StrEnum):
    """What a listed integration may say of itself: a second machine beside the stage."""

    UNLISTED = "unlisted"
    LISTED = "listed"
    ON_NOTICE = "on_notice"
    SUSPENDED = "suspended"
    DELISTED = "delisted"


class ComplianceStatus(StrEnum):
    """Where the due process of a standing is: who has to move before anything follows."""

    NONE = ""
    REQUESTED = "requested"  # a notice is suggested, or a reinstatement is asked for
    RUNNING = "running"  # the partner has until the due moment
    EXPIRED = "expired"  # the due moment has passed; nothing follows before a person decides
    PARTNER_RESPONDED = "partner_responded"  # held: the partner acted after the notice
    APPEALED = "appealed"  # held: the partner appealed


class ReviewState(StrEnum):
    """Where a review round is: nobody asked, the program looks, the partner changes."""

    NONE = ""
    WAITING = "waiting"
    CHANGES = "changes"


class Status(StrEnum):
    """What has become of one requirement. The machine's outcomes stand here too."""

    OPEN = "open"
    SUBMITTED = "submitted"
    AWAITING_OTHER_PARTY = "awaiting_other_party"  # given by one side, the other side's part is open
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
    """Who has the turn. Exactly one for every open integration."""

    PARTNER = "partner"
    PROGRAM = "program"
    MACHINE = "machine"
    THIRD_PARTY = "third_party"


OUTAGE_PARTY = (
    "outage"  # the machine's turn while it cannot look: kept apart in the history, ours and never the partner's
)


@dataclass(frozen=True, slots=True)
class OpenRequirement:
    """A requirement that is not met: its id, its title, who can move it, and the verb of what they do.

    `group`: the any-of group that it is one of, and `enough`: how many more of that group are; blank and 0 where it
    stands alone. `after_findings`: it is asked for when no finding waits for an answer.
    """

    id: str
    title: str
    holder: ResponsibleParty
    verb: str = "Settle"
    group: str = ""
    enough: int = 0
    after_findings: bool = False

    @property
    def choice(self) -> str:
        """Said beside one of an any-of group; blank for what stands alone."""
        return "" if not self.enough else "one of these is enough" if self.enough == 1 else f"{self.enough} are enough"


def count_open(open_requirements: Collection[OpenRequirement]) -> int:
    """How many of them have to be settled: of an any-of group as many as are enough."""
    remaining_by_group = {item.group: item.enough for item in open_requirements if item.group}
    return sum(not item.group for item in open_requirements) + sum(remaining_by_group.values())


@dataclass(frozen=True, slots=True)
class IntegrationSnapshot:
    """What the turn depends on, as plain values.

    `missing`: requirements that block the next position, in the path's order; `next_stage`: the stage of the
    next position, None in support; `reasons`: further things the program has to do (a meeting to accept).
    """

    stage: Stage
    step: str
    next_step: str = ""
    next_stage: Stage | None = None
    on_hold_for: ResponsibleParty | None = None
    hold_reason: str = ""
    review: ReviewState = ReviewState.NONE
    round: int = 0
    open_findings: int = 0
    resolved_findings: int = 0
    missing: tuple[OpenRequirement, ...] = ()
    asked: tuple[OpenRequirement, ...] = ()  # in review: what the program waits for the partner to answer
    tier_request: str = ""
    broken: tuple[OpenRequirement, ...] = ()  # in support: requirements that are no longer met
    renewals: tuple[OpenRequirement, ...] = ()  # in support: agreements whose next version one side has signed
    listing_status: ListingStatus = ListingStatus.UNLISTED
    process: ComplianceStatus = ComplianceStatus.NONE
    compliance_request: str = ""


@dataclass(frozen=True, slots=True)
class NextAction:
    """Who holds an open integration, and the one sentence and button that follow from it.

    `target`: where the button leads: "requirement:ID", "step:NAME", "findings", "review" or "".
    """

    holder: ResponsibleParty
    action: str
    target: str = ""


def determine_next_action(snapshot: IntegrationSnapshot) -> NextAction | None:
    """Whose turn it is; None for an integration that has ended."""
    if snapshot.stage in FINAL_STAGES:
        return None
    if snapshot.on_hold_for is not None:
        return NextAction(snapshot.on_hold_for, f"On hold: {snapshot.hold_reason}")
    if snapshot.stage == Stage.REVIEW:
        return _determine_in_review(snapshot)
    if snapshot.stage == Stage.SUPPORT:
        return _determine_in_support(snapshot)
    if snapshot.missing:
        return _determine_for_open(snapshot.missing)
    if snapshot.stage == Stage.RELEASE:
        return NextAction(ResponsibleParty.PROGRAM, "List the integration", "step:publish")
    if snapshot.next_stage == Stage.REVIEW:
        return NextAction(ResponsibleParty.PARTNER, "Request the review", "step:submit_for_review")
    return NextAction(ResponsibleParty.PARTNER, f"Complete {snapshot.step}", "step:complete_step")


def _determine_in_review(snapshot: IntegrationSnapshot) -> NextAction:
    if snapshot.review == ReviewState.CHANGES:
        return _determine_in_changes(snapshot)
    if snapshot.asked:
        return _determine_for_open(snapshot.asked)
    return NextAction(ResponsibleParty.PROGRAM, f"Review round {snapshot.round}", "review")


def _determine_in_changes(snapshot: IntegrationSnapshot) -> NextAction:
    """The partner's own requirements come first, then the findings, what is asked after them, then the next round."""
    partner_requirements = tuple(item for item in snapshot.missing if item.holder == ResponsibleParty.PARTNER)
    before_findings = tuple(item for item in partner_requirements if not item.after_findings)
    if before_findings:
        return _determine_for_open(before_findings)
    if snapshot.open_findings:
        noun = "finding" if snapshot.open_findings == 1 else "findings"
        return NextAction(ResponsibleParty.PARTNER, f"Answer {snapshot.open_findings} {noun}", "findings")
    if partner_requirements:
        return _determine_for_open(partner_requirements)
    return NextAction(ResponsibleParty.PARTNER, "Request the review again", "step:resubmit_for_review")


COMPLIANCE_ACTIONS: dict[tuple[ListingStatus, ComplianceStatus], tuple[ResponsibleParty, str]] = {
    (ListingStatus.ON_NOTICE, ComplianceStatus.RUNNING): (ResponsibleParty.PARTNER, "Answer the notice"),
    (ListingStatus.ON_NOTICE, ComplianceStatus.EXPIRED): (
        ResponsibleParty.PROGRAM,
        "Decide on the suspension: the grace period has ended",
    ),
    (ListingStatus.ON_NOTICE, ComplianceStatus.PARTNER_RESPONDED): (
        ResponsibleParty.PROGRAM,
        "Look at what the partner did after the notice",
    ),
    (ListingStatus.ON_NOTICE, ComplianceStatus.APPEALED): (
        ResponsibleParty.PROGRAM,
        "Decide on the appeal against the notice",
    ),
    (ListingStatus.SUSPENDED, ComplianceStatus.RUNNING): (
        ResponsibleParty.PARTNER,
        "Settle what the suspension rests on",
    ),
    (ListingStatus.SUSPENDED, ComplianceStatus.EXPIRED): (
        ResponsibleParty.PROGRAM,
        "Decide on the removal: the period has ended",
    ),
    (ListingStatus.SUSPENDED, ComplianceStatus.PARTNER_RESPONDED): (
        ResponsibleParty.PROGRAM,
        "Look at what the partner did after the suspension",
    ),
    (ListingStatus.SUSPENDED, ComplianceStatus.APPEALED): (
        ResponsibleParty.PROGRAM,
        "Decide on the appeal against the suspension",
    ),
}
IDLE_ACTIONS = {
    ListingStatus.DELISTED: "Nothing to do: it was removed from the listing",
    ListingStatus.UNLISTED: "Nothing to do: its company no longer promises support",
}


def _determine_for_compliance(snapshot: IntegrationSnapshot) -> NextAction | None:
    """The turn that follows from the due process; None where the standing asks nothing of anybody."""
    if snapshot.process == ComplianceStatus.REQUESTED:
        return NextAction(ResponsibleParty.PROGRAM, f"Decide: {snapshot.compliance_request}", "compliance")
    if (snapshot.listing_status, snapshot.process) in COMPLIANCE_ACTIONS:
        return NextAction(*COMPLIANCE_ACTIONS[snapshot.listing_status, snapshot.process], "compliance")
    if snapshot.listing_status in IDLE_ACTIONS:
        return NextAction(ResponsibleParty.MACHINE, IDLE_ACTIONS[snapshot.listing_status], "compliance")
    return None


def _determine_in_support(snapshot: IntegrationSnapshot) -> NextAction:
    compliance_action = _determine_for_compliance(snapshot)
    if compliance_action is not None:
        return compliance_action
    if snapshot.broken:
        return _determine_for_open(snapshot.broken)
    if snapshot.renewals:
        return _determine_for_open(snapshot.renewals)
    if snapshot.tier_request:
        return NextAction(ResponsibleParty.PROGRAM, f"Decide on the tier {snapshot.tier_request}", "review")
    return NextAction(ResponsibleParty.MACHINE, "Nothing to do: the portal keeps watch")


def _determine_for_open(open_requirements: tuple[OpenRequirement, ...]) -> NextAction:
    """The partner's own items come first: while there is one, nothing else is worth waiting for."""
    for responsible_party in (
        ResponsibleParty.PARTNER,
        ResponsibleParty.PROGRAM,
        ResponsibleParty.MACHINE,
        ResponsibleParty.THIRD_PARTY,
    ):
        for item in open_requirements:
            if item.holder == responsible_party:
                return NextAction(responsible_party, f"{item.verb}: {item.title}", f"requirement:{item.id}")
    raise AssertionError("a missing requirement without a holder")
