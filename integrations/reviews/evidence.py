"""Requirements of the review page with their evidence, findings, and comparison with the previous round."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _, ngettext

from integrations.programs.requirements import FulfillingParty, RequirementKind
from integrations.reviews.answers import list_answers
from integrations.reviews.round_comparison import RequirementComparison, compare_evidence
from integrations.submissions.models import Agreement, Document, EvidenceSnapshot, Finding, Integration
from integrations.submissions.presenters import PARTY_LABELS, RequirementRow, build_row, list_step_rows
from integrations.submissions.selectors import context
from integrations.submissions.services.evidence_snapshots import build_evidence, list_document_uuids, name_documents
from integrations.submissions.workflow.states import ResponsibleParty, Status
from portal.core.value_types import JsonObject

PROGRAM_PARTIES = frozenset({FulfillingParty.PROGRAM, FulfillingParty.BOTH})
SUMMARY_ICONS = {RequirementKind.MEETING: "calendar", RequirementKind.CREDENTIALS: "key-round"}
SHARED_KEYS = ("outcome", "summary", "evidence", "inspected_summary", "version")


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """Requirement as a reviewer sees it.

    `responsible` names who can complete it while it is open; `answers` holds (question, answer) pairs; `results` holds
    check results; `comparison` is None without an earlier round.
    """

    row: RequirementRow
    responsible: str
    answers: tuple[tuple[str, str], ...]
    documents: tuple[Document, ...]
    results: tuple[JsonObject, ...]
    findings: tuple[Finding, ...]
    comparison: RequirementComparison | None

    @property
    def note(self) -> str:
        """Return why no one can complete the requirement yet, or why its fulfillment is void."""
        return self.row.blocker or (self.row.state.void_reason if self.row.state else "")

    @property
    def missing(self) -> str:
        """Return that there is no evidence, and who can add it."""
        if self.has_evidence:
            return ""
        text = _("No evidence yet. Waiting for %(name)s.") if self.responsible else _("No evidence.")
        return text % {"name": self.responsible}

    @property
    def difference(self) -> str:
        """Return the state of the comparison with the previous round, blank in the first one."""
        return self.comparison.state if self.comparison else ""

    @property
    def can_complete(self) -> bool:
        """Return whether the program can complete the open requirement."""
        return not self.row.is_met and self.row.requirement.responsible_party in PROGRAM_PARTIES

    @property
    def is_confirmed(self) -> bool:
        """Return whether someone confirmed the statement of an attestation."""
        return self.row.state is not None and bool(self.row.state.data.get("confirmed"))

    @property
    def has_evidence(self) -> bool:
        return bool(self.answers or self.documents or self.results or self.summary or self.is_confirmed)

    @property
    def passed_results(self) -> list[JsonObject]:
        return [result for result in self.results if result.get("outcome") == Status.PASS]

    @property
    def unpassed_results(self) -> list[JsonObject]:
        """Return the results that aren't passed. Checks with the same result are one entry."""
        return merge_equal_results([result for result in self.results if result.get("outcome") != Status.PASS])

    @property
    def has_only_passed_checks(self) -> bool:
        """Return whether automated checks decided on the requirement, and all of them passed."""
        # An answer by a person stays visible, even if the checks about it passed.
        is_automated = self.row.state is not None and self.row.state.submitted_by_id is None
        return is_automated and bool(self.results) and not self.unpassed_results

    @property
    def summary(self) -> str:
        """Return the state of a meeting, or the names of stored test accounts; blank for other kinds."""
        state = self.row.state
        return state.summary if state and self.row.requirement.kind in SUMMARY_ICONS else ""

    @property
    def summary_icon(self) -> str:
        return SUMMARY_ICONS[self.row.requirement.kind]

    @property
    def is_different(self) -> bool:
        """Return whether the evidence is changed or new since the previous round."""
        return self.comparison is not None and self.comparison.state != "unchanged"

    @property
    def open_findings(self) -> int:
        """Return the number of findings that aren't verified."""
        return sum(finding.state != Finding.State.VERIFIED for finding in self.findings)


def merge_equal_results(results: Iterable[JsonObject]) -> list[JsonObject]:
    """Merge check results that differ only in their titles, such as those of checks that wait for the same data.

    The title of a merged result is a count, and `titles` names its checks.
    """
    groups: defaultdict[str, list[JsonObject]] = defaultdict(list)
    for result in results:
        groups[repr([result.get(key) for key in SHARED_KEYS])].append(result)
    return [group[0] if len(group) == 1 else _merge_titles(group) for group in groups.values()]


def _merge_titles(results: Sequence[JsonObject]) -> JsonObject:
    count = len(results)
    title = ngettext("%(count)s check", "%(count)s checks", count) % {"count": count}
    return results[0] | {"title": title, "titles": [str(result.get("title", "")) for result in results]}


@dataclass(frozen=True, slots=True)
class ReviewSection:
    """Program step or requested tier with its requirements. `is_open`: whether the page unfolds it."""

    key: str
    title: str
    items: tuple[ReviewItem, ...]
    is_open: bool

    @property
    def completed_count(self) -> int:
        return sum(item.row.is_met for item in self.items)

    @property
    def summary(self) -> str:
        return _("%(completed)s of %(total)s complete") % {"completed": self.completed_count, "total": len(self.items)}


def load_review_evidence(
    integration: Integration, previous: EvidenceSnapshot | None, now: datetime, *, only_different: bool = False
) -> tuple[list[ReviewSection], Mapping[str, int] | None]:
    """Return all steps with their evidence, then the requirements of the requested tier.

    Also return how many requirements are changed, new, or unchanged since the previous round, or None without one.
    With `only_different`, requirements whose evidence is unchanged since the previous round are left out.
    """
    evidence = _SubmittedEvidence(integration, previous)
    sections = [
        evidence.build_section(step.step.key, step.step.name, step.rows, is_reached=step.state != "next")
        for step in list_step_rows(integration, now)
        if step.rows
    ]
    tier = integration.requested_tier
    if tier is not None:
        rows = [build_row(integration, r, now) for r in tier.requirements if context.is_applicable(r, integration)]
        title = _("Tier %(name)s") % {"name": tier.name}
        sections.append(evidence.build_section(tier.key, title, rows, is_reached=True))
    comparison = None
    if previous is not None:
        states = Counter(item.difference for section in sections for item in section.items)
        comparison = {"round": previous.round} | {state: states[state] for state in ("changed", "new", "unchanged")}
    if only_different and comparison is not None:
        kept = [(each, tuple(item for item in each.items if item.is_different)) for each in sections]
        sections = [replace(section, items=items, is_open=True) for section, items in kept if items]
    return sections, comparison


class _SubmittedEvidence:
    """Evidence of an integration, loaded in at most three queries for any number of requirements."""

    def __init__(self, integration: Integration, previous: EvidenceSnapshot | None) -> None:
        self.partner_name = integration.partner.name
        self.documents = {str(document.uuid): document for document in _load_documents(integration)}
        self.document_names = name_documents(self.documents.values())
        self.findings: dict[str, list[Finding]] = defaultdict(list)
        for finding in integration.all_findings:
            self.findings[finding.requirement_id].append(finding)
        self.snapshot = previous

    def build_section(self, key: str, title: str, rows: Sequence[RequirementRow], *, is_reached: bool) -> ReviewSection:
        """Return a section. The page folds steps to come and steps that a reviewer saw complete in an earlier round.

        It doesn't fold steps with findings or differences.
        """
        items = tuple(self.build_item(row) for row in rows)
        # In the first round, no reviewer has seen a complete step yet.
        was_complete = self.snapshot is not None and all(row.is_met for row in rows)
        # Folded steps must hide nothing that a reviewer has not seen.
        has_news = any(item.findings or item.is_different for item in items)
        is_open = has_news or (is_reached and not was_complete)
        return ReviewSection(key, title, items, is_open)

    def build_item(self, row: RequirementRow) -> ReviewItem:
        requirement = row.requirement
        state = row.state
        # The labels are for partners, who read "you". Reviewers read the name of the company.
        is_partner_task = row.responsible == PARTY_LABELS[ResponsibleParty.PARTNER]
        return ReviewItem(
            row=row,
            responsible=self.partner_name if is_partner_task else row.responsible,
            answers=tuple(list_answers(requirement, state.data)) if state else (),
            documents=tuple(self._list_documents(row)),
            results=tuple(state.detail) if state else (),
            findings=tuple(self.findings[requirement.id]),
            comparison=self._compare(row),
        )

    def _list_documents(self, row: RequirementRow) -> Iterator[Document]:
        """Return documents named in the answer, even of other integrations, and those of the requirement."""
        if row.state is None:
            return iter(())
        # A shared answer names documents that were uploaded with another integration. PDFs of agreements are in no
        # answer.
        uuids = row.state.data.get("documents", [])
        state_id = row.state.pk
        return (each for uuid, each in self.documents.items() if uuid in uuids or each.state_id == state_id)

    def _compare(self, row: RequirementRow) -> RequirementComparison | None:
        if self.snapshot is None:
            return None
        # A requirement that the earlier round didn't have is new, not changed.
        old = self.snapshot.evidence.get(row.requirement.id, {})
        new = build_evidence(row.state, self.document_names) if row.state else {}
        return compare_evidence(row.requirement, old, new)


def _load_documents(integration: Integration) -> Iterable[Document]:
    """Return the documents in answers, and the uploaded PDFs of agreements. Without any, no query is made."""
    states = integration.fulfillments_by_id.values()
    pdf_states = [state.pk for state in states if state.data.get("method") == Agreement.Method.UPLOAD]
    uuids = list_document_uuids(states)
    # Most reviews have no documents, and the page may take only 12 queries.
    if not uuids and not pdf_states:
        return []
    is_evidence = Q(state__in=pdf_states) | Q(uuid__in=uuids)
    return Document.objects.filter(is_evidence, partner=integration.partner_id, removed_at=None).order_by("pk")
