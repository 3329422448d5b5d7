"""Waivers: how a reviewer grants one for a requirement, and how it ends early."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from integrations.partners import permissions as rules
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services.requirements import get_or_create_state, get_requirement, require_open
from integrations.submissions.services.transitions import integration_changes, refresh_next_action
from portal.audit.services import record_event
from portal.core.errors import ActionRefused


def waive_requirement(
    integration: Integration, requirement_id: str, *, reason: str, expires_at: datetime, actor: Any, now: datetime
) -> RequirementFulfillment:
    """Let a requirement count as met until a moment, for a reason that the partner and the listing show."""
    if not reason.strip():
        raise ActionRefused(_("Say why: the reason is shown with the waiver."))
    if expires_at <= now:
        raise ActionRefused(_("A waiver needs an end in the future."))
    with integration_changes(integration, rules.can_decide, actor=actor, now=now) as locked_integration:
        require_open(locked_integration)
        requirement = get_requirement(locked_integration, requirement_id)
        state = get_or_create_state(locked_integration, requirement_id)
        state.waived_by, state.waiver_reason, state.waiver_expires_at = actor, reason.strip()[:500], expires_at
        state.save()
        record_event(
            locked_integration,
            "waived",
            actor=actor,
            now=now,
            note=reason,
            requirement=requirement_id,
            title=requirement.title,
            until=expires_at.isoformat(),
        )
    return state


def end_waiver(integration: Integration, requirement_id: str, *, reason: str, actor: Any, now: datetime) -> None:
    """Take a waiver back before its end, for a reason that the partner is told."""
    if not reason.strip():
        raise ActionRefused(_("Say why: the company relied on the waiver."))
    with integration_changes(integration, rules.can_decide, actor=actor, now=now) as locked_integration:
        requirement = get_requirement(locked_integration, requirement_id)
        state = get_or_create_state(locked_integration, requirement_id)
        expires_at = state.waiver_expires_at
        if expires_at is None or not state.is_waived(now):
            raise ActionRefused(_("There is no waiver that still counts."), "invalid-transition")
        state.waiver_expires_at = now
        state.save()
        refresh_next_action(locked_integration, now)  # the mail says whose turn it is without the waiver
        record_event(
            locked_integration,
            "waiver_ended",
            actor=actor,
            now=now,
            note=reason.strip()[:500],
            requirement=requirement_id,
            title=requirement.title,
            until=expires_at.isoformat(),
        )
