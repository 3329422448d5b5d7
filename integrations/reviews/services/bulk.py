"""Actions on several items of the review queue, each in its own transaction."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.reviews.models import Snooze
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.changes import change_integration
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.core.errors import ActionRefused


@dataclass(frozen=True, slots=True)
class BulkInputs:
    """Inputs of all bulk actions; each action uses some of them."""

    reviewer: User | None = None
    days: int = 1
    reason: str = ""


# A second click or a repeated request doesn't send the same reminder again. A later one can.
REMINDER_PERIOD = timedelta(days=1)
BulkAction = Callable[[Integration, BulkInputs, User, datetime], object]


def snooze(integration: Integration, days: int, reason: str, *, actor: User, now: datetime) -> None:
    """Remove an item from the queue for some days. The due date doesn't change."""
    if not reason.strip():
        raise ActionRefused(_("Enter a reason."), "validation-error")
    with change_integration(integration, permissions.can_act_for_program, actor=actor, now=now) as change:
        # `at` matters too: the item returns if another party became responsible after it.
        until = now + timedelta(days=days)
        fields = {"until": until, "reason": reason.strip(), "snoozed_by": actor, "at": now}
        # A snooze hides the item. It gives the program no more time.
        Snooze.objects.update_or_create(integration=change.integration, defaults=fields)
        change.record("review.snoozed", reason.strip(), until=until.date().isoformat())


def end_snooze(integration: Integration, *, actor: User, now: datetime) -> None:
    """Return a snoozed item to the queue before its time."""
    with change_integration(integration, permissions.can_act_for_program, actor=actor, now=now) as change:
        snoozes = Snooze.objects.filter(integration=change.integration)
        # An item that has returned on its own isn't snoozed anymore, although the row is still there.
        if not snoozes.filter(until__gt=now, at__gte=change.integration.responsible_since).exists():
            raise ActionRefused(_("The item isn't snoozed."), "invalid-transition")
        snoozes.delete()
        change.record("review.snooze_ended")


def remind_partner(integration: Integration, text: str, *, actor: User, now: datetime) -> None:
    """Remind the partner of the next action, unless it got the same reminder within a day."""
    with change_integration(integration, permissions.can_act_for_program, actor=actor, now=now) as change:
        row = change.integration
        if row.responsible_party != ResponsibleParty.PARTNER:
            raise ActionRefused(_("The next action isn't the partner's."), "invalid-transition")
        # The code and its parameters, because each reader has another language.
        next_action = {"code": row.next_action_code, "params": row.next_action_params}
        reminders = row.events.filter(event_type="message.reminder_sent", at__gt=now - REMINDER_PERIOD)
        for event in reminders:
            if (event.note, event.data["next_action"]) == (text.strip(), next_action):
                refusal = _("The partner got this reminder within the last 24 hours.")
                raise ActionRefused(refusal, "rate-limited", retry_after=event.at + REMINDER_PERIOD - now)
        findings.record_with_mentions(change, "message.reminder_sent", text.strip(), next_action=next_action)


ACTIONS: dict[str, BulkAction] = {
    "assign": lambda row, inputs, actor, now: claims.assign_reviewer(row, inputs.reviewer, actor=actor, now=now),
    "claim": lambda row, inputs, actor, now: claims.claim_review(row, actor=actor, now=now),
    "snooze": lambda row, inputs, actor, now: snooze(row, inputs.days, inputs.reason, actor=actor, now=now),
    "end_snooze": lambda row, inputs, actor, now: end_snooze(row, actor=actor, now=now),
    "remind": lambda row, inputs, actor, now: remind_partner(row, inputs.reason, actor=actor, now=now),
    "grant_tier": lambda row, inputs, actor, now: perform_transition(
        row, "grant_tier", actor=actor, note=inputs.reason, now=now
    ),
    "decline_tier": lambda row, inputs, actor, now: perform_transition(
        row, "decline_tier", actor=actor, note=inputs.reason, now=now
    ),
}


def perform_bulk_action(
    integrations: Iterable[Integration], action: str, inputs: BulkInputs, *, actor: User, now: datetime
) -> tuple[int, list[str]]:
    """Perform an action on each item. Return how many changed, and the refusals with the item's name."""
    count = 0
    refusals = []
    # Each in its own transaction, so that one refusal doesn't undo the others.
    for integration in integrations:
        try:
            ACTIONS[action](integration, inputs, actor, now)
            count += 1
        except ActionRefused as refusal:
            refusals.append(f"{integration.name}: {refusal}")
    return count, refusals
