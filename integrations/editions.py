"""What would moving to another edition change, and how is it done? First a dry run, then one action."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from integrations import facts, rules
from integrations.history import record
from integrations.models import Integration, RequirementState
from integrations.programs.base import Edition, Requirement
from integrations.states import Status
from integrations.workflow import NotAllowed, changing


@dataclass(frozen=True, slots=True)
class Plan:
    """What moving one integration to an edition means, before it is done.

    `kept`: (requirement now, requirement then) whose answers are taken along; `dropped` and `added`:
    requirements; `asks_more`: kept ones whose form asks further questions, so that they are open again;
    `blocking`: the added ones that will be missing at once; `facts`: (what, now, then).
    """

    to: Edition
    step: str
    category: str
    kept: tuple[tuple[Requirement, Requirement], ...]
    dropped: tuple[Requirement, ...]
    added: tuple[Requirement, ...]
    asks_more: tuple[Requirement, ...]
    blocking: tuple[Requirement, ...]
    facts: tuple[tuple[str, str, str], ...]


def plan(integration: Integration, to: str, now: datetime) -> Plan:
    """The dry run. Raises NotAllowed where there is no such edition, or it is the one of the integration."""
    new = integration.program.by_date.get(to)
    if new is None or to == integration.edition_date:
        raise NotAllowed("Choose another edition of the same program.")
    old = integration.edition
    names = new.renamed.get(old.date, {})
    pairs = [(r, new.requirement(names.get(r.id, r.id))) for r in old.requirements()]
    kept = tuple((before, after) for before, after in pairs if after is not None)
    taken = {after.id for _, after in kept}
    added = tuple(r for r in new.requirements() if r.id not in taken)
    step = _step(integration, new, names)
    category = names.get(integration.category, integration.category)
    position = new.position(step, integration.stage) if integration.is_open else 0
    return Plan(
        to=new,
        step=step,
        category=category if new.category(category) else "",
        kept=kept,
        dropped=tuple(before for before, after in pairs if after is None),
        added=added,
        asks_more=tuple(after for before, after in kept if _asks_more(before, after)),
        blocking=tuple(r for r in added if not r.optional and new.deadline(r) <= position + 1),
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


def _differences(old: Edition, new: Edition, category: str, new_category: str) -> tuple[tuple[str, str, str], ...]:
    was, will = old.category(category), new.category(new_category)
    rows = (
        ("Edition", old.date, new.date),
        ("Mailbox", old.mailbox, new.mailbox),
        ("Category", was.name if was else category, will.name if will else "to be chosen again"),
        ("Contact", old.contact, new.contact),
        ("Support", old.sla.summary, new.sla.summary),
        ("Licences", old.licences.summary, new.licences.summary),
        ("Tier at release", old.release_tier.name, new.release_tier.name),
        ("Listing", old.listing, new.listing),
        ("Removal", old.removal, new.removal),
    )
    return tuple(row for row in rows if row[1] != row[2])


def move(integration: Integration, to: str, *, by: Any, now: datetime, note: str = "") -> Plan:
    """Move an integration to another edition as plan() says, and write down what changed."""
    with changing(integration, rules.may_decide, by=by, now=now) as row:
        planned = plan(row, to, now)
        before = row.edition_date
        states = {s.requirement_id: s for s in RequirementState.objects.filter(integration=row)}
        for old, new in planned.kept:
            if old.id in states:
                states[old.id].requirement_id = new.id
                if new in planned.asks_more:
                    states[old.id].status = Status.OPEN
                states[old.id].save()
        _rename(row, {old.id: new.id for old, new in planned.kept if old.id != new.id})
        row.edition_date, row.step, row.category = to, planned.step, planned.category
        if row.is_listed:
            row.tier = row.edition.release_tier.key
        facts.forget(row)
        record(
            row, "edition_moved", by=by, now=now, note=note, was=before, to=to,
            added=[r.title for r in planned.added], dropped=[r.title for r in planned.dropped],
        )  # fmt: skip
    return planned


def _rename(row: Integration, names: dict[str, str]) -> None:
    """Everything that hangs on a requirement follows it to its new id. Each row once: names may change places."""
    for rows in (row.findings, row.meetings, row.credentials, row.drafts):
        for each in rows.filter(requirement_id__in=names):
            each.requirement_id = names[each.requirement_id]
            each.save(update_fields=["requirement_id"])
