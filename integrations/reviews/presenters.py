"""Review page data: requirements with evidence and findings, and the reason why someone can't decide."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Role
from integrations.programs.requirements import Question, Requirement, RequirementKind
from integrations.programs.schema import Step
from integrations.submissions.models import Document, Finding, Integration, Meeting, RequirementFulfillment
from integrations.submissions.presenters import PARTY_LABELS, RequirementRow, StepRows, build_row, list_step_rows
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import AvailableTransition
from integrations.submissions.workflow.states import ResponsibleParty, Stage
from portal.accounts.models import User
from portal.audit.catalog import EVENT_TYPES_BY_TRANSITION
from portal.core.value_types import JsonObject

INTERNAL_KEYS = {"waits_for", "documents", "confirmed"}  # bookkeeping, not answers
SETTLED_STATUSES = frozenset({"submitted", "not_applicable", "pass", "waived"})


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """Requirement as a reviewer sees it.

    `responsible` names who can complete it while it is open; `answers` holds (question, answer) pairs; `results` holds
    check results.
    """

    row: RequirementRow
    responsible: str
    answers: tuple[tuple[str, str], ...]
    documents: tuple[Document, ...]
    results: tuple[JsonObject, ...]
    meetings: tuple[Meeting, ...]
    findings: tuple[Finding, ...]

    @property
    def has_evidence(self) -> bool:
        return bool(self.answers or self.documents or self.results or self.meetings)

    @property
    def needs_attention(self) -> bool:
        """Whether a finding isn't verified or the status isn't clearly good."""
        has_open_finding = any(finding.state != Finding.State.VERIFIED for finding in self.findings)
        return has_open_finding or (
            self.row.display_status not in SETTLED_STATUSES and not self.row.requirement.optional
        )


@dataclass(frozen=True, slots=True)
class ReviewSection:
    """Program step or requested tier with its requirements. `is_open`: whether the page unfolds it."""

    key: str
    title: str
    items: tuple[ReviewItem, ...]
    completed_count: int
    is_open: bool


def list_review_sections(integration: Integration, now: datetime) -> list[ReviewSection]:
    """Return all steps with their submissions, then the requirements of the requested tier."""
    evidence = _SubmittedEvidence(integration)
    sections = [_build_section(step.step, step, evidence) for step in list_step_rows(integration, now) if step.rows]
    tier = integration.edition.tier(integration.tier_request) if integration.tier_request else None
    if tier is not None:
        rows = [build_row(integration, r, now) for r in tier.requirements if context.is_applicable(r, integration)]
        items = tuple(evidence.build_item(row) for row in rows)
        sections.append(
            ReviewSection(
                tier.key, _("Tier %(name)s") % {"name": tier.name}, items, sum(row.is_met for row in rows), is_open=True
            )
        )
    return sections


def _build_section(step: Step, rows: StepRows, evidence: "_SubmittedEvidence") -> ReviewSection:
    items = tuple(evidence.build_item(row) for row in rows.rows)
    is_open = rows.state == "current" or any(item.findings for item in items)
    return ReviewSection(step.key, step.name, items, sum(row.is_met for row in rows.rows), is_open)


class _SubmittedEvidence:
    """Submissions for an integration, loaded in four queries for any number of requirements."""

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
            responsible=self.partner_name
            if row.responsible == PARTY_LABELS[ResponsibleParty.PARTNER]
            else row.responsible,
            answers=tuple(list_answers(requirement, state)) if state else (),
            documents=tuple(self._list_documents(state)) if state else (),
            results=tuple(state.detail) if state else (),
            meetings=tuple(self.meetings[requirement.id]),
            findings=tuple(self.findings[requirement.id]),
        )

    def _list_documents(self, state: RequirementFulfillment) -> Iterator[Document]:
        """Return documents named in the answer, even of other integrations, and those of the requirement."""
        uuids = state.data.get("documents", [])
        return (document for document in self.documents if str(document.uuid) in uuids or document.state_id == state.pk)


def _group_by_requirement(rows: Iterable[Any]) -> dict[str, list[Any]]:
    rows_by_requirement: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        rows_by_requirement[row.requirement_id].append(row)
    return rows_by_requirement


def list_answers(requirement: Requirement, state: RequirementFulfillment) -> list[tuple[str, str]]:
    """Return the answers in the order of the questions, then values without a question."""
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


def format_answer(field: Question | None, value: object) -> str:
    """Return an answer as text: options by label, lists joined, booleans as yes or no."""
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, list | tuple):
        return ", ".join(format_answer(field, item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {format_answer(None, item)}" for key, item in value.items())
    labels = dict(field.options) if field else {}
    return labels.get(str(value), "" if value is None else str(value))


def build_reviewer_context(integration: Integration) -> dict[str, object]:
    """Return contacts, repository URL, category, and test account requirements."""
    edition = integration.edition
    category = edition.category(integration.category)
    return {
        "contacts": integration.partner.list_members(Role.OWNER, Role.EDITOR)[:3],
        "repository_url": f"{settings.GITHUB_WEB_URL}/{integration.repository}" if integration.repository else "",
        "category_name": category.name if category else "",
        "credentials": [r for r in edition.requirements() if r.kind == RequirementKind.CREDENTIALS],
    }


def build_next_action_context(integration: Integration, now: datetime) -> dict[str, object]:
    """Return the responsible party and, in review, the requirements that an approval needs from the partner."""
    labels = {
        ResponsibleParty.PARTNER: _("Waiting for %(name)s") % {"name": integration.partner.name},
        ResponsibleParty.PROGRAM: _("Action required from the program"),
        ResponsibleParty.MACHINE: _("Waiting for automated checks"),
        ResponsibleParty.THIRD_PARTY: _("Waiting for others"),
    }
    responsible_party = integration.responsible_party
    in_review = integration.stage == Stage.REVIEW
    return {
        "responsible_party_label": labels.get(responsible_party, ""),  # type: ignore[call-overload]
        "at_rest": responsible_party == ResponsibleParty.MACHINE,
        "partner_requirements": context.list_partner_requirements(integration, now) if in_review else (),
    }


def explain_decision_refusal(integration: Integration, user: User) -> str:
    """Return why a member of the program staff can't decide, or an empty string."""
    if permissions.can_decide(integration, user):
        return ""
    if permissions.get_role(integration.partner, user):
        return _("You are a member of %(name)s. Another reviewer must decide.") % {"name": integration.partner.name}
    return _("You have read-only access. Only reviewers can decide.")


def get_undoable_decision(integration: Integration, user: User, now: datetime) -> dict[str, object] | None:
    """Return the decision that can still be undone, or None."""
    if not integration.decision or integration.undo_until is None or integration.undo_until <= now:
        return None
    actor_name = _("You") if integration.decided_by_id == user.pk else str(integration.decided_by or _("Someone"))
    return {
        "summary": f"{actor_name} {_(EVENT_TYPES_BY_TRANSITION[integration.decision].sentence)}",
        "expires_at": integration.undo_until,
        "is_allowed": permissions.can_undo_decision(integration, user),
    }


def filter_relevant_actions(
    integration: Integration, actions: Iterable[AvailableTransition]
) -> list[AvailableTransition]:
    """Return the actions that matter now. The decision's own banner shows the undo action."""
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


def can_raise_finding(integration: Integration, user: User) -> bool:
    """Whether the user can add findings: reviewers can while the integration is in review."""
    return integration.stage == Stage.REVIEW and permissions.can_decide(integration, user)
