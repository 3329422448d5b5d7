"""Migration of an integration to another edition of its program: a dry run, then one action."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.db import transaction
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.comparison import EditionComparison, TextDifference
from integrations.programs.requirements import Requirement
from integrations.programs.schema import Edition, Tier
from integrations.submissions.models import Finding, Integration, RequirementFulfillment
from integrations.submissions.services.changes import change_integration
from integrations.submissions.services.removed_requirements import end_removed_requirements
from integrations.submissions.services.transitions import lock_partner
from integrations.submissions.workflow.states import Status
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject
from portal.ui.components.moments import format_clock

EARLIEST_MOMENT = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TierChange:
    """What becomes of a tier that the new edition lacks or names differently. `old` and `new` are names of tiers."""

    code: Literal["replaced", "renamed", "request_ended"]
    old: str
    new: str = ""


@dataclass(frozen=True, slots=True)
class EditionMigrationPlan:
    """Effects of a migration to another edition.

    `comparison`: the two editions, of which retained requirements keep their answers and extended ones are open again;
    `duplicates`: retained ones with answers under both IDs; `blocking`: new ones that block the next step;
    `differences`: (label, old, new).
    """

    step: str
    category: str
    comparison: EditionComparison
    duplicates: tuple[Requirement, ...]
    blocking: tuple[Requirement, ...]
    tier_changes: tuple[TierChange, ...]
    differences: tuple[TextDifference, ...]


def plan_migration(integration: Integration, edition_date: str, now: datetime) -> EditionMigrationPlan:
    """Return the plan of a migration. Raises ActionRefused for an unknown edition or the current one."""
    new_edition = integration.program.by_date.get(edition_date)
    if new_edition is None or edition_date == integration.edition_date:
        raise ActionRefused(_("Select another edition of the same program."), "validation-error")
    old_edition = integration.edition
    comparison = EditionComparison(old_edition, new_edition)
    step = _get_target_step(integration, comparison)
    category = comparison.get_new_key(integration.category)
    answered_ids = integration.fulfillments_by_id.keys()
    # An ended integration has none of the stages of the path.
    position = new_edition.get_position(step, integration.stage) if integration.is_open else 0
    return EditionMigrationPlan(
        step=step,
        category=category if new_edition.get_category(category) else "",
        comparison=comparison,
        duplicates=tuple(
            new
            for old, new in comparison.retained_pairs
            # If two IDs swap, each answer moves and none is replaced.
            if old.id != new.id and {old.id, new.id} <= answered_ids and comparison.get_new_key(new.id) == new.id
        ),
        blocking=tuple(
            r for r in comparison.new_requirements if not r.optional and new_edition.get_deadline(r) <= position + 1
        ),
        tier_changes=tuple(_find_tier_changes(integration, new_edition)),
        differences=_list_differences(comparison, integration.category, category),
    )


def _get_target_step(integration: Integration, comparison: EditionComparison) -> str:
    """Return the new step: with the same (or renamed) key and stage, or else the first of that stage."""
    positions = comparison.new.positions
    steps = [step.key for step, stage in positions if stage == integration.stage or not integration.is_open]
    preferred_step = comparison.get_new_key(integration.step)
    return preferred_step if preferred_step in steps else steps[0]


def get_target_tier(integration: Integration, new_edition: Edition) -> Tier | None:
    """Return the tier in another edition: the same one, or else the release tier for a listed integration."""
    return new_edition.get_tier(integration.tier) or (new_edition.release_tier if integration.is_listed else None)


def _find_tier_changes(integration: Integration, new_edition: Edition) -> Iterator[TierChange]:
    """Yield what changes for the tier and a requested tier."""
    old_tier = integration.current_tier
    new_tier = get_target_tier(integration, new_edition)
    if old_tier is not None and new_tier is not None and old_tier.name != new_tier.name:
        yield TierChange("replaced" if old_tier.on_request else "renamed", old_tier.name, new_tier.name)
    requested_tier = integration.requested_tier
    if requested_tier is not None and new_edition.get_tier(requested_tier.key) is None:
        yield TierChange("request_ended", requested_tier.name)


def _list_differences(comparison: EditionComparison, category: str, new_category: str) -> tuple[TextDifference, ...]:
    old_entry = comparison.old.get_category(category)
    new_entry = comparison.new.get_category(new_category)
    names = (old_entry.name if old_entry else category, new_entry.name if new_entry else _("Select again"))
    category_row = ((_("Category"), *names),) if names[0] != names[1] else ()
    return (*comparison.list_text_differences(), *category_row)


def migrate_edition(
    integration: Integration, edition_date: str, *, actor: User | None, now: datetime, note: str = ""
) -> EditionMigrationPlan:
    """Migrate an integration as planned and record the changes.

    Raises ActionRefused, also while a decision can be undone.
    """
    with transaction.atomic():
        # The reaction to the event copies what the partner's integrations share.
        lock_partner(integration.partner_id)
        with change_integration(integration, permissions.can_decide, actor=actor, now=now) as change:
            row = change.integration
            # The undo would restore a step of the old edition.
            if row.undo_until is not None and row.undo_until > now:
                message = _("The last decision can be undone until %(undo_until)s. Change the edition after that.")
                raise ActionRefused(message % {"undo_until": format_clock(row.undo_until)})
            # Planned again under the lock, because the page showed the plan for an earlier state.
            plan = plan_migration(row, edition_date, now)
            new_ids = {old.id: new.id for old, new in plan.comparison.retained_pairs if old.id != new.id}
            replaced_answers = _rename_requirements(row, new_ids, now)
            _reopen_requirements(row, plan.comparison.extended_requirements)
            _apply_edition(row, plan)
            end_removed_requirements(row, now)
        # After the change is saved, because the email states the next action in the new edition.
        change.record(
            "integration.edition_moved",
            note,
            old_edition=plan.comparison.old.date,
            new_edition=edition_date,
            replaced=replaced_answers,
            added=[r.title for r in plan.comparison.new_requirements],
            removed=[r.title for r in plan.comparison.removed_requirements],
            tier_changes=[asdict(tier_change) for tier_change in plan.tier_changes],
        )
    return plan


def _rename_requirements(integration: Integration, new_ids: Mapping[str, str], now: datetime) -> list[JsonObject]:
    """Move everything that refers to an ID in `new_ids` to the new ID. Call with the integration locked.

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
    return _rename_answers(integration, new_ids, now)


def _release_old_ids(rows: Any, new_ids: Mapping[str, str]) -> Iterator[tuple[Any, str]]:
    """Yield each row with its new ID. All rows leave their old ID first, because two IDs can swap."""
    moves = [(item, new_ids[item.requirement_id]) for item in rows.filter(requirement_id__in=new_ids).order_by("pk")]
    for item, _new_id in moves:
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
            finding.state = Finding.State.VERIFIED
            finding.verified_at = now
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


def _rename_answers(integration: Integration, new_ids: Mapping[str, str], now: datetime) -> list[JsonObject]:
    replaced_answers = []
    for state, new_id in _release_old_ids(integration.fulfillments, new_ids):
        existing = integration.fulfillments.filter(requirement_id=new_id).first()
        newest = state
        if existing is not None:
            # A requirement that only a check or a draft touched has no time, and any answer is newer.
            older, newest = sorted((existing, state), key=lambda item: item.submitted_at or EARLIEST_MOMENT)
            replaced_answers += _merge_answer(older, newest, new_id, now)
        _assign_requirement(newest, new_id)
    return replaced_answers


def _merge_answer(
    older: RequirementFulfillment, newest: RequirementFulfillment, new_id: str, now: datetime
) -> list[JsonObject]:
    """Merge an older answer with its documents, longer waiver, and waiver request into a newer one.

    Returns:
        The older answer for the history, empty if there was none.
    """
    replaced_answer = {
        "requirement": new_id,
        "status": str(older.status),
        "data": older.data,
        "submitted_by": str(older.submitted_by or ""),
        "submitted_at": older.submitted_at.isoformat() if older.submitted_at else "",
    }
    older.documents.update(state=newest)
    if older.waiver_expires_at and older.waiver_expires_at > (newest.waiver_expires_at or EARLIEST_MOMENT):
        newest.waived_by = older.waived_by
        newest.waiver_reason = older.waiver_reason
        newest.waiver_expires_at = older.waiver_expires_at
    if newest.waiver_requested_at is None:
        newest.waiver_requested_at = older.waiver_requested_at
        newest.waiver_request_reason = older.waiver_request_reason
    newest.clear_fulfilled_request(now)
    newest.version = max(newest.version, older.version) + 1  # open pages of either answer become outdated
    newest.save()
    older.delete()
    return [replaced_answer] if older.status != Status.OPEN or older.data else []


def _reopen_requirements(integration: Integration, requirements: tuple[Requirement, ...]) -> None:
    """Reopen requirements whose answers lack new required questions."""
    for requirement in requirements:
        for state in integration.fulfillments.filter(requirement_id=requirement.id):
            if any(field.required and field.key not in state.data for field in requirement.fields):
                state.status = Status.OPEN
                state.save(update_fields=["status"])


def _apply_edition(integration: Integration, plan: EditionMigrationPlan) -> None:
    # A listing always has a tier, so one that the new edition lacks is replaced by the release tier.
    edition = plan.comparison.new
    tier = get_target_tier(integration, edition)
    integration.tier = tier.key if tier else ""
    if edition.get_tier(integration.tier_request) is None:
        integration.tier_request = ""
    offerings = (plan.comparison.get_new_key(offering) for offering in integration.offerings)
    integration.offerings = [offering for offering in dict.fromkeys(offerings) if offering in edition.offerings]
    integration.edition_date = edition.date
    integration.step = plan.step
    integration.category = plan.category
