"""How is a step taken? The one door: lock, find, may they, is it ready, take it, save, write it down.

Every refusal is a NotAllowed whose text is fit to show. Writes that are not steps come through changing().
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django_fsm import Transition

from integrations.partners import permissions
from integrations.submissions.models.integration import WRITTEN, Integration
from integrations.submissions.selectors import context
from integrations.submissions.workflow import evidence as due_process
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.states import Holder, turn_of
from portal.audit.models import Event
from portal.audit.services import pass_turn, record
from portal.core import business_time
from portal.core.errors import NotAllowed

PROGRAM_CALENDAR = business_time.Calendar()
TURN_MOMENTS = ("turn_since", "turn_due_at")


@dataclass(frozen=True, slots=True)
class Action:
    """A button: the step, its label, and what stands in the way, if anything."""

    name: str
    label: str
    tone: str
    note: str
    mail: str
    is_decision: bool
    blockers: tuple[str, ...]

    @property
    def is_ready(self) -> bool:
        return not self.blockers

    @property
    def blocked(self) -> str:
        """What stands in the way, in one line; blank when nothing does."""
        return " ".join(self.blockers)


def all_steps() -> list[tuple[str, Transition]]:
    """Every step of the model, from each place that it leads on from, with the field that it moves."""
    fields = [Integration._meta.get_field(name) for name in ("stage", "standing")]
    return [(field.name, step) for field in fields for step in field.get_all_transitions(Integration)]  # type: ignore[union-attr]


def steps_from(integration: Integration) -> dict[str, Transition]:
    """Every step that leads on from where the integration is, by name, whoever may take it."""
    return {step.name: step for field, step in all_steps() if step.source in (getattr(integration, field), "*")}


def blockers(integration: Integration, step: Transition) -> list[str]:
    """The sentences of the guards that say no."""
    return [guards.why_not(ready, integration) for ready in step.conditions if not ready(integration)]


def actions(integration: Integration, user: Any, *, now: datetime | None = None) -> list[Action]:
    """The buttons of this person: what they may do, in the order of the model, with what blocks each."""
    integration.asking = guards.Asking(now or timezone.now(), user)
    order = WRITTEN
    allowed = [s for s in steps_from(integration).values() if s.has_perm(integration, user)]
    return [
        Action(
            name=step.name,
            label=_(step.custom["label"]),
            tone=step.custom["tone"],
            note=_(step.custom.get("note", "")),
            mail=step.custom.get("mail", ""),
            is_decision=step.custom.get("decision", False),
            blockers=tuple(blockers(integration, step)),
        )
        for step in sorted(allowed, key=lambda s: order.index(s.name))
    ]


def lock(pk: int) -> Integration:
    """The row as it is now, held until the transaction ends (SQLite: its transactions begin immediate)."""
    row = Integration.objects.select_for_update(of=("self",)).select_related("partner").get(pk=pk)
    row.__dict__["_held"] = context.held(row)
    context.forget(row)  # who locks is about to change them
    return row


def perform(
    integration: Integration,
    step: str,
    *,
    by: Any,
    note: str = "",
    version: int | None = None,
    now: datetime | None = None,
    **inputs: Any,
) -> Event:
    """Take one step. `by` is a person, or None for the machine; `version` is the row the person looked at.

    Raises NotAllowed. The row that was passed in is left as it is: read it again.
    """
    now = now or timezone.now()
    with transaction.atomic():
        row = lock(integration.pk)
        row.asking = guards.Asking(now, by, note, inputs)
        _refuse_person(row, step, by)
        found = _find(row, step, version)
        in_the_way = blockers(row, found)
        if in_the_way:
            raise NotAllowed(" ".join(in_the_way))
        before, undone = _as_it_stands(row), row.undo
        frozen: dict[str, Any] = {"evidence": due_process.evidence(row, now)} if found.custom.get("evidence") else {}
        getattr(row, step)(by=by, note=note, now=now, **inputs)
        _remember_decision(row, found, before, by, now)
        refresh(row, now, back=step == "undo_decision")
        if step == "undo_decision":
            _restore_turn(row, undone)
        row.save()
        return record(row, step, by=by, now=now, note=note, **_told(row, found, before), **frozen, **inputs)


def _as_it_stands(row: Integration) -> dict[str, Any]:
    """What undoing a decision brings back, as JSON."""
    moments = {key: getattr(row, key).isoformat() if getattr(row, key) else None for key in TURN_MOMENTS}
    keys = ("stage", "step", "review_state", "tier", "tier_request", "standing")
    plain = {key: str(getattr(row, key)) for key in keys}
    return {**plain, **moments}


def _restore_turn(row: Integration, undone: dict[str, Any]) -> None:
    """A decision that was undone costs nobody a day: the turn goes on as if it had never been interrupted."""
    for key in TURN_MOMENTS:
        kept = undone.get(key)
        setattr(row, key, datetime.fromisoformat(kept) if kept else None)


def _refuse_person(row: Integration, step: str, by: Any) -> None:
    """Whoever may not take this step hears that first, whatever has become of the integration."""
    here = steps_from(row).get(step)
    ways = [here] if here else [way for _, way in all_steps() if way.name == step]
    if ways and not any(way.has_perm(row, by) for way in ways):
        raise NotAllowed(permissions.refusal(ways[0].permission.__name__), "may")  # type: ignore[union-attr]


def _find(row: Integration, step: str, version: int | None) -> Transition:
    found = steps_from(row).get(step)
    moved_on = version is not None and version != row.version
    if moved_on:
        last = row.events.exclude(internal=True).last()
        who, what = (last.actor or _("The portal"), last.verb.replace("_", " ")) if last else (_("Somebody"), "changed")
        at = _(" on %(at)s UTC") % {"at": f"{last.at:%d %b, %H:%M}"} if last else ""
        raise NotAllowed(
            _("%(who)s was faster: “%(what)s”%(at)s. Look again.") % {"who": who, "what": what, "at": at}, "stale"
        )
    if found is None:
        raise NotAllowed(
            _("This step does not lead on from here: it is in %(stage)s now.") % {"stage": row.stage}, "gone"
        )
    return found


def _remember_decision(row: Integration, step: Transition, before: dict[str, Any], by: Any, now: datetime) -> None:
    """A decision can be undone for a while; any other step makes it final, and undoing it clears it."""
    row.decision, row.decided_by, row.undo_until, row.undo = "", None, None, {}
    window = timedelta(minutes=settings.UNDO_MINUTES)
    if step.custom.get("decision") and window:
        row.decision, row.decided_by = step.name, by
        row.undo_until, row.undo = now + window, before


def _told(row: Integration, step: Transition, before: dict[str, Any]) -> dict[str, Any]:
    """What the event says beside the verb: from where to where, the round, and until when it can be undone."""
    told: dict[str, Any] = {
        "label": step.custom.get("label", step.name),
        "from": [before["stage"], before["step"]],
        "to": [str(row.stage), row.step],
        "to_step": row.current_step.name,
        "round": row.review_round,
    }
    if before["tier_request"] and not row.tier_request:
        told["tier"] = before["tier_request"]  # the tier that was decided on
    if before["standing"] != row.standing or step.custom.get("evidence"):
        told["standing"] = [before["standing"], str(row.standing)]
        told["standing_due"] = row.standing_due_at.isoformat() if row.standing_due_at else ""
    if row.undo_until:
        told["undo_until"] = row.undo_until.isoformat()
    return told


def refresh(row: Integration, now: datetime, *, back: bool = False) -> None:
    """Derive whose turn it is and what lists show, and write down where it passed. Called on a locked row before it
    is saved; `back`: a decision was undone.
    """
    context.forget(row)
    found = context.facts_of(row, now)
    turn = turn_of(found)
    holder = str(turn.holder) if turn else ""
    if holder != row.turn_holder:
        row.turn_since = now
    if holder != row.turn_holder or (turn and turn.target != row.turn_target):
        row.turn_due_at = _turn_due(row, holder, turn.target if turn else "", now)
    row.turn_holder = holder
    row.turn_action = turn.action[:300] if turn else ""
    row.turn_target = turn.target if turn else ""
    row.reasons = context.reasons(row, found) if holder == Holder.PROGRAM else []
    row.tally = context.tally(row, now)
    row.wake_at = context.next_change(row, now)
    row.version += 1
    held = context.held(row)
    if held != row.__dict__.get("_held"):
        row.__dict__["_held"] = held
        pass_turn(row, held[1], now=now, back=back)


def _turn_due(row: Integration, holder: str, target: str, now: datetime) -> datetime | None:
    """The program's turns are due as it promises; of the partner's, only what the standing leaves a period for."""
    if holder == Holder.PROGRAM:
        return business_time.due_business(now, row.edition.review_days, PROGRAM_CALENDAR)
    return row.standing_due_at if target == "standing" else None


@contextmanager
def changing(
    integration: Integration, rule: Callable[[Integration, Any], bool], *, by: Any, now: datetime
) -> Iterator[Integration]:
    """A write that is not a step: the locked row for a person who may, its turn derived again at the end."""
    with transaction.atomic():
        row = lock(integration.pk)
        if by is not None and not rule(row, by):
            raise NotAllowed(permissions.refusal(rule.__name__), "may")
        yield row
        refresh(row, now)
        row.save()
