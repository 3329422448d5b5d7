"""Migration of an integration to another edition of its program: a dry run, then one action."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.comparison import EditionComparison, TextDifference
from integrations.programs.requirements import Requirement
from integrations.programs.schema import Edition, Tier
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context as context_selectors
from integrations.submissions.services import requirement_renames
from integrations.submissions.services.changes import change_integration
from integrations.submissions.workflow.states import Status
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.ui.components.moments import format_clock


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

    to: Edition
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
        raise ActionRefused(_("Select another edition of the same program."))
    old_edition = integration.edition
    comparison = EditionComparison(old_edition, new_edition)
    step = _get_target_step(integration, comparison)
    category = comparison.rename(integration.category)
    answered_ids = integration.fulfillments_by_id.keys()
    # An ended integration has none of the stages of the path.
    position = new_edition.get_position(step, integration.stage) if integration.is_open else 0
    return EditionMigrationPlan(
        to=new_edition,
        step=step,
        category=category if new_edition.get_category(category) else "",
        comparison=comparison,
        duplicates=tuple(
            new
            for old, new in comparison.retained_pairs
            # If two IDs swap, each answer moves and none is replaced.
            if old.id != new.id and {old.id, new.id} <= answered_ids and comparison.rename(new.id) == new.id
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
    preferred_step = comparison.rename(integration.step)
    return preferred_step if preferred_step in steps else steps[0]


def get_target_tier(integration: Integration, new_edition: Edition) -> Tier | None:
    """Return the tier in another edition: the same one, or else the release tier for a listed integration."""
    return new_edition.get_tier(integration.tier) or (new_edition.release_tier if integration.is_listed else None)


def _find_tier_changes(integration: Integration, new_edition: Edition) -> Iterator[TierChange]:
    """Yield what changes for the tier and a requested tier."""
    old_tier, new_tier = integration.current_tier, get_target_tier(integration, new_edition)
    if old_tier is not None and new_tier is not None and old_tier.name != new_tier.name:
        yield TierChange("replaced" if old_tier.on_request else "renamed", old_tier.name, new_tier.name)
    requested_tier = integration.requested_tier
    if requested_tier is not None and new_edition.get_tier(requested_tier.key) is None:
        yield TierChange("request_ended", requested_tier.name)


def _list_differences(comparison: EditionComparison, category: str, new_category: str) -> tuple[TextDifference, ...]:
    old_entry, new_entry = comparison.old.get_category(category), comparison.new.get_category(new_category)
    names = (old_entry.name if old_entry else category, new_entry.name if new_entry else _("Select again"))
    category_row = ((_("Category"), *names),) if names[0] != names[1] else ()
    return (*comparison.list_text_differences(), *category_row)


def migrate_edition(
    integration: Integration, edition_date: str, *, actor: User | None, now: datetime, note: str = ""
) -> EditionMigrationPlan:
    """Migrate an integration as planned and record the changes.

    Raises ActionRefused, also while a decision can be undone.
    """
    with change_integration(integration, permissions.can_decide, actor=actor, now=now) as change:
        row, previous_date = change.integration, change.integration.edition_date
        # The undo would restore a step of the old edition.
        if row.undo_until is not None and row.undo_until > now:
            message = _("The last decision can be undone until %(undo_until)s. Change the edition after that.")
            raise ActionRefused(message % {"undo_until": format_clock(row.undo_until)})
        # Planned again under the lock, because the page showed the plan for an earlier state.
        plan = plan_migration(row, edition_date, now)
        new_ids = {old.id: new.id for old, new in plan.comparison.retained_pairs if old.id != new.id}
        replaced_answers = requirement_renames.rename_requirements(row, new_ids, now)
        _reopen_requirements(row, plan.comparison.extended_requirements)
        _apply_edition(row, plan)
        context_selectors.clear_cache(row)
        change.record(
            "integration.edition_moved",
            note,
            old_edition=previous_date,
            new_edition=edition_date,
            replaced=replaced_answers,
            added=[r.title for r in plan.comparison.new_requirements],
            removed=[r.title for r in plan.comparison.removed_requirements],
            tier_changes=[asdict(tier_change) for tier_change in plan.tier_changes],
        )
    return plan


def _reopen_requirements(integration: Integration, requirements: tuple[Requirement, ...]) -> None:
    """Reopen requirements whose answers lack new required questions."""
    for requirement in requirements:
        for state in integration.fulfillments.filter(requirement_id=requirement.id):
            if any(field.required and field.key not in state.data for field in requirement.fields):
                state.status = Status.OPEN
                state.save(update_fields=["status"])


def _apply_edition(integration: Integration, plan: EditionMigrationPlan) -> None:
    # A listing always has a tier, so one that the new edition lacks is replaced by the release tier.
    tier = get_target_tier(integration, plan.to)
    integration.tier = tier.key if tier else ""
    if plan.to.get_tier(integration.tier_request) is None:
        integration.tier_request = ""
    offerings = (plan.comparison.rename(offering) for offering in integration.offerings)
    integration.offerings = [offering for offering in dict.fromkeys(offerings) if offering in plan.to.offerings]
    integration.edition_date, integration.step, integration.category = plan.to.date, plan.step, plan.category
