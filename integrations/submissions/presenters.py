"""Plain rows for the templates of an integration page, and the outage that its requirements wait for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.programs.requirements import Requirement, RequirementGroup, ResourceLink
from integrations.programs.schema import Agency, Edition, Step, Tier
from integrations.submissions.models import Finding, Integration, RequirementFulfillment
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.selectors.prerequisites import explain_blocker, is_needed
from integrations.submissions.workflow.states import STAGE_LABELS, ResponsibleParty, Stage, Status

PARTY_LABELS = {
    ResponsibleParty.PARTNER: gettext_noop("you"),
    ResponsibleParty.PROGRAM: gettext_noop("the program"),
    ResponsibleParty.PORTAL: gettext_noop("the portal"),
    ResponsibleParty.THIRD_PARTY: gettext_noop("others"),
}
# for readers who can't edit
OBSERVER_PARTY_LABELS = PARTY_LABELS | {ResponsibleParty.PARTNER: gettext_noop("the partner")}


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """Requirement in a list. `responsible`: who can complete it while it is open; `blocker`: why no one can yet."""

    requirement: Requirement
    state: RequirementFulfillment | None
    display_status: str
    is_met: bool
    responsible: str
    why: str
    blocker: str = ""


@dataclass(frozen=True, slots=True)
class StepRows:
    """Step with its requirements. `open_count`: blocking ones; `links`: its own and those of the category.

    `is_due`: one of them blocks the next position.
    """

    step: Step
    state: str
    rows: tuple[RequirementRow, ...]
    open_count: int
    is_due: bool
    links: tuple[ResourceLink, ...]
    agencies: tuple[Agency, ...] = ()

    @property
    def anchor(self) -> str:
        return f"step-{self.step.key}"

    @property
    def summary(self) -> str:
        if self.open_count:
            return _("%(open)s of %(count)s open") % {"open": self.open_count, "count": len(self.rows)}
        return _("Complete") if self.rows else ""


def _get_step_state(integration: Integration, step: Step) -> str:
    step_keys = [s.key for s in integration.edition.steps]
    distance = step_keys.index(step.key) - step_keys.index(integration.step)
    if distance == 0:
        # Support is the last step, so an archived integration has completed its path.
        states = {Stage.WITHDRAWN: "ended", Stage.DECLINED: "ended", Stage.ARCHIVED: "done"}
        return states.get(Stage(integration.stage), "current")
    return "done" if distance < 0 else "next"


def list_path_steps(integration: Integration) -> list[dict[str, str]]:
    """Return the steps of the program in order, each with its state: done, current, next, or ended."""
    return [
        {"name": step.name, "state": _get_step_state(integration, step), "href": f"#step-{step.key}"}
        for step in integration.edition.steps
    ]


def build_row(
    integration: Integration,
    requirement: Requirement,
    now: datetime,
    party_labels: Mapping[ResponsibleParty, str] = PARTY_LABELS,
) -> RequirementRow:
    """Return the row of a requirement. `party_labels`: what the reader calls each party."""
    state = integration.fulfillments_by_id.get(requirement.id)
    is_fulfilled = state is not None and state.is_met(now)
    is_unneeded = not is_fulfilled and not is_needed(requirement, integration)
    is_met = is_fulfilled or is_unneeded
    blocker = explain_blocker(requirement, integration, now)
    # What a person has to know first: why they can't act, why it is open again, then the state, then the rule.
    reasons = [
        "" if is_fulfilled else blocker,
        state.void_reason if state else "",
        state.summary if state else "",
        requirement.reason,
    ]
    party_label = party_labels[context_selectors.get_responsible_party(requirement, integration)]
    return RequirementRow(
        requirement=requirement,
        state=state,
        display_status=_get_display_status(state, now, is_unneeded),
        is_met=is_met,
        responsible="" if is_met else _(party_label),
        why=next(filter(None, reasons), ""),
        blocker="" if is_met else blocker,
    )


def _get_display_status(state: RequirementFulfillment | None, now: datetime, is_unneeded: bool) -> str:
    if is_unneeded:
        return Status.NOT_APPLICABLE
    return state.get_display_status(now) if state else Status.OPEN


def _add_group_minimum(row: RequirementRow, needed: int) -> RequirementRow:
    """Add how many requirements of the any-of group are needed, 0 without a group."""
    minimum = ngettext("One of these is required.", "%(count)s of these are required.", needed) % {"count": needed}
    return replace(row, why=f"{minimum} {row.why}".strip()) if needed else row


def list_step_rows(
    integration: Integration, now: datetime, party_labels: Mapping[ResponsibleParty, str] = PARTY_LABELS
) -> list[StepRows]:
    """Return each step with its applicable requirements in the order of the path."""
    step_rows = []
    edition = integration.edition
    category = integration.current_category
    open_ids = {
        r.id for r in context_selectors.list_blocking(integration, edition.list_requirements(), edition.groups, now)
    }
    due_ids = {r.id for r in context_selectors.list_missing_next(integration, now)} if integration.is_open else set()
    minimums = {group.key: group.minimum for group in edition.groups}
    first_develop = next((s for s in edition.steps if s.stage == Stage.DEVELOP), None)
    for step in edition.steps:
        requirements = [r for r in step.requirements if context_selectors.is_applicable(r, integration)]
        needed = {r.id: minimums.get(r.group, 0) for r in requirements if r.id in open_ids}
        rows = tuple(
            _add_group_minimum(build_row(integration, r, now, party_labels), needed.get(r.id, 0)) for r in requirements
        )
        is_due = any(r.id in due_ids for r in requirements)
        open_count = sum(r.id in open_ids for r in requirements)
        # Nomad Integration Program, "Dev & Test": the resources of each category are listed in this step.
        links = step.links + (category.links if category and step.stage == Stage.DEVELOP else ())
        # Terraform Integration Program, "Prepare": partners can hire an agency to develop their first provider.
        agencies = edition.agencies if first_develop is step else ()
        step_rows.append(StepRows(step, _get_step_state(integration, step), rows, open_count, is_due, links, agencies))
    return step_rows


@dataclass(frozen=True, slots=True)
class TierRows:
    """Tier on request: its requirements, its any-of groups, and whether the partner can request it."""

    tier: Tier
    state: str
    rows: tuple[RequirementRow, ...]
    groups: tuple[tuple[RequirementGroup, tuple[RequirementRow, ...]], ...]
    open_count: int

    @property
    def all_rows(self) -> tuple[RequirementRow, ...]:
        return (*self.rows, *(row for _, rows in self.groups for row in rows))

    @property
    def anchor(self) -> str:
        return f"tier-{self.tier.key}"


def list_tier_rows(
    integration: Integration, now: datetime, party_labels: Mapping[ResponsibleParty, str] = PARTY_LABELS
) -> list[TierRows]:
    """Return the tiers that a listed integration can request, with their requirements."""
    if not integration.is_listed:
        return []
    rows_by_tier = []
    for tier in (t for t in integration.edition.tiers if t.on_request):
        rows = {r.id: build_row(integration, r, now, party_labels) for r in tier.requirements}
        groups = tuple((g, tuple(rows[r.id] for r in tier.requirements if r.group == g.key)) for g in tier.groups)
        states_by_key = {integration.tier_request: _("Requested"), integration.tier: _("Granted")}
        open_count = len(context_selectors.list_missing_for_tier(integration, tier, now))
        ungrouped_rows = tuple(row for row in rows.values() if not row.requirement.group)
        rows_by_tier.append(TierRows(tier, states_by_key.get(tier.key, ""), ungrouped_rows, groups, open_count))
    return rows_by_tier


def list_visible_findings(integration: Integration) -> list[Finding]:
    """Return the findings that the partner can see."""
    return [finding for finding in integration.all_findings if finding.is_visible_to_partner]


@dataclass(frozen=True, slots=True)
class Outage:
    """Unreachable services, the titles of requirements that wait for them, and the time of the next attempt."""

    services: tuple[str, ...]
    started_at: datetime | None
    titles: tuple[str, ...]
    retry_at: datetime | None


def find_outage(integration: Integration, now: datetime) -> Outage | None:
    """Return the outage that requirements of the integration wait for, or None."""
    requirements = [
        r for r in integration.edition.list_requirements() if context_selectors.is_applicable(r, integration)
    ]
    states = integration.fulfillments_by_id
    waiting = [(r, states[r.id]) for r in requirements if r.id in states and states[r.id].status == Status.ERROR]
    # A waiver counts without a result, so nothing waits for the service.
    waiting = [(r, state) for r, state in waiting if not state.is_met(now)]
    if not waiting or not integration.is_open:
        return None
    services = dict.fromkeys(
        str(item.get("unreachable") or _("our check service"))
        for _requirement, state in waiting
        for item in state.detail
        if item["outcome"] == Status.ERROR
    )
    return Outage(
        services=tuple(services),
        # An error keeps the time of the first one of its outage, see record_check_outcome.
        started_at=min((state.submitted_at for _r, state in waiting if state.submitted_at), default=None),
        titles=tuple(requirement.title for requirement, _state in waiting),
        retry_at=min((state.retry_at for _r, state in waiting if state.retry_at), default=None),
    )


def describe_deadline(edition: Edition, requirement: Requirement) -> str:
    """Return the name of the step or tier that needs the requirement."""
    # A tier can repeat a requirement of a step, which is due earlier.
    if edition.find_step(requirement) is None:
        tier = next(tier for tier in edition.tiers if requirement in tier.requirements)
        return _("Tier %(name)s") % {"name": tier.name}
    return describe_position(edition, edition.get_deadline(requirement))


def describe_position(edition: Edition, position: int) -> str:
    """Return the name of a position of the path, or what comes after its end."""
    positions = edition.positions
    if position >= len(positions):
        return _("Staying listed")
    step, stage = positions[position]
    return step.name if len(step.stages) == 1 else f"{step.name} ({STAGE_LABELS[stage]})"
