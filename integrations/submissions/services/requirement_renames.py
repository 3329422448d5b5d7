"""How does everything that hangs on a requirement follow it to its new id? Called with the integration locked."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from integrations.submissions.models import Finding, Integration, RequirementState
from integrations.submissions.workflow.states import Status

LONG_AGO = datetime.min.replace(tzinfo=UTC)


def follow(row: Integration, names: Mapping[str, str], now: datetime) -> list[dict[str, Any]]:
    """Move what hangs on each id of `names` to the id that it maps to.

    Where answers stand under both, the newer counts. Returns the older ones as JSON, for the history.
    """
    for rows in (row.meetings, row.credentials):
        for each, goal in _set_aside(rows, names):
            _name(each, goal)
    _findings(row, names, now)
    _drafts(row, names, now)
    return _answers(row, names)


def _set_aside(rows: Any, names: Mapping[str, str]) -> Iterator[tuple[Any, str]]:
    """Each row with its new id. All of them leave their old one first, since names may change places."""
    moving = [(each, names[each.requirement_id]) for each in rows.filter(requirement_id__in=names).order_by("pk")]
    for each, _ in moving:
        _name(each, f"~{each.pk}")
    yield from moving


def _name(each: Any, requirement_id: str) -> None:
    each.requirement_id = requirement_id
    each.save(update_fields=["requirement_id"])


def _findings(row: Integration, names: Mapping[str, str], now: datetime) -> None:
    """The machine keeps one unsettled finding a requirement: a second one goes on as the first."""
    unsettled = row.findings.exclude(due_at=None).exclude(state=Finding.State.VERIFIED)
    for finding, goal in _set_aside(row.findings, names):
        is_open = finding.due_at is not None and finding.state != Finding.State.VERIFIED
        twin = unsettled.filter(requirement_id=goal).first() if is_open else None
        if twin is not None:
            finding.state, finding.verified_at = Finding.State.VERIFIED, now
            finding.answer = finding.answer or f"Goes on as finding {twin.number}."
            finding.save()
        _name(finding, goal)


def _drafts(row: Integration, names: Mapping[str, str], now: datetime) -> None:
    """One draft a requirement is open: of two the one that was saved last."""
    for draft, goal in _set_aside(row.drafts, names):
        twin = row.drafts.filter(requirement_id=goal, sent_at=None).first() if draft.sent_at is None else None
        if twin is not None:
            older = min((draft, twin), key=lambda each: each.saved_at)
            older.sent_at = now
            older.save()
        _name(draft, goal)


def _answers(row: Integration, names: Mapping[str, str]) -> list[dict[str, Any]]:
    replaced = []
    for state, goal in _set_aside(row.states, names):
        twin = row.states.filter(requirement_id=goal).first()
        newest = state
        if twin is not None:
            older, newest = sorted((twin, state), key=lambda each: each.given_at or LONG_AGO)
            replaced += _replace(older, newest, goal)
        _name(newest, goal)
    return replaced


def _replace(older: RequirementState, newest: RequirementState, goal: str) -> list[dict[str, Any]]:
    """Take one answer into another, with its documents and a longer waiver; what it said goes into the history."""
    told = {
        "requirement": goal,
        "status": str(older.status),
        "data": older.data,
        "given_by": str(older.given_by or ""),
        "given_at": older.given_at.isoformat() if older.given_at else "",
    }
    older.documents.update(state=newest)
    if older.waived_until and older.waived_until > (newest.waived_until or LONG_AGO):
        newest.waived_by, newest.waiver_reason = older.waived_by, older.waiver_reason
        newest.waived_until = older.waived_until
    newest.version = max(newest.version, older.version) + 1  # a page that shows either is out of date
    newest.save()
    older.delete()
    return [told] if older.status != Status.OPEN or older.data else []
