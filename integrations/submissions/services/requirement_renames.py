"""Renames of requirements in an edition migration. Call with the integration locked."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from integrations.submissions.models import Finding, Integration, RequirementFulfillment
from integrations.submissions.workflow.states import Status
from portal.core.value_types import JsonObject

EARLIEST_MOMENT = datetime.min.replace(tzinfo=UTC)


def rename_requirements(integration: Integration, new_ids: Mapping[str, str], now: datetime) -> list[JsonObject]:
    """Move everything that refers to an ID in `new_ids` to the new ID.

    If both IDs have answers, the newer one counts. Return the older ones as JSON for the history.
    """
    for rows in (integration.meetings, integration.credentials):
        for item, new_id in _release_old_ids(rows, new_ids):
            _assign_requirement(item, new_id)
    _rename_findings(integration, new_ids, now)
    _rename_drafts(integration, new_ids, now)
    for snapshot in integration.evidence_snapshots.all():
        snapshot.evidence = {new_ids.get(id, id): evidence for id, evidence in snapshot.evidence.items()}
        snapshot.save(update_fields=["evidence"])
    return _rename_answers(integration, new_ids)


def _release_old_ids(rows: Any, new_ids: Mapping[str, str]) -> Iterator[tuple[Any, str]]:
    """Yield each row with its new ID. All rows leave their old ID first, because two IDs can swap."""
    moves = [(item, new_ids[item.requirement_id]) for item in rows.filter(requirement_id__in=new_ids).order_by("pk")]
    for item, _ in moves:
        # A placeholder for as long as another row has the new ID, which unique constraints refuse.
        _assign_requirement(item, f"~{item.pk}")
    yield from moves


def _assign_requirement(item: Any, requirement_id: str) -> None:
    item.requirement_id = requirement_id
    item.save(update_fields=["requirement_id"])


def _rename_findings(integration: Integration, new_ids: Mapping[str, str], now: datetime) -> None:
    """Rename findings. A requirement has one open automatic finding, so a second one ends."""
    open_findings = integration.findings.exclude(due_at=None).exclude(state=Finding.State.VERIFIED)
    for finding, new_id in _release_old_ids(integration.findings, new_ids):
        is_open = finding.due_at is not None and finding.state != Finding.State.VERIFIED
        existing = open_findings.filter(requirement_id=new_id).first() if is_open else None
        if existing is not None:
            finding.state, finding.verified_at = Finding.State.VERIFIED, now
            finding.answer = finding.answer or f"Merged into finding {existing.number}."
            finding.save()
        _assign_requirement(finding, new_id)


def _rename_drafts(integration: Integration, new_ids: Mapping[str, str], now: datetime) -> None:
    """Rename drafts. A requirement has one open draft, so the older of two ends."""
    for draft, new_id in _release_old_ids(integration.drafts, new_ids):
        open_drafts = integration.drafts.filter(requirement_id=new_id, sent_at=None)
        existing = open_drafts.first() if draft.sent_at is None else None
        if existing is not None:
            older = min((draft, existing), key=lambda item: item.saved_at)
            older.sent_at = now
            older.save()
        _assign_requirement(draft, new_id)


def _rename_answers(integration: Integration, new_ids: Mapping[str, str]) -> list[JsonObject]:
    replaced_answers = []
    for state, new_id in _release_old_ids(integration.fulfillments, new_ids):
        existing = integration.fulfillments.filter(requirement_id=new_id).first()
        newest = state
        if existing is not None:
            # A requirement that only a check or a draft touched has no time, and any answer is newer.
            older, newest = sorted((existing, state), key=lambda item: item.submitted_at or EARLIEST_MOMENT)
            replaced_answers += _merge_answer(older, newest, new_id)
        _assign_requirement(newest, new_id)
    return replaced_answers


def _merge_answer(older: RequirementFulfillment, newest: RequirementFulfillment, new_id: str) -> list[JsonObject]:
    """Merge an older answer, its documents, and a longer waiver into a newer one. Return it for the history."""
    replaced_answer = {
        "requirement": new_id,
        "status": str(older.status),
        "data": older.data,
        "submitted_by": str(older.submitted_by or ""),
        "submitted_at": older.submitted_at.isoformat() if older.submitted_at else "",
    }
    older.documents.update(state=newest)
    if older.waiver_expires_at and older.waiver_expires_at > (newest.waiver_expires_at or EARLIEST_MOMENT):
        newest.waived_by, newest.waiver_reason = older.waived_by, older.waiver_reason
        newest.waiver_expires_at = older.waiver_expires_at
    newest.version = max(newest.version, older.version) + 1  # open pages of either answer become outdated
    newest.save()
    older.delete()
    return [replaced_answer] if older.status != Status.OPEN or older.data else []
