"""What would moving to another edition change, and how is it done? First a dry run, then one action."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.programs.schema import Edition, Requirement, Tier
from integrations.submissions.models import Integration, RequirementState
from integrations.submissions.selectors import context as facts
from integrations.submissions.services import requirement_renames
from integrations.submissions.services.transitions import changing
from integrations.submissions.workflow.states import Status
from portal.audit.services import record
from portal.core.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class Plan:
    """What moving one integration to an edition means, before it is done.

    `kept`: (requirement now, requirement then) whose answers are taken along; `dropped` and `added`:
    requirements; `asks_more`: kept ones whose form asks further questions, so that they are open again;
    `twice`: kept ones that are answered under both ids; `blocking`: the added ones that will be missing at once;
    `facts`: (what, now, then); `tier`: what becomes of the tier and of one that is asked for, in sentences.
    """

    to: Edition
    step: str
    category: str
    kept: tuple[tuple[Requirement, Requirement], ...]
    dropped: tuple[Requirement, ...]
    added: tuple[Requirement, ...]
    asks_more: tuple[Requirement, ...]
    twice: tuple[Requirement, ...]
    blocking: tuple[Requirement, ...]
    tier: tuple[str, ...]
    facts: tuple[tuple[str, str, str], ...]


def plan(integration: Integration, to: str, now: datetime) -> Plan:
    """The dry run. Raises NotAllowed where there is no such edition, or it is the one of the integration."""
    new = integration.program.by_date.get(to)
    if new is None or to == integration.edition_date:
        raise NotAllowed(gettext("Choose another edition of the same program."))
    old = integration.edition
    names = new.renamed.get(old.date, {})
    pairs = [(r, new.requirement(names.get(r.id, r.id))) for r in old.requirements()]
    kept = tuple((before, after) for before, after in pairs if after is not None)
    taken = {after.id for _, after in kept}
    added = tuple(r for r in new.requirements() if r.id not in taken)
    step = _step(integration, new, names)
    category = names.get(integration.category, integration.category)
    answered = facts.states_of(integration)
    position = new.position(step, integration.stage) if integration.is_open else 0
    return Plan(
        to=new,
        step=step,
        category=category if new.category(category) else "",
        kept=kept,
        dropped=tuple(before for before, after in pairs if after is None),
        added=added,
        asks_more=tuple(after for before, after in kept if _asks_more(before, after)),
        twice=tuple(a for b, a in kept if b.id != a.id and {b.id, a.id} <= set(answered) and a.id not in names),
        blocking=tuple(r for r in added if not r.optional and new.deadline(r) <= position + 1),
        tier=tuple(_tier_told(integration, new)),
        facts=_differences(old, new, integration.category, category),
    )


def _asks_more(before: Requirement, after: Requirement) -> bool:
    """Whether the newer form has questions that the older one did not ask and that must be answered."""
    asked = {field.key for field in before.fields}
    return any(field.required and field.key not in asked for field in after.fields)


def _step(integration: Integration, new: Edition, names: Any) -> str:
    """The step of the new path: of the same (or renamed) key and stage, else the first of that stage."""
    wanted = names.get(integration.step, integration.step)
    fitting = [step.key for step, stage in new.positions() if stage == integration.stage]
    if not integration.is_open:
        fitting = [step.key for step in new.steps]
    return wanted if wanted in fitting else fitting[0]


def tier_in(integration: Integration, new: Edition) -> Tier | None:
    """The tier of a listed integration in another edition: the same where that has it, else the one at release."""
    return (new.tier(integration.tier) or new.release_tier) if integration.is_listed else None


def _tier_told(integration: Integration, new: Edition) -> Iterator[str]:
    """What becomes of the tier, and of a tier that is asked for."""
    was, will = integration.edition.tier(integration.tier), tier_in(integration, new)
    if was is not None and will is not None and was.name != will.name:
        yield (
            f"The tier {was.name} becomes {will.name}."
            if not was.on_request
            else (
                f"The tier {was.name} is taken back, since this edition has none of that name: it becomes {will.name}. "
                "What was handed in for it is kept."
            )
        )
    asked = integration.edition.tier(integration.tier_request) if integration.tier_request else None
    if asked is not None and new.tier(asked.key) is None:
        yield f"The question for the tier {asked.name} ends, since this edition has none of that name."


def _differences(old: Edition, new: Edition, category: str, new_category: str) -> tuple[tuple[str, str, str], ...]:
    was, will = old.category(category), new.category(new_category)
    rows = (
        (_("Edition"), old.date, new.date),
        (_("Mailbox"), old.mailbox, new.mailbox),
        (_("Category"), was.name if was else category, will.name if will else _("to be chosen again")),
        (_("Contact"), old.contact, new.contact),
        (_("Support"), old.sla.summary, new.sla.summary),
        (_("Licences"), old.licences.summary, new.licences.summary),
        (_("Tier at release"), old.release_tier.name, new.release_tier.name),
        (_("Listing"), old.listing, new.listing),
        (_("Removal"), old.removal, new.removal),
    )
    return tuple(row for row in rows if row[1] != row[2])


def move(integration: Integration, to: str, *, by: Any, now: datetime, note: str = "") -> Plan:
    """Move an integration to another edition as plan() says, and write down what changed.

    Raises NotAllowed, also while a decision can be undone: it would lead back onto a path that is no longer its own.
    """
    with changing(integration, permissions.may_decide, by=by, now=now) as row:
        if row.undo_until is not None and row.undo_until > now:
            raise NotAllowed(
                _("The last decision can still be undone until %(undo_until)s UTC: move it then.")
                % {"undo_until": f"{row.undo_until:%H:%M}"}
            )
        planned, before = plan(row, to, now), row.edition_date
        replaced = requirement_renames.follow(
            row, {old.id: new.id for old, new in planned.kept if old.id != new.id}, now
        )
        _open_again(row, planned.asks_more)
        _enter(row, planned)
        facts.forget(row)
        record(
            row, "edition_moved", by=by, now=now, note=note, was=before, to=to, replaced=replaced,
            added=[r.title for r in planned.added], dropped=[r.title for r in planned.dropped],
            tier_told=list(planned.tier),
        )  # fmt: skip
    return planned


def _open_again(row: Integration, asks_more: tuple[Requirement, ...]) -> None:
    """What was answered before the newer form asked more is open until that is answered too."""
    for requirement in asks_more:
        for state in RequirementState.objects.filter(integration=row, requirement_id=requirement.id):
            if any(field.required and field.key not in state.data for field in requirement.fields):
                state.status = Status.OPEN
                state.save(update_fields=["status"])


def _enter(row: Integration, planned: Plan) -> None:
    tier = tier_in(row, planned.to)
    row.tier = tier.key if tier else ""
    if planned.to.tier(row.tier_request) is None:
        row.tier_request = ""
    row.edition_date, row.step, row.category = planned.to.date, planned.step, planned.category
