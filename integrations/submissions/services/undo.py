"""Undo state of decisions: what an undo restores, and until when it is possible."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from integrations.submissions.models.integration import Integration
from integrations.submissions.models.listing_status import PERIOD_FIELDS
from integrations.submissions.models.stage import UNDONE_FIELDS
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.core.value_types import NamedValues

RESPONSIBILITY_TIMESTAMPS = ("responsible_since", "action_due_at")


def snapshot_state(integration: Integration) -> NamedValues:
    """Return the state that an undo restores, and the decision that can be undone, as JSON."""
    # The decision isn't restored. It tells which one an undo reverses, see transitions._update_attestations.
    names = ("stage", "listing_status", "decision", *UNDONE_FIELDS, *RESPONSIBILITY_TIMESTAMPS, *PERIOD_FIELDS)
    return integration.dump_fields(names)


def remember_decision(
    integration: Integration, transition_name: str, previous_state: Mapping[str, object], actor: Any, now: datetime
) -> None:
    """Store a decision so that it can be undone; any other transition makes it final."""
    period = timedelta(minutes=settings.UNDO_MINUTES)
    # UNDO_MINUTES=0 turns the undo off, and emails of decisions are sent immediately.
    is_undoable = TRANSITION_OPTIONS[transition_name].is_decision and bool(period)
    integration.decision = transition_name if is_undoable else ""
    integration.decided_by = actor if is_undoable else None
    integration.undo_until = now + period if is_undoable else None
    integration.undo = previous_state if is_undoable else {}
