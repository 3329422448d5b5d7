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
from integrations.programs.schema import Question, Requirement, RequirementKind, Step
from integrations.submissions.models import Document, Finding, Integration, Meeting, RequirementFulfillment
from integrations.submissions.presenters import PARTY_LABELS, RequirementRow, StepRows, build_row, list_step_rows
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import AvailableTransition
from integrations.submissions.workflow.states import ResponsibleParty, Stage
from portal.audit.event_types import EVENT_TYPES

INTERNAL_KEYS = {"waits_for", "documents", "confirmed"}  # bookkeeping, no answer
SETTLED_STATUSES = frozenset({"submitted", "not_applicable", "pass", "waived"})


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One requirement as a reviewer sees it.

    `whose`: who can move it while it is not met; `answers`: (question, answer); `results`: what machines found.
    """

    row: RequirementRow
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
        has_open_finding = any(finding.state != Finding.State.VERIFIED for finding in self.findings)
        return has_open_finding or (self.row.shown not in SETTLED_STATUSES and not self.row.requirement.optional)


@dataclass(frozen=True, slots=True)
class ReviewSection:
    """A step, or the tier that is asked for, with its requirements. `open`: whether it is worth unfolding."""

    key: str
    title: str
    items: tuple[ReviewItem, ...]
    settled: int
    open: bool


def list_review_sections(integration: Integration, now: datetime) -> list[ReviewSection]:
    """Every step with what was handed in, then the requirements of the tier that is asked for."""
    evidence = _SubmittedEvidence(integration)
    sections = [_build_section(step.step, step, evidence) for step in list_step_rows(integration, now) if step.rows]
    tier = integration.edition.tier(integration.tier_request) if integration.tier_request else None
    if tier is not None:
        rows = [build_row(integration, r, now) for r in tier.requirements if context.is_applicable(r, integration)]
        items = tuple(evidence.build_item(row) for row in rows)
        sections.append(
            ReviewSection(
                tier.key, _("Tier %(name)s") % {"name": tier.name}, items, sum(row.is_met for row in rows), open=True
            )
        )
    return sections


def _build_section(step: Step, rows: StepRows, evidence: "_SubmittedEvidence") -> ReviewSection:
    items = tuple(evidence.build_item(row) for row in rows.rows)
    is_open = rows.state == "current" or any(item.findings for item in items)
    return ReviewSection(step.key, step.name, items, sum(row.is_met for row in rows.rows), is_open)


class _SubmittedEvidence:
    """What was handed in for an integration: four queries, whatever the number of requirements."""

    def __init__(self, integration: Integration) -> None:
        self.partner_name = integration.partner.name
        self.fulfillments = {state.requirement_id: state for state in integration.fulfillments.all()}
        self.documents = list(Document.objects.filter(partner=integration.partner_id, removed_at=None).order_by("pk"))
        self.findings = _group_by_requirement(
            integration.findings.select_related("raised_by", "resolved_by", "verified_by")
        )
        self.meetings = _group_by_requirement(integration.meetings.all())

    def build_item(self, row: RequirementRow) -> ReviewItem:
        requirement = row.requirement
        state = self.fulfillments.get(requirement.id)
        return ReviewItem(
            row=row,
            whose=self.partner_name if row.holder == PARTY_LABELS[ResponsibleParty.PARTNER] else row.holder,
            answers=tuple(list_answers(requirement, state)) if state else (),
            documents=tuple(self._list_documents(state)) if state else (),
            results=tuple(state.detail) if state else (),
            meetings=tuple(self.meetings[requirement.id]),
            findings=tuple(self.findings[requirement.id]),
        )

    def _list_documents(self, state: RequirementFulfillment) -> Iterator[Document]:
        """What the answer names, also where it was handed in for another integration, and what belongs to it."""
        uuids = state.data.get("documents", [])
        return (document for document in self.documents if str(document.uuid) in uuids or document.state_id == state.pk)


def _group_by_requirement(rows: Iterable[Any]) -> dict[str, list[Any]]:
    rows_by_requirement: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        rows_by_requirement[row.requirement_id].append(row)
    return rows_by_requirement


def list_answers(requirement: Requirement, state: RequirementFulfillment) -> list[tuple[str, str]]:
    """What was answered, in the order of the questions; then what was kept without a question."""
    fields = {field.key: field for field in requirement.fields}
    keys = [key for key in fields if key in state.data] + [
        k for k in state.data if k not in fields and k not in INTERNAL_KEYS
    ]
    pairs = [
        (_get_question_label(fields.get(key), key), format_answer(fields.get(key), state.data[key])) for key in keys
    ]
    return [(question, answer) for question, answer in pairs if answer]


def _get_question_label(field: Question | None, key: str) -> str:
    return field.label if field else key.replace("_", " ").capitalize()


def format_answer(field: Question | None, value: Any) -> str:
    """An answer as text: chosen options by their labels, lists joined, yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(format_answer(field, item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {format_answer(None, item)}" for key, item in value.items())
    labels = dict(field.options) if field else {}
    return labels.get(str(value), "" if value is None else str(value))


def build_reviewer_context(integration: Integration) -> dict[str, Any]:
    """Whom to write to, where the code is, and which test accounts the program asks for."""
    edition = integration.edition
    category = edition.category(integration.category)
    memberships = integration.partner.memberships.filter(ended_at=None, user__is_active=True).exclude(role=Role.VIEWER)
    return {
        "contacts": [membership.user for membership in memberships.select_related("user").order_by("pk")[:3]],
        "repository_url": f"{settings.GITHUB_WEB_URL}/{integration.repository}" if integration.repository else "",
        "category_name": category.name if category else "",
        "credentials": [r for r in edition.requirements() if r.kind == RequirementKind.CREDENTIALS],
    }


def build_next_action_context(integration: Integration, now: datetime) -> dict[str, Any]:
    """Whose turn it is, named as the program names it, and what an approval waits for the partner to settle."""
    labels = {
        ResponsibleParty.PARTNER: f"{integration.partner.name}’s turn",
        ResponsibleParty.PROGRAM: _("The program’s turn"),
        ResponsibleParty.MACHINE: _("The portal’s turn"),
        ResponsibleParty.THIRD_PARTY: _("Waiting for others"),
    }
    responsible_party = integration.responsible_party
    in_review = integration.stage == Stage.REVIEW
    return {
        "turn_label": labels.get(responsible_party, ""),  # type: ignore[call-overload]
        "at_rest": responsible_party == ResponsibleParty.MACHINE,
        "partners_part": context.list_partner_requirements(integration, now) if in_review else (),
    }


def explain_decision_refusal(integration: Integration, user: Any) -> str:
    """Why this person of the program may not decide on it; blank where they may."""
    if permissions.can_decide(integration, user):
        return ""
    if permissions.get_role(integration.partner, user):
        return _("You belong to %(name)s: another reviewer decides.") % {"name": integration.partner.name}
    return _("You see everything here, but only reviewers decide.")


def get_undoable_decision(integration: Integration, user: Any, now: datetime) -> dict[str, Any] | None:
    """The decision that can still be undone, told as its banner tells it; None where there is none."""
    if not integration.decision or integration.undo_until is None or integration.undo_until <= now:
        return None
    actor_name = _("You") if integration.decided_by_id == user.pk else str(integration.decided_by or _("Somebody"))
    return {
        "said": f"{actor_name} {EVENT_TYPES[integration.decision][0]}",
        "until": integration.undo_until,
        "may": permissions.can_undo_decision(integration, user),
    }


def filter_relevant_actions(
    integration: Integration, actions: Iterable[AvailableTransition]
) -> list[AvailableTransition]:
    """The buttons worth showing: without the other half of a pair that cannot matter now, and without the undo,
    which stands with its decision."""
    irrelevant_by_name = {
        "undo_decision": True,
        "resume": not integration.on_hold_for,
        "put_on_hold": bool(integration.on_hold_for),
        "grant_tier": not integration.tier_request,
        "decline_tier": not integration.tier_request,
        "dismiss_request": not integration.compliance_request,
        "resume_deadline": integration.deadline_pause_reason != "partner_responded",
        "uphold_appeal": integration.deadline_pause_reason != "appeal",
        "dismiss_appeal": integration.deadline_pause_reason != "appeal",
        "suspend_immediately": not integration.on_hold_for,
    }
    return [action for action in actions if not irrelevant_by_name.get(action.name, False)]


def can_raise_finding(integration: Integration, user: Any) -> bool:
    """Whether this person can write findings now: a reviewer, while the integration is in review."""
    return integration.stage == Stage.REVIEW and permissions.can_decide(integration, user)
