"""How is a step taken? The one door: lock, find, may they, is it ready, take it, save, write it down.

Every refusal is an ActionRefused whose text is fit to show. Writes that are not steps come through changing().
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
from integrations.submissions.models.integration import MEMBER_NAMES, Integration
from integrations.submissions.selectors import context, queue_reasons
from integrations.submissions.workflow import evidence as evidence_provider
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.states import ResponsibleParty, determine_next_action
from portal.audit.models import AuditEvent
from portal.audit.services import record_event, record_responsibility_change
from portal.core import business_time
from portal.core.errors import ActionRefused

PROGRAM_CALENDAR = business_time.Calendar()
RESPONSIBILITY_TIMESTAMPS = ("responsible_since", "action_due_at")


@dataclass(frozen=True, slots=True)
class AvailableTransition:
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


def list_all_transitions() -> list[tuple[str, Transition]]:
    """Every step of the model, from each place that it leads on from, with the field that it moves."""
    fields = [Integration._meta.get_field(name) for name in ("stage", "listing_status")]
    return [(field.name, transition) for field in fields for transition in field.get_all_transitions(Integration)]  # type: ignore[union-attr]


def get_transitions_from(integration: Integration) -> dict[str, Transition]:
    """Every step that leads on from where the integration is, by name, whoever may take it."""
    return {
        transition.name: transition
        for field, transition in list_all_transitions()
        if transition.source in (getattr(integration, field), "*")
    }


def list_blockers(integration: Integration, transition: Transition) -> list[str]:
    """The sentences of the guards that say no."""
    return [guards.explain_guard(guard, integration) for guard in transition.conditions if not guard(integration)]


def list_available_transitions(
    integration: Integration, user: Any, *, now: datetime | None = None
) -> list[AvailableTransition]:
    """The buttons of this person: what they may do, in the order of the model, with what blocks each."""
    integration.asking = guards.StepContext(now or timezone.now(), user)
    member_names = MEMBER_NAMES
    allowed_transitions = [s for s in get_transitions_from(integration).values() if s.has_perm(integration, user)]
    return [
        AvailableTransition(
            name=transition.name,
            label=_(transition.custom["label"]),
            tone=transition.custom["tone"],
            note=_(transition.custom.get("note", "")),
            mail=transition.custom.get("mail", ""),
            is_decision=transition.custom.get("decision", False),
            blockers=tuple(list_blockers(integration, transition)),
        )
        for transition in sorted(allowed_transitions, key=lambda s: member_names.index(s.name))
    ]


def lock_integration(pk: int) -> Integration:
    """The row as it is now, held until the transaction ends (SQLite: its transactions begin immediate)."""
    integration = Integration.objects.select_for_update(of=("self",)).select_related("partner").get(pk=pk)
    integration.__dict__["_held"] = context.get_recorded_party(integration)
    context.clear_cache(integration)  # who locks is about to change them
    return integration


def perform_transition(
    integration: Integration,
    transition_name: str,
    *,
    actor: Any,
    note: str = "",
    version: int | None = None,
    now: datetime | None = None,
    **inputs: Any,
) -> AuditEvent:
    """Take one step. `actor` is a person, or None for the machine; `version` is the row the person looked at.

    Raises ActionRefused. The row that was passed in is left as it is: read it again.
    """
    now = now or timezone.now()
    with transaction.atomic():
        locked_integration = lock_integration(integration.pk)
        locked_integration.asking = guards.StepContext(now, actor, note, inputs)
        transition = _require_transition(locked_integration, transition_name, version, actor)
        previous_state, undone_state = _snapshot_state(locked_integration), locked_integration.undo
        evidence_data = _collect_evidence(locked_integration, transition, now)
        getattr(locked_integration, transition_name)(actor=actor, note=note, now=now, **inputs)
        _remember_decision(locked_integration, transition, previous_state, actor, now)
        refresh_next_action(locked_integration, now, is_undo=transition_name == "undo_decision")
        if transition_name == "undo_decision":
            _restore_responsibility(locked_integration, undone_state)
        locked_integration.save()
        return record_event(
            locked_integration,
            transition_name,
            actor=actor,
            now=now,
            note=note,
            **_build_event_data(locked_integration, transition, previous_state),
            **evidence_data,
            **inputs,
        )


def _require_transition(integration: Integration, transition_name: str, version: int | None, actor: Any) -> Transition:
    """Return the step if this person may take it now, and nothing stands in its way."""
    _require_permission(integration, transition_name, actor)
    transition = _find_transition(integration, transition_name, version)
    blocking_reasons = list_blockers(integration, transition)
    if blocking_reasons:
        raise ActionRefused(" ".join(blocking_reasons))
    return transition


def _collect_evidence(integration: Integration, transition: Transition, now: datetime) -> dict[str, Any]:
    """Return the evidence as event data; empty for a step that keeps none."""
    if not transition.custom.get("evidence"):
        return {}
    return {"evidence": evidence_provider.collect_evidence(integration, now)}


def _snapshot_state(integration: Integration) -> dict[str, Any]:
    """What undoing a decision brings back, as JSON."""
    timestamps = {
        key: getattr(integration, key).isoformat() if getattr(integration, key) else None
        for key in RESPONSIBILITY_TIMESTAMPS
    }
    keys = ("stage", "step", "review_state", "tier", "tier_request", "listing_status")
    values = {key: str(getattr(integration, key)) for key in keys}
    return {**values, **timestamps}


def _restore_responsibility(integration: Integration, undone_state: dict[str, Any]) -> None:
    """A decision that was undone costs nobody a day: the turn goes on as if it had never been interrupted."""
    for key in RESPONSIBILITY_TIMESTAMPS:
        timestamp = undone_state.get(key)
        setattr(integration, key, datetime.fromisoformat(timestamp) if timestamp else None)


def _require_permission(integration: Integration, transition_name: str, actor: Any) -> None:
    """Whoever may not take this step hears that first, whatever has become of the integration."""
    current_transition = get_transitions_from(integration).get(transition_name)
    candidates = (
        [current_transition]
        if current_transition
        else [candidate for _, candidate in list_all_transitions() if candidate.name == transition_name]
    )
    if candidates and not any(candidate.has_perm(integration, actor) for candidate in candidates):
        raise ActionRefused(permissions.get_refusal(candidates[0].permission.__name__), "forbidden")  # type: ignore[union-attr]


def _find_transition(integration: Integration, transition_name: str, version: int | None) -> Transition:
    transition = get_transitions_from(integration).get(transition_name)
    is_stale = version is not None and version != integration.version
    if is_stale:
        last = integration.events.exclude(internal=True).last()
        actor_name, event_label = (
            (last.actor or _("The portal"), last.event_type.replace("_", " ")) if last else (_("Somebody"), "changed")
        )
        time_label = _(" on %(at)s UTC") % {"at": f"{last.at:%d %b, %H:%M}"} if last else ""
        raise ActionRefused(
            _("%(who)s was faster: “%(what)s”%(at)s. Look again.")
            % {"who": actor_name, "what": event_label, "at": time_label},
            "conflict",
        )
    if transition is None:
        raise ActionRefused(
            _("This step does not lead on from here: it is in %(stage)s now.") % {"stage": integration.stage},
            "invalid-transition",
        )
    return transition


def _remember_decision(
    integration: Integration, transition: Transition, previous_state: dict[str, Any], actor: Any, now: datetime
) -> None:
    """A decision can be undone for a while; any other step makes it final, and undoing it clears it."""
    integration.decision, integration.decided_by, integration.undo_until, integration.undo = "", None, None, {}
    window = timedelta(minutes=settings.UNDO_MINUTES)
    if transition.custom.get("decision") and window:
        integration.decision, integration.decided_by = transition.name, actor
        integration.undo_until, integration.undo = now + window, previous_state


def _build_event_data(
    integration: Integration, transition: Transition, previous_state: dict[str, Any]
) -> dict[str, Any]:
    """What the event says beside the verb: from where to where, the round, and until when it can be undone."""
    event_data: dict[str, Any] = {
        "label": transition.custom.get("label", transition.name),
        "from": [previous_state["stage"], previous_state["step"]],
        "to": [str(integration.stage), integration.step],
        "to_step": integration.current_step.name,
        "round": integration.review_round,
    }
    if previous_state["tier_request"] and not integration.tier_request:
        event_data["tier"] = previous_state["tier_request"]  # the tier that was decided on
    if previous_state["listing_status"] != integration.listing_status or transition.custom.get("evidence"):
        event_data["listing_status"] = [previous_state["listing_status"], str(integration.listing_status)]
        event_data["compliance_deadline"] = (
            integration.compliance_deadline_at.isoformat() if integration.compliance_deadline_at else ""
        )
    if integration.undo_until:
        event_data["undo_until"] = integration.undo_until.isoformat()
    return event_data


def refresh_next_action(integration: Integration, now: datetime, *, is_undo: bool = False) -> None:
    """Derive whose turn it is and what lists show, and write down where it passed. Called on a locked row before it
    is saved; `is_undo`: a decision was undone.
    """
    context.clear_cache(integration)
    snapshot = context.build_step_context(integration, now)
    next_action = determine_next_action(snapshot)
    responsible_party = str(next_action.holder) if next_action else ""
    if responsible_party != integration.responsible_party:
        integration.responsible_since = now
    if responsible_party != integration.responsible_party or (
        next_action and next_action.target != integration.next_action_target
    ):
        integration.action_due_at = _calculate_due_at(
            integration, responsible_party, next_action.target if next_action else "", now
        )
    integration.responsible_party = responsible_party
    integration.next_action_text = next_action.action[:300] if next_action else ""
    integration.next_action_target = next_action.target if next_action else ""
    integration.reasons = (
        queue_reasons.list_reasons(integration, snapshot) if responsible_party == ResponsibleParty.PROGRAM else []
    )
    integration.requirement_counts = context.count_requirements(integration, now)
    integration.next_refresh_at = context.get_next_refresh_at(integration, now)
    integration.version += 1
    recorded_party = context.get_recorded_party(integration)
    if recorded_party != integration.__dict__.get("_held"):
        integration.__dict__["_held"] = recorded_party
        record_responsibility_change(integration, recorded_party[1], now=now, is_undo=is_undo)


def _calculate_due_at(integration: Integration, responsible_party: str, target: str, now: datetime) -> datetime | None:
    """The program's turns are due as it promises; of the partner's, only what the standing leaves a period for."""
    if responsible_party == ResponsibleParty.PROGRAM:
        return business_time.add_business_days(now, integration.edition.review_days, PROGRAM_CALENDAR)
    return integration.compliance_deadline_at if target == "compliance" else None


@contextmanager
def integration_changes(
    integration: Integration, rule: Callable[[Integration, Any], bool], *, actor: Any, now: datetime
) -> Iterator[Integration]:
    """A write that is not a step: the locked row for a person who may, its turn derived again at the end."""
    with transaction.atomic():
        locked_integration = lock_integration(integration.pk)
        if actor is not None and not rule(locked_integration, actor):
            raise ActionRefused(permissions.get_refusal(rule.__name__), "forbidden")
        yield locked_integration
        refresh_next_action(locked_integration, now)
        locked_integration.save()
