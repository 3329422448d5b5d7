"""What is true of an integration now? Reads the row and its relations into plain values; writes nothing."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from integrations.programs.schema import Group, Kind, Requirement, Stage, Tier, Who
from integrations.submissions.workflow.evidence import HELD_FOR_ACT, HELD_FOR_APPEAL
from integrations.submissions.workflow.states import (
    OUTAGE,
    Facts,
    Holder,
    Missing,
    Process,
    ReviewState,
    Standing,
    Status,
    how_many,
)

if TYPE_CHECKING:
    from integrations.submissions.models.findings import Finding
    from integrations.submissions.models.integration import Integration
    from integrations.submissions.models.requirements import RequirementState


def held(integration: "Integration") -> tuple[str, str]:
    """The stage, and who has the turn as its history keeps it: what waits for a machine that could not look is an
    outage; blank where it has ended."""
    holder, target = integration.turn_holder, integration.turn_target
    if holder == Holder.MACHINE and target.startswith("requirement:"):
        state = states_of(integration).get(target.partition(":")[2])
        if state is not None and state.status == Status.ERROR:
            holder = OUTAGE
    return str(integration.stage), str(holder)


def states_of(integration: "Integration") -> dict[str, "RequirementState"]:
    """Every requirement's state by id: one query, kept on the row until forget()."""
    kept: dict[str, RequirementState] | None = integration.__dict__.get("_states")
    if kept is None:
        kept = {state.requirement_id: state for state in integration.states.all()}
        for state in kept.values():
            state.integration = integration
        integration.__dict__["_states"] = kept
    return kept


def findings_of(integration: "Integration") -> list["Finding"]:
    """Every finding, by number: one query, kept on the row until forget()."""
    kept: list[Finding] | None = integration.__dict__.get("_findings")
    if kept is None:
        kept = list(integration.findings.select_related("raised_by", "fixed_by", "verified_by"))
        integration.__dict__["_findings"] = kept
    return kept


def finding_counts(integration: "Integration") -> Counter[str]:
    """How many findings are in each state."""
    return Counter(finding.state for finding in findings_of(integration))


def forget(integration: "Integration") -> None:
    """After something that the facts read was written."""
    for kept in ("_states", "_findings", "_known"):
        integration.__dict__.pop(kept, None)


def applies(requirement: Requirement, integration: "Integration") -> bool:
    """Some requirements are for certain categories only."""
    return not requirement.categories or integration.category in requirement.categories


def is_met(requirement: Requirement, integration: "Integration", now: datetime) -> bool:
    state = states_of(integration).get(requirement.id)
    return state is not None and state.is_met(now)


def holder_of(requirement: Requirement, integration: "Integration") -> Holder:
    """Who can move a requirement that is not met. A failed check is the partner's, our outage is ours.

    What passed and is only too old has us look again.
    """
    state = states_of(integration).get(requirement.id)
    status = state.status if state else Status.OPEN
    if status == Status.WAITING:
        return Holder(state.data.get("waits_for", Holder.PROGRAM)) if state else Holder.PROGRAM
    if requirement.who == Who.MACHINE:
        return {Status.FAIL: Holder.PARTNER, Status.NOT_RUN: Holder.PROGRAM}.get(Status(status), Holder.MACHINE)
    return Holder.PROGRAM if requirement.who == Who.PROGRAM else Holder.PARTNER


def unmet(
    integration: "Integration", requirements: Iterable[Requirement], groups: tuple[Group, ...], now: datetime
) -> list[Requirement]:
    """The requirements that block: any-of groups count as one, optional ones never."""
    applying = [r for r in requirements if applies(r, integration)]
    enough = {
        group.key
        for group in groups
        if sum(is_met(r, integration, now) for r in applying if r.group == group.key) >= group.minimum
    }
    return [r for r in applying if not r.optional and r.group not in enough - {""} and not is_met(r, integration, now)]


def missing_at(integration: "Integration", position: int, now: datetime) -> list[Requirement]:
    """The requirements that must be met before this position of the path and are not."""
    edition = integration.edition
    due = [r for r in edition.requirements() if edition.deadline(r) <= position]
    return unmet(integration, due, edition.groups, now)


def missing_next(integration: "Integration", now: datetime) -> list[Requirement]:
    """What is left before the next position; in support, what no longer holds."""
    in_support = integration.stage == Stage.SUPPORT
    return missing_at(integration, integration.position + (0 if in_support else 1), now)


def missing_for_tier(integration: "Integration", tier: Tier, now: datetime) -> list[Requirement]:
    """What is left before the tier can be granted."""
    return unmet(integration, tier.requirements, tier.groups, now)


# what the partner does for each kind; the first word of the turn's sentence
VERBS = {
    Kind.FORM: "Fill in",
    Kind.DOCUMENT: "Hand in",
    Kind.AGREEMENT: "Sign",
    Kind.ATTESTATION: "Confirm",
    Kind.MEETING: "Propose times",
    Kind.CREDENTIALS: "Give",
    Kind.CHECK: "Fix",
}
OTHERS_VERBS = {Holder.PROGRAM: "Settle", Holder.MACHINE: "We check", Holder.THIRD_PARTY: "Wait for"}


def as_missing(integration: "Integration", requirements: Iterable[Requirement], now: datetime) -> tuple[Missing, ...]:
    """Each with who can move it and the verb of what they do."""
    edition = integration.edition
    met = Counter(r.group for r in edition.requirements() if r.group and is_met(r, integration, now))
    enough = {group.key: group.minimum - met[group.key] for group in edition.groups}
    return tuple(
        Missing(r.id, r.title, who, _verb(r, who, integration), r.group, enough.get(r.group, 0), r.after_findings)
        for r in requirements
        for who in [holder_of(r, integration)]
    )


def renewals(integration: "Integration") -> tuple[Missing, ...]:
    """The agreements in force whose next version one side has signed: the other side signs it too."""
    states = states_of(integration)
    waiting = [
        (r, states[r.id].data.get("renewal_waits_for"))
        for r in integration.edition.requirements()
        if r.agreement and r.id in states
    ]
    return tuple(Missing(r.id, f"{r.title}, renewed", Holder(who), "Sign") for r, who in waiting if who)


def _verb(requirement: Requirement, holder: Holder, integration: "Integration") -> str:
    if holder != Holder.PARTNER:
        return OTHERS_VERBS[holder]
    state = states_of(integration).get(requirement.id)
    if state is not None and state.status == Status.WAITING and requirement.kind == Kind.MEETING:
        return "Choose a time"
    return VERBS[requirement.kind]


def partners_part(integration: "Integration", now: datetime) -> tuple[Missing, ...]:
    """What the partner itself can settle of what is left before the next position; nothing once it has ended."""
    if not integration.is_open:
        return ()
    left = as_missing(integration, missing_next(integration, now), now)
    return tuple(item for item in left if item.holder == Holder.PARTNER)


def facts_of(integration: "Integration", now: datetime) -> Facts:
    """Everything that the turn depends on."""
    if not integration.is_open:
        return Facts(Stage(integration.stage), integration.step)
    left = as_missing(integration, missing_next(integration, now), now)
    step, stage = integration.next_position
    findings = finding_counts(integration)
    in_support = integration.stage == Stage.SUPPORT
    states = states_of(integration)
    asked = [m for m in left if m.holder == Holder.PARTNER and m.id in states and states[m.id].status == Status.WAITING]
    return Facts(
        stage=Stage(integration.stage),
        step=integration.current_step.name,
        next_step=step.name if step else "",
        next_stage=stage,
        hold=Holder(integration.hold) if integration.hold else None,
        hold_reason=integration.hold_reason,
        review=ReviewState(integration.review_state),
        round=integration.review_round,
        open_findings=findings.get("open", 0),
        fixed_findings=findings.get("fixed", 0),
        missing=() if in_support else left,
        asked=tuple(asked),
        broken=left if in_support else (),
        renewals=renewals(integration) if in_support else (),
        tier_request=_tier_name(integration),
        standing=Standing(integration.standing),
        process=process_of(integration, now),
        standing_ask=integration.standing_ask,
    )


def process_of(integration: "Integration", now: datetime) -> Process:
    """Where the due process of the standing is."""
    held = {HELD_FOR_ACT: Process.ACTED, HELD_FOR_APPEAL: Process.APPEALED}.get(integration.standing_hold)
    if held is not None:
        return held
    if integration.standing_ask:
        return Process.ASKED
    if integration.standing_due_at is None:
        return Process.NONE
    return Process.ENDED if integration.standing_due_at <= now else Process.RUNNING


def _tier_name(integration: "Integration") -> str:
    tier = integration.edition.tier(integration.tier_request) if integration.tier_request else None
    return tier.name if tier else ""


def tally(integration: "Integration", now: datetime) -> dict[str, int]:
    """Counts for lists: requirements left before the next step and in all, and the checks by outcome.

    Of an any-of group as many count as are enough.
    """
    states = states_of(integration)
    applying = [r for r in integration.edition.requirements() if applies(r, integration) and not r.optional]
    groups = {r.group for r in applying if r.group}
    enough = sum(group.minimum for group in integration.edition.groups if group.key in groups)
    counts = {"left": 0, "of": sum(not r.group for r in applying) + enough}
    if integration.is_open:
        counts["left"] = how_many(as_missing(integration, missing_next(integration, now), now))
    for requirement in applying:
        state = states.get(requirement.id)
        if requirement.who == Who.MACHINE and state is not None:
            shown = str(state.shown(now))
            counts[shown] = counts.get(shown, 0) + 1
    return counts


OF_PROCESS = {
    Process.ENDED: "the period has ended",
    Process.ACTED: "the partner acted",
    Process.APPEALED: "appeal",
}


def reasons(integration: "Integration", facts: Facts) -> list[str]:
    """Why an integration is in the program's queue, in words, most telling first."""
    if facts.hold:
        return [f"on hold: {facts.hold_reason}"]
    said = [OF_PROCESS[facts.process]] if facts.process in OF_PROCESS else []
    if facts.process == Process.ASKED:
        said.append(facts.standing_ask)
    if facts.stage == Stage.REVIEW and facts.review == ReviewState.WAITING:
        said.append("new review" if facts.round == 1 else f"review round {facts.round}")
    if facts.fixed_findings:
        said.append(f"answered {facts.fixed_findings} finding{'s' if facts.fixed_findings > 1 else ''}")
    if facts.stage == Stage.RELEASE and not facts.missing:
        said.append("ready to list")
    if facts.tier_request:
        said.append(f"asks for the tier {facts.tier_request}")
    held = [m for m in (*facts.missing, *facts.broken, *facts.renewals) if m.holder == Holder.PROGRAM]
    return said + [m.title for m in held]


def next_change(integration: "Integration", now: datetime) -> datetime | None:
    """When time alone will change the turn next: the end of a waiver that still counts, of a fresh result,
    or of the period that the standing leaves."""
    states = states_of(integration).values()
    moments = [end for s in states for end in (s.waived_until, s.fresh_until)]
    ends = [end for end in (*moments, integration.standing_due_at) if end and end > now]
    return min(ends, default=None)
