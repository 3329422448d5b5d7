"""Review page data: requirements with evidence and findings, and the reason why someone can't decide."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Role
from integrations.programs.requirements import Requirement, RequirementKind
from integrations.submissions.forms.requirements import format_answer
from integrations.submissions.models import Document, Finding, Integration, Meeting, RequirementFulfillment
from integrations.submissions.presenters import PARTY_LABELS, RequirementRow, build_row, list_step_rows
from integrations.submissions.selectors import context
from integrations.submissions.services.transitions import AvailableTransition
from integrations.submissions.workflow.states import ResponsibleParty, Stage
from portal.accounts.models import User
from portal.audit.catalog import EVENT_TYPES_BY_TRANSITION
from portal.core.value_types import JsonObject

MAX_CONTACTS = 3
SIGNATURE_LABELS = {
    "version": gettext_noop("Version"),
    "digest": gettext_noop("Digest"),
    "method": gettext_noop("Method"),
    "company_signer": gettext_noop("Signer of the company"),
    "company_title": gettext_noop("Title"),
    "company_signed_at": gettext_noop("Signed on"),
    "program_signer": gettext_noop("Signer of the program"),
    "program_title": gettext_noop("Title"),
    "program_signed_at": gettext_noop("Signed on"),
}
INTERNAL_KEYS = {"waits_for", "documents", "confirmed", "void_reason"}  # bookkeeping, not answers
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
    sections = [
        evidence.build_section(step.step.key, step.step.name, step.rows, is_current=step.state == "current")
        for step in list_step_rows(integration, now)
        if step.rows
    ]
    tier = integration.requested_tier
    if tier is not None:
        rows = [build_row(integration, r, now) for r in tier.requirements if context.is_applicable(r, integration)]
        sections.append(
            evidence.build_section(tier.key, _("Tier %(name)s") % {"name": tier.name}, rows, is_current=True)
        )
    return sections


class _SubmittedEvidence:
    """Submissions for an integration, loaded in three queries for any number of requirements."""

    def __init__(self, integration: Integration) -> None:
        self.partner_name = integration.partner.name
        fulfillments = integration.fulfillments_by_id.values()
        named = [uuid for fulfillment in fulfillments for uuid in fulfillment.data.get("documents", [])]
        documents = Document.objects.filter(partner=integration.partner_id, removed_at=None)
        is_shown = Q(state__in=[fulfillment.pk for fulfillment in fulfillments]) | Q(uuid__in=named)
        self.documents = list(documents.filter(is_shown).order_by("pk"))
        self.findings = _group_by_requirement(integration.all_findings)
        self.meetings = _group_by_requirement(integration.meetings.all())

    def build_section(self, key: str, title: str, rows: Sequence[RequirementRow], *, is_current: bool) -> ReviewSection:
        """Return a section. The page unfolds current ones and those with findings."""
        items = tuple(self.build_item(row) for row in rows)
        is_open = is_current or any(item.findings for item in items)
        return ReviewSection(key, title, items, sum(row.is_met for row in rows), is_open)

    def build_item(self, row: RequirementRow) -> ReviewItem:
        requirement, state = row.requirement, row.state
        is_partner_task = row.responsible == PARTY_LABELS[ResponsibleParty.PARTNER]
        return ReviewItem(
            row=row,
            responsible=self.partner_name if is_partner_task else row.responsible,
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


def get_value_label(key: str) -> str:
    """Return the label of a stored value that is no answer to a question."""
    return _(SIGNATURE_LABELS[key]) if key in SIGNATURE_LABELS else key.replace("_", " ").capitalize()


def list_answers(requirement: Requirement, state: RequirementFulfillment) -> list[tuple[str, str]]:
    """Return the answers in the order of the questions, then values without a question."""
    fields = {field.key: field for field in requirement.fields}
    keys = [*fields, *(key for key in state.data if key not in fields and key not in INTERNAL_KEYS)]
    pairs = [
        (
            fields[key].label if key in fields else get_value_label(key),
            format_answer(fields.get(key), state.data[key]),
        )
        for key in keys
        if key in state.data
    ]
    return [(question, answer) for question, answer in pairs if answer]


def build_reviewer_context(integration: Integration) -> dict[str, object]:
    """Return contacts and test account requirements."""
    requirements = integration.edition.requirements()
    return {
        "contacts": integration.partner.list_members(Role.OWNER, Role.EDITOR)[:MAX_CONTACTS],
        "credentials": [r for r in requirements if r.kind == RequirementKind.CREDENTIALS],
    }


def build_next_action_context(integration: Integration, now: datetime) -> dict[str, object]:
    """Return the responsible party and, in review, the requirements that an approval needs from the partner."""
    automated = _("Decision pending") if integration.is_pending else _("Waiting for automated checks")
    labels = {
        ResponsibleParty.PARTNER: _("Waiting for %(name)s") % {"name": integration.partner.name},
        ResponsibleParty.PROGRAM: _("Action required from the program"),
        ResponsibleParty.MACHINE: automated,
        ResponsibleParty.THIRD_PARTY: _("Waiting for others"),
    }
    responsible_party = integration.responsible_party
    in_review = integration.stage == Stage.REVIEW
    return {
        "responsible_party_label": labels.get(responsible_party, ""),  # type: ignore[call-overload]
        "at_rest": responsible_party == ResponsibleParty.MACHINE,
        "partner_requirements": [
            action.requirement
            for action in context.list_integration_actions(integration, now, ResponsibleParty.PARTNER)
            if in_review and action.requirement
        ],
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
