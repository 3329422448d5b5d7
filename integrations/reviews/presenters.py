"""What does a reviewer decide on? Each requirement with its evidence and findings, and why somebody may not decide."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Role
from integrations.programs.schema import Field, Kind, Requirement, Step
from integrations.submissions.models import Document, Finding, Integration, Meeting, RequirementState
from integrations.submissions.presenters import WHOSE, Row, StepRows, requirement_rows, row_of
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import Action
from integrations.submissions.workflow.states import Holder, Stage
from portal.audit.event_types import WORDS

UNSAID = {"waits_for", "documents", "confirmed"}  # bookkeeping, no answer
SETTLED = frozenset({"given", "not_needed", "pass", "waived"})


@dataclass(frozen=True, slots=True)
class Item:
    """One requirement as a reviewer sees it.

    `whose`: who can move it while it is not met; `answers`: (question, answer); `results`: what machines found.
    """

    row: Row
    whose: str
    answers: tuple[tuple[str, str], ...]
    documents: tuple[Document, ...]
    results: tuple[dict[str, Any], ...]
    meetings: tuple[Meeting, ...]
    findings: tuple[Finding, ...]

    @property
    def has_evidence(self) -> bool:
        return bool(self.answers or self.documents or self.results or self.meetings)

    @property
    def needs_a_look(self) -> bool:
        """Whether the eye should stop here: a finding that is not settled, or a status that is not plainly good."""
        unsettled = any(finding.state != Finding.State.VERIFIED for finding in self.findings)
        return unsettled or (self.row.shown not in SETTLED and not self.row.requirement.optional)


@dataclass(frozen=True, slots=True)
class Group:
    """A step, or the tier that is asked for, with its requirements. `open`: whether it is worth unfolding."""

    key: str
    title: str
    items: tuple[Item, ...]
    settled: int
    open: bool


def groups_of(integration: Integration, now: datetime) -> list[Group]:
    """Every step with what was handed in, then the requirements of the tier that is asked for."""
    handed_in = _Handed(integration)
    found = [_group(step.step, step, handed_in) for step in requirement_rows(integration, now) if step.rows]
    tier = integration.edition.tier(integration.tier_request) if integration.tier_request else None
    if tier is not None:
        rows = [row_of(integration, r, now) for r in tier.requirements if context.applies(r, integration)]
        items = tuple(handed_in.item(row) for row in rows)
        found.append(
            Group(tier.key, _("Tier %(name)s") % {"name": tier.name}, items, sum(row.is_met for row in rows), open=True)
        )
    return found


def _group(step: Step, rows: StepRows, handed_in: "_Handed") -> Group:
    items = tuple(handed_in.item(row) for row in rows.rows)
    unfolded = rows.state == "current" or any(item.findings for item in items)
    return Group(step.key, step.name, items, sum(row.is_met for row in rows.rows), unfolded)


class _Handed:
    """What was handed in for an integration: four queries, whatever the number of requirements."""

    def __init__(self, integration: Integration) -> None:
        self.company = integration.partner.name
        self.states = {state.requirement_id: state for state in integration.states.all()}
        self.kept = list(Document.objects.filter(partner=integration.partner_id, removed_at=None).order_by("pk"))
        self.findings = _by_requirement(integration.findings.select_related("raised_by", "fixed_by", "verified_by"))
        self.meetings = _by_requirement(integration.meetings.all())

    def item(self, row: Row) -> Item:
        requirement = row.requirement
        state = self.states.get(requirement.id)
        return Item(
            row=row,
            whose=self.company if row.holder == WHOSE[Holder.PARTNER] else row.holder,
            answers=tuple(answers_of(requirement, state)) if state else (),
            documents=tuple(self._documents(state)) if state else (),
            results=tuple(state.detail) if state else (),
            meetings=tuple(self.meetings[requirement.id]),
            findings=tuple(self.findings[requirement.id]),
        )

    def _documents(self, state: RequirementState) -> Iterator[Document]:
        """What the answer names, also where it was handed in for another integration, and what belongs to it."""
        named = state.data.get("documents", [])
        return (each for each in self.kept if str(each.uuid) in named or each.state_id == state.pk)


def _by_requirement(rows: Iterable[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.requirement_id].append(row)
    return found


def answers_of(requirement: Requirement, state: RequirementState) -> list[tuple[str, str]]:
    """What was answered, in the order of the questions; then what was kept without a question."""
    fields = {field.key: field for field in requirement.fields}
    keys = [key for key in fields if key in state.data] + [k for k in state.data if k not in fields and k not in UNSAID]
    pairs = [(_question(fields.get(key), key), said(fields.get(key), state.data[key])) for key in keys]
    return [(question, answer) for question, answer in pairs if answer]


def _question(field: Field | None, key: str) -> str:
    return field.label if field else key.replace("_", " ").capitalize()


def said(field: Field | None, value: Any) -> str:
    """An answer as text: chosen options by their labels, lists joined, yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(said(field, each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {said(None, each)}" for key, each in value.items())
    labels = dict(field.options) if field else {}
    return labels.get(str(value), "" if value is None else str(value))


def facts_for_reviewer(integration: Integration) -> dict[str, Any]:
    """Whom to write to, where the code is, and which test accounts the program asks for."""
    edition = integration.edition
    category = edition.category(integration.category)
    team = integration.partner.memberships.filter(ended_at=None, user__is_active=True).exclude(role=Role.VIEWER)
    return {
        "contacts": [member.user for member in team.select_related("user").order_by("pk")[:3]],
        "repository_url": f"{settings.GITHUB_WEB_URL}/{integration.repository}" if integration.repository else "",
        "category_name": category.name if category else "",
        "credentials": [r for r in edition.requirements() if r.kind == Kind.CREDENTIALS],
    }


def turn_for_reviewer(integration: Integration, now: datetime) -> dict[str, Any]:
    """Whose turn it is, named as the program names it, and what an approval waits for the partner to settle."""
    labels = {
        Holder.PARTNER: f"{integration.partner.name}’s turn",
        Holder.PROGRAM: _("The program’s turn"),
        Holder.MACHINE: _("The portal’s turn"),
        Holder.THIRD_PARTY: _("Waiting for others"),
    }
    holder = integration.turn_holder
    in_review = integration.stage == Stage.REVIEW
    return {
        "turn_label": labels.get(holder, ""),  # type: ignore[call-overload]
        "at_rest": holder == Holder.MACHINE,
        "partners_part": context.partners_part(integration, now) if in_review else (),
    }


def why_not_decide(integration: Integration, user: Any) -> str:
    """Why this person of the program may not decide on it; blank where they may."""
    if permissions.may_decide(integration, user):
        return ""
    if permissions.role_of(integration.partner, user):
        return _("You belong to %(name)s: another reviewer decides.") % {"name": integration.partner.name}
    return _("You see everything here, but only reviewers decide.")


def undo_of(integration: Integration, user: Any, now: datetime) -> dict[str, Any] | None:
    """The decision that can still be undone, told as its banner tells it; None where there is none."""
    if not integration.decision or integration.undo_until is None or integration.undo_until <= now:
        return None
    who = _("You") if integration.decided_by_id == user.pk else str(integration.decided_by or _("Somebody"))
    return {
        "said": f"{who} {WORDS[integration.decision][0]}",
        "until": integration.undo_until,
        "may": permissions.may_undo(integration, user),
    }


def useful(integration: Integration, offered: Iterable[Action]) -> list[Action]:
    """The buttons worth showing: without the other half of a pair that cannot matter now, and without the undo,
    which stands with its decision."""
    idle = {
        "undo_decision": True,
        "resume": not integration.hold,
        "put_on_hold": bool(integration.hold),
        "grant_tier": not integration.tier_request,
        "decline_tier": not integration.tier_request,
        "set_aside": not integration.standing_ask,
        "go_on": integration.standing_hold != "acted",
        "uphold_appeal": integration.standing_hold != "appeal",
        "dismiss_appeal": integration.standing_hold != "appeal",
        "suspend_at_once": not integration.hold,
    }
    return [action for action in offered if not idle.get(action.name, False)]


def may_find(integration: Integration, user: Any) -> bool:
    """Whether this person can write findings now: a reviewer, while the integration is in review."""
    return integration.stage == Stage.REVIEW and permissions.may_decide(integration, user)
