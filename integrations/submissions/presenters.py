"""What does an integration look like on a page? Plain rows for templates; no queries of their own beyond facts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.programs.schema import Agency, Requirement, RequirementGroup, ResourceLink, Stage, Step, Tier
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.workflow.next_action import translate_next_action
from integrations.submissions.workflow.states import ResponsibleParty, ReviewState, Status, count_open

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration
    from integrations.submissions.models.requirements import RequirementFulfillment

PARTY_LABELS = {
    ResponsibleParty.PARTNER: gettext_noop("you"),
    ResponsibleParty.PROGRAM: gettext_noop("the program"),
    ResponsibleParty.MACHINE: gettext_noop("the portal"),
    ResponsibleParty.THIRD_PARTY: gettext_noop("others"),
}
OBSERVER_PARTY_LABELS = PARTY_LABELS | {ResponsibleParty.PARTNER: gettext_noop("the company")}  # for who only looks on


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of the path as drawn. `state`: done, current or next."""

    name: str
    state: str
    href: str
    note: str


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """One requirement as listed. `holder`: who can move it while it is not met, in words for the reader."""

    requirement: Requirement
    state: "RequirementFulfillment | None"
    shown: str
    is_met: bool
    holder: str
    why: str


@dataclass(frozen=True, slots=True)
class StepRows:
    """A step with its requirements. `left`: how many still block; `links`: its own and the category's."""

    step: Step
    state: str
    rows: tuple[RequirementRow, ...]
    left: int
    links: tuple[ResourceLink, ...]
    agencies: tuple[Agency, ...] = ()

    @property
    def anchor(self) -> str:
        return f"step-{self.step.key}"

    @property
    def is_open(self) -> bool:
        """What is settled is folded, so that what is left is seen."""
        return (bool(self.left) and self.state != "next") or self.state == "current"

    @property
    def left_words(self) -> str:
        if self.left:
            return _("%(left)s of %(count)s left") % {"left": self.left, "count": len(self.rows)}
        return _("complete") if self.rows else ""


def _get_step_state(integration: "Integration", step: Step) -> str:
    step_keys = [s.key for s in integration.edition.steps]
    current_index, step_index = step_keys.index(integration.step), step_keys.index(step.key)
    if not integration.is_open:
        return "done" if step_index <= current_index else "next"
    return "done" if step_index < current_index else "current" if step_index == current_index else "next"


def list_path_steps(integration: "Integration") -> list[PathStep]:
    """The program's own step names, in its own order, with where the integration is."""
    return [
        PathStep(step.name, _get_step_state(integration, step), f"#step-{step.key}", "")
        for step in integration.edition.steps
    ]


def build_row(
    integration: "Integration",
    requirement: Requirement,
    now: datetime,
    party_labels: Mapping[ResponsibleParty, str] = PARTY_LABELS,
) -> RequirementRow:
    """`party_labels`: what each holder is called to the reader."""
    state = context_selectors.get_fulfillments(integration).get(requirement.id)
    is_met = state is not None and state.is_met(now)
    return RequirementRow(
        requirement=requirement,
        state=state,
        shown=state.shown(now) if state else str(Status.OPEN),
        is_met=is_met,
        holder="" if is_met else _(party_labels[context_selectors.get_responsible_party(requirement, integration)]),
        why=(state.summary if state and state.summary else requirement.why),
    )


def list_step_rows(
    integration: "Integration", now: datetime, party_labels: Mapping[ResponsibleParty, str] = PARTY_LABELS
) -> list[StepRows]:
    """Every step with its requirements that apply, in the path's order."""
    step_rows = []
    edition = integration.edition
    open_ids = {r.id for r in context_selectors.list_blocking(integration, edition.requirements(), edition.groups, now)}
    category = integration.edition.category(integration.category)
    first_develop = next((s for s in integration.edition.steps if s.stage == Stage.DEVELOP), None)
    for step in integration.edition.steps:
        rows = tuple(
            build_row(integration, r, now, party_labels)
            for r in step.requirements
            if context_selectors.is_applicable(r, integration)
        )
        open_count = sum(row.requirement.id in open_ids for row in rows)
        links = step.links + (category.links if category and step.stage == Stage.DEVELOP else ())
        agencies = integration.edition.agencies if first_develop is step else ()
        step_rows.append(StepRows(step, _get_step_state(integration, step), rows, open_count, links, agencies))
    return step_rows


@dataclass(frozen=True, slots=True)
class OpenRequirementList:
    """What is left before the next step: the rows, how many of them are to be settled, how many there are in all, and
    the step's name."""

    rows: tuple[RequirementRow, ...]
    count: int
    before: str
    of: int

    @property
    def summary(self) -> str:
        values = {"count": self.count, "of": self.of, "step": self.before}
        if self.before:
            return _("%(count)s of %(of)s before %(step)s") % values
        return _("%(count)s of %(of)s to keep its standing") % values


def _add_choice(row: RequirementRow, choice: str) -> RequirementRow:
    return replace(row, why=f"{capfirst(translate_next_action(choice))}. {row.why}".strip()) if choice else row


def get_open_requirements(
    integration: "Integration", now: datetime, party_labels: Mapping[ResponsibleParty, str] = PARTY_LABELS
) -> OpenRequirementList:
    """What blocks the next position, each with its reason; in support, what no longer holds."""
    if not integration.is_open:
        return OpenRequirementList((), 0, "", 0)
    requirements = context_selectors.list_missing_next(integration, now)
    open_requirements = context_selectors.build_open_requirements(integration, requirements, now)
    rows = tuple(
        _add_choice(build_row(integration, r, now, party_labels), item.choice)
        for r, item in zip(requirements, open_requirements, strict=True)
    )
    step, _ = integration.next_position
    return OpenRequirementList(
        rows, count_open(open_requirements), step.name if step else "", integration.requirement_counts.get("of", 0)
    )


@dataclass(frozen=True, slots=True)
class TierRows:
    """A tier that can be asked for: its requirements, its any-of groups, and whether asking is open."""

    tier: Tier
    state: str
    rows: tuple[RequirementRow, ...]
    groups: tuple[tuple[RequirementGroup, tuple[RequirementRow, ...]], ...]
    left: int

    @property
    def anchor(self) -> str:
        return f"tier-{self.tier.key}"

    @property
    def can_ask(self) -> bool:
        return not self.left and self.state == ""


def list_tier_rows(
    integration: "Integration", now: datetime, party_labels: Mapping[ResponsibleParty, str] = PARTY_LABELS
) -> list[TierRows]:
    """The tiers that a listed integration may ask for, with what each still needs."""
    if not integration.is_listed:
        return []
    rows_by_tier = []
    for tier in (t for t in integration.edition.tiers if t.on_request):
        rows = {r.id: build_row(integration, r, now, party_labels) for r in tier.requirements}
        groups = tuple((g, tuple(rows[r.id] for r in tier.requirements if r.group == g.key)) for g in tier.groups)
        state = (
            "granted" if integration.tier == tier.key else "asked for" if integration.tier_request == tier.key else ""
        )
        open_count = len(context_selectors.list_missing_for_tier(integration, tier, now))
        rows_by_tier.append(
            TierRows(tier, state, tuple(r for r in rows.values() if not r.requirement.group), groups, open_count)
        )
    return rows_by_tier


def is_visible_to_partner(integration: Integration, finding: Finding) -> bool:
    """Whether the partner may see a finding: it is kept back until changes are requested."""
    return finding.round < integration.review_round or integration.review_state == ReviewState.CHANGES


def list_visible_findings(integration: Integration) -> list[Finding]:
    """The findings that the partner may see, in their order."""
    return [
        finding
        for finding in context_selectors.get_findings(integration)
        if is_visible_to_partner(integration, finding)
    ]
