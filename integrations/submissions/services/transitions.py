"""Services for workflow transitions: lock, check permission and guards, apply, and record.

Every refusal is an ActionRefused with a message that is safe to display. Writes that are not transitions: `changes`.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django_fsm import Transition

from integrations.partners import refusals
from integrations.partners.models import Partner
from integrations.submissions.models.integration import Integration
from integrations.submissions.selectors import context
from integrations.submissions.selectors.step_context import StepContext
from integrations.submissions.services import attestations
from integrations.submissions.services.responsibility import record_responsibility_change
from integrations.submissions.services.undo import RESPONSIBILITY_TIMESTAMPS, remember_decision, snapshot_state
from integrations.submissions.workflow.actions import IDLE_ACTIONS, determine_next_action, list_reasons
from integrations.submissions.workflow.evidence import PAUSED_FOR_APPEAL, PROVIDER
from integrations.submissions.workflow.states import ResponsibleParty, Stage
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.event_types import EVENT_TYPES_BY_TRANSITION
from portal.audit.models import AuditEvent
from portal.audit.services import record_event
from portal.core import business_time
from portal.core.errors import ActionRefused, StaleVersionError
from portal.core.value_types import JsonObject, NamedValues
from portal.ui.components.moments import format_full

# They update the agreements and other shared answers of the company. Rows of companies are locked before those of
# integrations.
AGREEMENT_TRANSITIONS = ("reopen", "undo_decision")


@dataclass(frozen=True, slots=True)
class AvailableTransition:
    """Transition that a user can perform, with its label and blockers."""

    name: str
    label: str
    tone: str
    note: str
    is_decision: bool
    blockers: tuple[str, ...]

    @property
    def button_tone(self) -> str:
        return {"good": "primary", "bad": "danger"}.get(self.tone, "secondary")

    @property
    def is_ready(self) -> bool:
        return not self.blockers


def list_all_transitions() -> list[tuple[str, Transition]]:
    """Return every transition of the model from each source, with its field."""
    fields = [Integration._meta.get_field(name) for name in ("stage", "listing_status")]
    return [(field.name, transition) for field in fields for transition in field.get_all_transitions(Integration)]  # type: ignore[union-attr]


def get_transitions_from(integration: Integration) -> dict[str, Transition]:
    """Return the transitions from the current state by name, regardless of permissions."""
    return {
        transition.name: transition
        for field, transition in list_all_transitions()
        if transition.source in (getattr(integration, field), "*")
    }


def list_blockers(integration: Integration, transition: Transition) -> list[str]:
    """Return why the guards refuse the transition."""
    return [refusal for guard in transition.custom["guards"] if (refusal := guard(integration))]


def list_available_transitions(
    integration: Integration, user: User, *, now: datetime | None = None
) -> list[AvailableTransition]:
    """Return the transitions that the user has permission for, in the order of transitions.yaml."""
    integration.step_context = StepContext(integration, now or timezone.now(), user)
    transitions = get_transitions_from(integration)
    return [
        AvailableTransition(
            name=name,
            label=_(options.label),
            tone=options.tone,
            note=_(options.note),
            is_decision=options.is_decision,
            blockers=tuple(list_blockers(integration, transitions[name])),
        )
        for name, options in TRANSITION_OPTIONS.items()
        if name in transitions and transitions[name].has_perm(integration, user)
    ]


def lock_integration(pk: int) -> Integration:
    """Lock and return the current row until the transaction ends (SQLite transactions begin immediate)."""
    # Without `of`, PostgreSQL would lock the company, too. Everything else locks a company before its integrations.
    # With a full lock, a poll that stores an issue would wait for a decision that waits for the poll's repository.
    return Integration.objects.select_for_update(of=("self",), no_key=True).select_related("partner").get(pk=pk)


def lock_partner(pk: int) -> None:
    """Lock a company until the transaction ends, before any of its integrations."""
    # `no_key`: others can still insert rows that refer to the company, so holders of an integration needn't wait.
    Partner.objects.select_for_update(no_key=True).get(pk=pk)


def _lock_rows(integration: Integration, transition_name: str) -> Integration:
    """Lock the integration, after its company where the transition updates what its integrations share."""
    if transition_name in AGREEMENT_TRANSITIONS:
        lock_partner(integration.partner_id)
    return lock_integration(integration.pk)


def perform_transition(
    integration: Integration,
    transition_name: str,
    *,
    actor: AnyUser | None,
    note: str = "",
    version: int | None = None,
    now: datetime | None = None,
    **inputs: Any,
) -> AuditEvent:
    """Perform a transition. `actor`: a user, or None for the portal; `version`: the row version that the user saw.

    Raises ActionRefused. The passed row doesn't change: load it again.
    """
    now = now or timezone.now()
    with transaction.atomic():
        locked_integration = _lock_rows(integration, transition_name)
        locked_integration.step_context = StepContext(locked_integration, now, actor, note, inputs)
        _require_transition(locked_integration, transition_name, version, actor)
        # Before the snapshot: the time since a decision became final belongs to the party that it made responsible.
        settle_decision(locked_integration, now)
        # Read first: what follows replaces the undo and the period that the evidence describes.
        previous_state = snapshot_state(locked_integration)
        undone_state = locked_integration.undo
        has_evidence = TRANSITION_OPTIONS[transition_name].has_evidence
        evidence_data = {"evidence": PROVIDER.collect_evidence(locked_integration, now)} if has_evidence else {}
        getattr(locked_integration, transition_name)(actor=actor, note=note, now=now, **inputs)
        remember_decision(locked_integration, transition_name, previous_state, actor, now)
        _update_attestations(locked_integration, transition_name, previous_state, now)
        refresh_next_action(locked_integration, now, is_undo=transition_name == "undo_decision")
        if transition_name == "undo_decision":
            # After the refresh, which restarts the time of the responsible party.
            locked_integration.restore_fields(RESPONSIBILITY_TIMESTAMPS, undone_state)
        locked_integration.save()
        event_type = EVENT_TYPES_BY_TRANSITION[transition_name].key
        event_data = _build_event_data(locked_integration, transition_name, previous_state) | evidence_data | inputs
        # Last, because listeners read the saved row, such as the next action for the email.
        return record_event(locked_integration, event_type, actor=actor, now=now, note=note, **event_data)


def _require_transition(
    integration: Integration, transition_name: str, version: int | None, actor: AnyUser | None
) -> None:
    """Refuse a transition that the actor can't perform now.

    Actors without permission are refused first, regardless of the integration's state.
    """
    transition = get_transitions_from(integration).get(transition_name)
    candidates = [transition] if transition else [t for _, t in list_all_transitions() if t.name == transition_name]
    # People without the permission get 403 in every state, not 409 in some.
    if candidates and not any(candidate.has_perm(integration, actor) for candidate in candidates):
        rule: str = candidates[0].permission.__name__
        raise ActionRefused(refusals.explain_refusal(rule, integration, actor), "forbidden")
    if version is not None and version != integration.version:
        last = integration.get_last_change(actor)
        change = f"{last.summary} ({format_full(last.at)})" if last else _("The integration changed")
        raise StaleVersionError(_("%(change)s. Reload the page.") % {"change": change})
    if transition is None:
        raise ActionRefused(_explain_wrong_state(integration, transition_name), "invalid-transition")
    if blockers := list_blockers(integration, transition):
        raise ActionRefused(" ".join(blockers), "requirements-not-met")


def _explain_wrong_state(integration: Integration, transition_name: str) -> str:
    """Return which state of the integration the transition doesn't start from."""
    fields = {each.name: field for field, each in list_all_transitions()}
    if fields.get(transition_name) == "listing_status" and integration.stage == Stage.SUPPORT:
        status = integration.get_listing_status_display()
        return _("This action isn't available in the listing status “%(status)s”.") % {"status": status}
    stage = integration.get_stage_display()
    return _("This action isn't available in the stage “%(stage)s”.") % {"stage": stage}


def _update_attestations(
    integration: Integration, transition_name: str, previous_state: NamedValues, now: datetime
) -> None:
    """Void the statements that findings have responses when new ones are sent; restore them if that is undone."""
    if transition_name == "request_changes":
        attestations.void_answered_findings(integration, now)
    if (transition_name, previous_state["decision"]) == ("undo_decision", "request_changes"):
        attestations.restore_answered_findings(integration)


def _build_event_data(
    integration: Integration, transition_name: str, previous_state: Mapping[str, object]
) -> JsonObject:
    """Return the event data of a transition: the old and new stage and step, the round, and the undo deadline."""
    options = TRANSITION_OPTIONS[transition_name]
    event_data: JsonObject = {
        "label": options.label or transition_name,
        "old": [previous_state["stage"], previous_state["step"]],
        "new": [str(integration.stage), integration.step],
        "new_step_name": integration.current_step.name,
        "round": integration.review_round,
    }
    if previous_state["tier_request"] and not integration.tier_request:
        event_data["tier"] = previous_state["tier_request"]  # the decided request
    if previous_state["compliance_request"] and not integration.compliance_request:
        event_data["request"] = previous_state["compliance_request"]  # the decided request
    if previous_state["deadline_pause_reason"] == PAUSED_FOR_APPEAL and not integration.deadline_pause_reason:
        event_data["request"] = "appeal"  # decided, or ended by an immediate suspension
    if previous_state["listing_status"] != integration.listing_status or options.has_evidence:
        event_data["listing_status"] = [previous_state["listing_status"], str(integration.listing_status)]
        due_at = integration.compliance_deadline_at
        event_data["compliance_deadline"] = due_at.isoformat() if due_at else ""
    if integration.undo_until:
        event_data["undo_until"] = integration.undo_until.isoformat()
    return event_data


def refresh_next_action(integration: Integration, now: datetime, *, is_undo: bool = False) -> None:
    """Update the next action and the values of lists, and record a change of the responsible party.

    Call on a locked row before saving it. `is_undo`: a decision was undone.
    """
    context.reload_cache(integration)
    _set_next_action(integration, now)
    integration.requirement_counts = context.count_requirements(integration, now)
    integration.next_refresh_at = context.get_next_refresh_at(integration, now)
    integration.version += 1
    record_responsibility_change(integration, context.get_recorded_party(integration), now=now, is_undo=is_undo)


def settle_decision(integration: Integration, now: datetime) -> None:
    """Update the next action if the last decision became final, as of that time."""
    undo_until = integration.undo_until
    if integration.is_pending and undo_until is not None and undo_until <= now:
        refresh_next_action(integration, undo_until)


def build_settled_copy(integration: Integration) -> Integration:
    """Return an unsaved copy with the next action as it is when the last decision can't be undone anymore."""
    final = copy(integration)
    if integration.undo_until is not None:
        _set_next_action(final, integration.undo_until)
    return final


def _set_next_action(integration: Integration, now: datetime) -> None:
    """Set the columns of the next action."""
    snapshot = context.build_snapshot(integration, now)
    action = determine_next_action(snapshot)
    responsible_party = str(action.responsible_party or "") if action else ""
    target = action.target if action else ""
    code = action.code if action else ""
    # The portal is responsible before and after the end of the listing, so only the code shows that it ended.
    is_new_end = code in IDLE_ACTIONS.values() and code != integration.next_action_code
    if responsible_party != integration.responsible_party or is_new_end:
        integration.responsible_since = now
    # The program's due date stays while its action does. Otherwise, each event would give it more time.
    is_same_action = (responsible_party, target) == (integration.responsible_party, integration.next_action_target)
    if not is_same_action or responsible_party == ResponsibleParty.PARTNER:  # a new listing status has a new deadline
        integration.action_due_at = _calculate_due_at(integration, responsible_party, target, now)
    integration.responsible_party = responsible_party
    integration.next_action_target = target
    integration.next_action_code = code
    integration.next_action_params = action.params if action else {}
    integration.reasons = list_reasons(snapshot) if responsible_party == ResponsibleParty.PROGRAM else []


def _calculate_due_at(integration: Integration, responsible_party: str, target: str, now: datetime) -> datetime | None:
    """Return the review deadline for the program, or the compliance deadline for the partner."""
    if responsible_party == ResponsibleParty.PROGRAM:
        edition = integration.edition
        return business_time.add_business_days(now, edition.review_days, edition.business_calendar)
    return integration.compliance_deadline_at if target == "compliance" else None
