"""What does an integration look like on a page? Plain rows for templates; no queries of their own beyond facts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.programs.schema import Agency, Group, Link, Requirement, Stage, Step, Tier
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context as facts
from integrations.submissions.workflow.next_action import turn_said
from integrations.submissions.workflow.states import Holder, ReviewState, Status, how_many

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration
    from integrations.submissions.models.requirements import RequirementState

WHOSE = {
    Holder.PARTNER: gettext_noop("you"),
    Holder.PROGRAM: gettext_noop("the program"),
    Holder.MACHINE: gettext_noop("the portal"),
    Holder.THIRD_PARTY: gettext_noop("others"),
}
WHOSE_ELSE = WHOSE | {Holder.PARTNER: gettext_noop("the company")}  # for who only looks on


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of the path as drawn. `state`: done, current or next."""

    name: str
    state: str
    href: str
    note: str


@dataclass(frozen=True, slots=True)
class Row:
    """One requirement as listed. `holder`: who can move it while it is not met, in words for the reader."""

    requirement: Requirement
    state: "RequirementState | None"
    shown: str
    is_met: bool
    holder: str
    why: str


@dataclass(frozen=True, slots=True)
class StepRows:
    """A step with its requirements. `left`: how many still block; `links`: its own and the category's."""

    step: Step
    state: str
    rows: tuple[Row, ...]
    left: int
    links: tuple[Link, ...]
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


def _place(integration: "Integration", step: Step) -> str:
    order = [s.key for s in integration.edition.steps]
    here, there = order.index(integration.step), order.index(step.key)
    if not integration.is_open:
        return "done" if there <= here else "next"
    return "done" if there < here else "current" if there == here else "next"


def path_steps(integration: "Integration") -> list[PathStep]:
    """The program's own step names, in its own order, with where the integration is."""
    return [
        PathStep(step.name, _place(integration, step), f"#step-{step.key}", "") for step in integration.edition.steps
    ]


def row_of(
    integration: "Integration", requirement: Requirement, now: datetime, whose: Mapping[Holder, str] = WHOSE
) -> Row:
    """`whose`: what each holder is called to the reader."""
    state = facts.states_of(integration).get(requirement.id)
    met = state is not None and state.is_met(now)
    return Row(
        requirement=requirement,
        state=state,
        shown=state.shown(now) if state else str(Status.OPEN),
        is_met=met,
        holder="" if met else _(whose[facts.holder_of(requirement, integration)]),
        why=(state.summary if state and state.summary else requirement.why),
    )


def requirement_rows(integration: "Integration", now: datetime, whose: Mapping[Holder, str] = WHOSE) -> list[StepRows]:
    """Every step with its requirements that apply, in the path's order."""
    found = []
    edition = integration.edition
    open_ids = {r.id for r in facts.unmet(integration, edition.requirements(), edition.groups, now)}
    category = integration.edition.category(integration.category)
    first_develop = next((s for s in integration.edition.steps if s.stage == Stage.DEVELOP), None)
    for step in integration.edition.steps:
        rows = tuple(row_of(integration, r, now, whose) for r in step.requirements if facts.applies(r, integration))
        left = sum(row.requirement.id in open_ids for row in rows)
        links = step.links + (category.links if category and step.stage == Stage.DEVELOP else ())
        agencies = integration.edition.agencies if first_develop is step else ()
        found.append(StepRows(step, _place(integration, step), rows, left, links, agencies))
    return found


@dataclass(frozen=True, slots=True)
class Left:
    """What is left before the next step: the rows, how many of them are to be settled, how many there are in all, and
    the step's name."""

    rows: tuple[Row, ...]
    count: int
    before: str
    of: int

    @property
    def summary(self) -> str:
        said = {"count": self.count, "of": self.of, "step": self.before}
        if self.before:
            return _("%(count)s of %(of)s before %(step)s") % said
        return _("%(count)s of %(of)s to keep its standing") % said


def _with_choice(row: Row, choice: str) -> Row:
    return replace(row, why=f"{capfirst(turn_said(choice))}. {row.why}".strip()) if choice else row


def left_items(integration: "Integration", now: datetime, whose: Mapping[Holder, str] = WHOSE) -> Left:
    """What blocks the next position, each with its reason; in support, what no longer holds."""
    if not integration.is_open:
        return Left((), 0, "", 0)
    wanted = facts.missing_next(integration, now)
    missing = facts.as_missing(integration, wanted, now)
    rows = tuple(
        _with_choice(row_of(integration, r, now, whose), item.choice) for r, item in zip(wanted, missing, strict=True)
    )
    step, _ = integration.next_position
    return Left(rows, how_many(missing), step.name if step else "", integration.tally.get("of", 0))


@dataclass(frozen=True, slots=True)
class TierRows:
    """A tier that can be asked for: its requirements, its any-of groups, and whether asking is open."""

    tier: Tier
    state: str
    rows: tuple[Row, ...]
    groups: tuple[tuple[Group, tuple[Row, ...]], ...]
    left: int

    @property
    def anchor(self) -> str:
        return f"tier-{self.tier.key}"

    @property
    def can_ask(self) -> bool:
        return not self.left and self.state == ""


def tier_rows(integration: "Integration", now: datetime, whose: Mapping[Holder, str] = WHOSE) -> list[TierRows]:
    """The tiers that a listed integration may ask for, with what each still needs."""
    if not integration.is_listed:
        return []
    found = []
    for tier in (t for t in integration.edition.tiers if t.on_request):
        rows = {r.id: row_of(integration, r, now, whose) for r in tier.requirements}
        groups = tuple((g, tuple(rows[r.id] for r in tier.requirements if r.group == g.key)) for g in tier.groups)
        state = (
            "granted" if integration.tier == tier.key else "asked for" if integration.tier_request == tier.key else ""
        )
        left = len(facts.missing_for_tier(integration, tier, now))
        found.append(TierRows(tier, state, tuple(r for r in rows.values() if not r.requirement.group), groups, left))
    return found


def is_told(integration: Integration, finding: Finding) -> bool:
    """Whether the partner may see a finding: it is kept back until changes are requested."""
    return finding.round < integration.review_round or integration.review_state == ReviewState.CHANGES


def told_findings(integration: Integration) -> list[Finding]:
    """The findings that the partner may see, in their order."""
    return [finding for finding in facts.findings_of(integration) if is_told(integration, finding)]
