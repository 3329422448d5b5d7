"""Services for granting and ending waivers."""

from datetime import datetime

from django.utils.translation import gettext as _

from integrations.partners import permissions as rules
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services.requirements import get_or_create_state, get_requirement, require_open
from integrations.submissions.services.transitions import integration_changes, refresh_next_action
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.core.errors import ActionRefused


def waive_requirement(
    integration: Integration,
    requirement_id: str,
    *,
    reason: str,
    expires_at: datetime,
    actor: User | None,
    now: datetime,
) -> RequirementFulfillment:
    """Waive a requirement until a time, with a reason for the partner and the listing."""
    if not reason.strip():
        raise ActionRefused(_("Enter a reason. The partner and the public listing show it."))
    if expires_at <= now:
        raise ActionRefused(_("Enter a future date."))
    with integration_changes(integration, rules.can_decide, actor=actor, now=now) as locked_integration:
        require_open(locked_integration)
        requirement = get_requirement(locked_integration, requirement_id)
        state = get_or_create_state(locked_integration, requirement_id)
        state.waived_by, state.waiver_reason, state.waiver_expires_at = actor, reason.strip()[:500], expires_at
        state.save()
        record_event(
            locked_integration,
            "requirement.waived",
            actor=actor,
            now=now,
            note=reason,
            requirement=requirement_id,
            title=requirement.title,
            until=expires_at.isoformat(),
        )
    return state


def end_waiver(
    integration: Integration, requirement_id: str, *, reason: str, actor: User | None, now: datetime
) -> None:
    """End a waiver early, with a reason for the partner."""
    if not reason.strip():
        raise ActionRefused(_("Enter a reason. The partner relied on the waiver."))
    with integration_changes(integration, rules.can_decide, actor=actor, now=now) as locked_integration:
        requirement = get_requirement(locked_integration, requirement_id)
        state = get_or_create_state(locked_integration, requirement_id)
        expires_at = state.waiver_expires_at
        if expires_at is None or not state.is_waived(now):
            raise ActionRefused(_("This requirement has no active waiver."), "invalid-transition")
        state.waiver_expires_at = now
        state.save()
        refresh_next_action(locked_integration, now)  # the email states the next action without the waiver
        record_event(
            locked_integration,
            "requirement.waiver_ended",
            actor=actor,
            now=now,
            note=reason.strip()[:500],
            requirement=requirement_id,
            title=requirement.title,
            until=expires_at.isoformat(),
        )
