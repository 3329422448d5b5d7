"""Review page data: the next action, the available actions, and the reason why someone can't decide."""

from collections.abc import Iterable
from datetime import datetime

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.refusals import explain_conflict
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.selectors.responsibility import get_waiting_label
from integrations.submissions.services.transitions import AvailableTransition
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.actions import NextAction
from integrations.submissions.workflow.evidence import PAUSED_FOR_ACTIVITY, PAUSED_FOR_APPEAL
from integrations.submissions.workflow.states import ResponsibleParty, ReviewState, Stage
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts.models import User
from portal.audit.event_types import EVENT_TYPES_BY_TRANSITION
from portal.audit.models import AuditEvent

FIRST_APPROVAL_EVENT_TYPES = (
    "review.first_approved",
    "review.first_approval_undone",
    "review.first_approval_withdrawn",
)


def build_next_action_context(integration: Integration, now: datetime) -> dict[str, object]:
    """Return the responsible party and, in review, the requirements that an approval needs from the partner."""
    for_program = integration.responsible_party == ResponsibleParty.PROGRAM
    label = _("Action required from the program") if for_program else get_waiting_label(integration)
    actions: tuple[NextAction, ...] = ()
    # Only this stage shows them.
    if integration.stage == Stage.REVIEW:
        actions = context.list_integration_actions(integration, now, ResponsibleParty.PARTNER)
    return {
        "responsible_party_label": label,
        "at_rest": not label,
        "partner_requirements": [action.requirement for action in actions if action.requirement],
    }


def explain_decision_refusal(integration: Integration, user: User) -> str:
    """Return why a member of the program staff can't decide, or an empty string."""
    if permissions.can_decide(integration, user):
        return ""
    if permissions.get_role(integration.partner, user):
        return _("You are a member of %(name)s. Another reviewer must decide.") % {"name": integration.partner.name}
    # Before the text about read-only access, which is wrong for a reviewer with a conflict of interest.
    if conflict := explain_conflict(integration, user):
        return conflict
    return _("You have read-only access. Only reviewers can decide.")


def get_undoable_decision(integration: Integration, user: User, now: datetime) -> dict[str, object] | None:
    """Return the decision that can still be undone, or None.

    A first approval has no time limit: no one outside the program knows of it before the second reviewer decides.
    """
    if integration.is_awaiting_second_reviewer and integration.first_approver_id == user.pk:
        return {
            "summary": f"{_('You')} {_(EVENT_TYPES_BY_TRANSITION['approve_first'].action)}",
            "result": _(TRANSITION_OPTIONS["approve_first"].result),
            "is_allowed": permissions.can_decide(integration, user),
            "transition": "undo_first_approval",
        }
    if not integration.decision or integration.undo_until is None or integration.undo_until <= now:
        return None
    actor_name = _("You") if integration.decided_by_id == user.pk else str(integration.decided_by or _("Someone"))
    return {
        "summary": f"{actor_name} {_(EVENT_TYPES_BY_TRANSITION[integration.decision].action)}",
        "result": _(TRANSITION_OPTIONS[integration.decision].result),
        "expires_at": integration.undo_until,
        "is_allowed": permissions.can_undo_decision(integration, user),
        "is_by_company": integration.stage in permissions.COMPANY_DECISION_RULES,
        "transition": "undo_decision",
    }


def get_first_approval_event(integration: Integration) -> AuditEvent | None:
    """Return the last event of the first approval in a round that waits for two reviewers, or None."""
    is_waiting = integration.review_state == ReviewState.WAITING and integration.current_step.review.second_reviewer
    events = integration.events.filter(event_type__in=FIRST_APPROVAL_EVENT_TYPES)
    return events.filter(at__gte=integration.review_requested_at).last() if is_waiting else None


def filter_relevant_actions(
    integration: Integration, actions: Iterable[AvailableTransition]
) -> list[AvailableTransition]:
    """Return the actions that matter now. The decision's own banner shows the undo action."""
    is_first_approval = guards.needs_first_approval(integration)
    irrelevant_by_name = {
        "undo_decision": True,
        "undo_first_approval": True,
        # One of the two approvals is due, and both have the same guards.
        "approve_first": not is_first_approval,
        "approve": is_first_approval,
        "resume": not integration.on_hold_for,
        "put_on_hold": bool(integration.on_hold_for),
        "grant_tier": not integration.tier_request,
        "decline_tier": not integration.tier_request,
        "dismiss_request": not integration.compliance_request,
        "resume_deadline": integration.deadline_pause_reason != PAUSED_FOR_ACTIVITY,
        "uphold_appeal": integration.deadline_pause_reason != PAUSED_FOR_APPEAL,
        "dismiss_appeal": integration.deadline_pause_reason != PAUSED_FOR_APPEAL,
        # It needs a transferred repository, for which a check puts the integration on hold.
        "suspend_immediately": not integration.on_hold_for,
    }
    return [action for action in actions if not irrelevant_by_name.get(action.name, False)]


def can_raise_finding(integration: Integration, user: User) -> bool:
    """Return whether the user can add findings: reviewers can while the integration is in review."""
    return integration.stage == Stage.REVIEW and permissions.can_decide(integration, user)
