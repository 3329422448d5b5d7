"""State of an integration as plain values. Nothing here writes."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING

from integrations.partners.models import VerificationState
from integrations.programs.requirements import KINDS, FulfillingParty, Requirement, RequirementGroup, RequirementKind
from integrations.programs.schema import Tier
from integrations.submissions.selectors.prerequisites import (
    explain_blocker,
    is_applicable as is_applicable,
    is_fulfilled,
    is_needed,
)
from integrations.submissions.workflow.actions import SIGNATURE_ACTIONS, NextAction, list_actions
from integrations.submissions.workflow.evidence import PAUSED_FOR_ACTIVITY, PAUSED_FOR_APPEAL
from integrations.submissions.workflow.states import (
    OUTAGE_PARTY,
    ComplianceStatus,
    IntegrationSnapshot,
    ListingStatus,
    OpenRequirement,
    ResponsibleParty,
    ReviewState,
    Stage,
    Status,
    count_open,
)

if TYPE_CHECKING:
    from integrations.submissions.models import Integration, RequirementFulfillment


def get_recorded_party(integration: "Integration") -> str:
    """Return the responsible party for the history; blank after the end.

    Waiting for a check that failed with an error counts as an outage, not as time of the portal.
    """
    responsible_party = integration.responsible_party
    target = integration.next_action_target
    if responsible_party == ResponsibleParty.PORTAL and target.startswith("requirement:"):
        state = integration.fulfillments_by_id.get(target.partition(":")[2])
        if state is not None and state.status == Status.ERROR:
            # An outage is no one's time, so analytics must not count it for a party.
            return OUTAGE_PARTY
    return str(responsible_party)


def count_findings(integration: "Integration") -> Counter[str]:
    """Return the number of blocking findings by state."""
    # An optional finding blocks neither the next request for a review nor the approval.
    return Counter(finding.state for finding in integration.all_findings if finding.severity == "blocking")


def clear_cache(integration: "Integration") -> None:
    """Clear cached relations after a write."""
    for attribute in ("fulfillments_by_id", "all_findings", "finding_events"):
        integration.__dict__.pop(attribute, None)


def reload_cache(integration: "Integration") -> None:
    """Reload cached relations after a write, without the people that only pages name."""
    clear_cache(integration)
    # With the people, the queries of each write would take twice the time.
    integration.fulfillments_by_id = {row.requirement_id: row for row in integration.fulfillments.all()}
    integration.all_findings = sorted(integration.findings.order_by(), key=attrgetter("number"))


def get_responsible_party(requirement: Requirement, integration: "Integration") -> ResponsibleParty:
    """Return who can complete an open requirement."""
    state = integration.fulfillments_by_id.get(requirement.id)
    if state is not None and state.status == Status.AWAITING_OTHER_PARTY:
        return ResponsibleParty(state.data.get("waits_for", ResponsibleParty.PROGRAM))
    if requirement.responsible_party == FulfillingParty.PORTAL:
        # The repository turned private after the start. The partner did nothing wrong, but only they can connect
        # GitHub.
        if needs_access(state):
            return ResponsibleParty.PARTNER
        # The partner fixes a failed check. Errors are the portal's to retry, and so are results that are too old.
        check_parties = {Status.FAIL: ResponsibleParty.PARTNER, Status.NOT_RUN: ResponsibleParty.PROGRAM}
        return check_parties.get(Status(state.status), ResponsibleParty.PORTAL) if state else ResponsibleParty.PORTAL
    is_program = requirement.responsible_party == FulfillingParty.PROGRAM
    return ResponsibleParty.PROGRAM if is_program else ResponsibleParty.PARTNER


def needs_access(state: "RequirementFulfillment | None") -> bool:
    """Return whether a check couldn't see the repository, so that the partner has to connect GitHub."""
    return state is not None and any(item.get("needs_access") for item in state.detail)


def list_blocking(
    integration: "Integration", requirements: Iterable[Requirement], groups: tuple[RequirementGroup, ...], now: datetime
) -> list[Requirement]:
    """Return blocking requirements. Any-of groups count as one, optional ones never block."""
    applicable = [r for r in requirements if is_needed(r, integration)]
    satisfied_groups = {
        group.key
        for group in groups
        if sum(is_fulfilled(r, integration, now) for r in applicable if r.group == group.key) >= group.minimum
    }
    return [
        r
        for r in applicable
        if not r.optional and r.group not in satisfied_groups and not is_fulfilled(r, integration, now)
    ]


def list_missing_at(integration: "Integration", position: int, now: datetime) -> list[Requirement]:
    """Return open requirements due before this position of the path."""
    edition = integration.edition
    due_requirements = [r for r in edition.list_requirements() if edition.get_deadline(r) <= position]
    return list_blocking(integration, due_requirements, edition.groups, now)


def list_missing_next(integration: "Integration", now: datetime) -> list[Requirement]:
    """Return open requirements before the next position; in support, those no longer fulfilled."""
    # Support has no next position, and what was due on the path stays required.
    in_support = integration.stage == Stage.SUPPORT
    return list_missing_at(integration, integration.position + (0 if in_support else 1), now)


def list_missing_for_tier(integration: "Integration", tier: Tier, now: datetime) -> list[Requirement]:
    """Return open requirements of a tier."""
    return list_blocking(integration, tier.requirements, tier.groups, now)


# codes in next_actions.yaml
OTHER_PARTY_ACTIONS = {
    ResponsibleParty.PROGRAM: "complete",
    ResponsibleParty.PORTAL: "run_check",
    ResponsibleParty.THIRD_PARTY: "wait_for",
}


def list_open_next(integration: "Integration", now: datetime) -> tuple[OpenRequirement, ...]:
    """Return open requirements before the next position; in support, those no longer fulfilled."""
    edition = integration.edition
    met_by_group = Counter(
        r.group
        for r in edition.list_requirements()
        if r.group and is_needed(r, integration) and is_fulfilled(r, integration, now)
    )
    remaining_by_group = {group.key: group.minimum - met_by_group[group.key] for group in edition.groups}
    open_requirements = []
    for r in list_missing_next(integration, now):
        party = get_responsible_party(r, integration)
        action = _get_action(r, party, integration)
        enough = remaining_by_group.get(r.group, 0)
        is_blocked = bool(explain_blocker(r, integration, now))
        open_requirements.append(OpenRequirement(r.id, r.title, party, action, r.group, enough, is_blocked))
    return tuple(open_requirements)


def _get_action(requirement: Requirement, responsible_party: ResponsibleParty, integration: "Integration") -> str:
    if responsible_party == ResponsibleParty.PROGRAM and requirement.agreement:
        return SIGNATURE_ACTIONS[integration.fulfillments_by_id[requirement.id].data["method"]]
    if responsible_party != ResponsibleParty.PARTNER:
        return OTHER_PARTY_ACTIONS[responsible_party]
    if needs_access(integration.fulfillments_by_id.get(requirement.id)):
        return "connect_github"
    if requirement.kind == RequirementKind.MEETING and _is_awaiting_other_party(requirement.id, integration):
        return "choose_time"
    return KINDS[requirement.kind].action


def _is_awaiting_other_party(requirement_id: str, integration: "Integration") -> bool:
    state = integration.fulfillments_by_id.get(requirement_id)
    return state is not None and state.status == Status.AWAITING_OTHER_PARTY


def list_partner_requirements(integration: "Integration", now: datetime) -> tuple[OpenRequirement, ...]:
    """Return open requirements before the next position that the partner can complete now."""
    if not integration.is_open:
        return ()
    return tuple(item for item in list_open_next(integration, now) if item.is_for_partner)


def list_integration_actions(
    integration: "Integration", now: datetime, party: ResponsibleParty | None = None
) -> tuple[NextAction, ...]:
    """Return what is required of a party, or of all, most urgent first. The first of all is stored with the row."""
    actions = list_actions(build_snapshot(integration, now))
    return tuple(action for action in actions if party in (None, action.responsible_party))


def build_snapshot(integration: "Integration", now: datetime) -> IntegrationSnapshot:
    """Return everything that determines the next action."""
    # Even for an integration that has ended, because the end itself can be undone.
    undo_until = integration.undo_until if integration.undo_until and integration.undo_until > now else None
    if not integration.is_open:
        return IntegrationSnapshot(Stage(integration.stage), integration.step, undo_until=undo_until)
    open_requirements = list_open_next(integration, now)
    _step, next_stage = integration.next_position
    findings = count_findings(integration)
    partner_requests = tuple(
        item
        for item in open_requirements
        if item.responsible_party == ResponsibleParty.PARTNER and _is_awaiting_other_party(item.id, integration)
    )
    return IntegrationSnapshot(
        stage=Stage(integration.stage),
        step=integration.current_step.name,
        next_stage=next_stage,
        on_hold_for=ResponsibleParty(integration.on_hold_for) if integration.on_hold_for else None,
        hold_reason=integration.hold_reason.removesuffix("."),  # the sentences around it have a period
        review=ReviewState(integration.review_state),
        round=integration.review_round,
        open_findings=findings.get("open", 0),
        resolved_findings=findings.get("resolved", 0),
        missing=open_requirements,
        partner_requests=partner_requests,
        tier_request=_get_decidable_tier(integration),
        company=VerificationState(integration.partner.verification_state),
        listing_status=ListingStatus(integration.listing_status),
        process=get_compliance_status(integration, now),
        compliance_request=integration.compliance_request,
        compliance_request_params=integration.compliance_request_params,
        undo_until=undo_until,
        is_awaiting_second_reviewer=integration.is_awaiting_second_reviewer,
    )


def _get_decidable_tier(integration: "Integration") -> str:
    """Return the name of the requested tier, or blank while no one can decide on the request."""
    requested_tier = integration.requested_tier
    # The request waits until a notice or a suspension ends, see listing_status.tier_decision.
    if requested_tier is None or integration.listing_status != ListingStatus.LISTED:
        return ""
    return requested_tier.name


def get_compliance_status(integration: "Integration", now: datetime) -> ComplianceStatus:
    """Return the state of the compliance procedure."""
    paused_status = {
        PAUSED_FOR_ACTIVITY: ComplianceStatus.PARTNER_RESPONDED,
        PAUSED_FOR_APPEAL: ComplianceStatus.APPEALED,
    }.get(integration.deadline_pause_reason)
    if paused_status is not None:
        return paused_status
    if integration.compliance_request:
        return ComplianceStatus.REQUESTED
    if integration.compliance_deadline_at is None:
        return ComplianceStatus.NONE
    return ComplianceStatus.EXPIRED if integration.compliance_deadline_at <= now else ComplianceStatus.RUNNING


def count_with_groups(requirements: Iterable[Requirement], groups: Iterable[RequirementGroup]) -> int:
    """Return the number of requirements. Those of an any-of group count at most with its minimum."""
    numbers = Counter(requirement.group for requirement in requirements)
    return numbers[""] + sum(min(group.minimum, numbers[group.key]) for group in groups)


def count_requirements(integration: "Integration", now: datetime) -> dict[str, int]:
    """Return counts for lists: open and total requirements, and checks by outcome.

    An any-of group counts with its minimum.
    """
    states = integration.fulfillments_by_id
    applicable = [r for r in integration.edition.list_requirements() if is_needed(r, integration) and not r.optional]
    counts = {"left": 0, "of": count_with_groups(applicable, integration.edition.groups)}
    if integration.is_open:
        counts["left"] = count_open(list_open_next(integration, now))
    for requirement in applicable:
        state = states.get(requirement.id)
        if requirement.responsible_party == FulfillingParty.PORTAL and state is not None:
            display_status = str(state.get_display_status(now))
            counts[display_status] = counts.get(display_status, 0) + 1
    return counts


def get_next_refresh_at(integration: "Integration", now: datetime) -> datetime | None:
    """Return when time changes the next action: at the end of a waiver, fresh result, deadline, or undo period."""
    states = integration.fulfillments_by_id.values()
    expiry_times = [end for s in states for end in (s.waiver_expires_at, s.valid_until)]
    deadlines = (integration.compliance_deadline_at, integration.undo_until)
    # Their end needs no write, so a periodic job finds the integration by this time and refreshes what lists show.
    future_times = [end for end in (*expiry_times, *deadlines) if end and end > now]
    return min(future_times, default=None)
