"""Guards of the compliance procedure, each with the message for a refusal."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _, gettext_noop

from integrations.submissions.workflow import evidence
from integrations.submissions.workflow.guards import attach_refusal, format_titles
from portal.ui.components.moments import format_full

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration


# who made the earlier decisions can't make these
EARLIER_DECISIONS = {
    "decide_on_suspension": ("notice_by_id",),
    "decide_on_delisting": ("suspended_by_id",),
    "decide_on_notice_appeal": ("notice_by_id", "suspended_by_id"),
    "decide_on_suspension_appeal": ("notice_by_id", "suspended_by_id"),
}


def is_excluded_from_decision(integration: "Integration", user_id: int) -> bool:
    """Return whether another person must make the pending decision, because this one made an earlier decision."""
    return user_id in [getattr(integration, name) for name in EARLIER_DECISIONS.get(integration.next_action_code, ())]


def _describe_period(integration: "Integration") -> str:
    due_at = integration.compliance_deadline_at
    if due_at is None:
        return _("The deadline is paused.")
    return _("The period ends %(compliance_deadline_at)s.") % {"compliance_deadline_at": format_full(due_at)}


@attach_refusal(_describe_period)
def has_period_ended(integration: "Integration") -> bool:
    due_at = integration.compliance_deadline_at
    return due_at is not None and due_at <= integration.step_context.now


def _describe_pause(integration: "Integration") -> str:
    if integration.deadline_pause_reason == evidence.PAUSED_FOR_APPEAL:
        return _("Decide on the open appeal first.")
    if integration.compliance_request:
        return _("Decide on the open request first: %(request)s.") % {"request": integration.compliance_request_label}
    return _("The partner responded. Review the response first.")


@attach_refusal(_describe_pause)
def is_process_not_paused(integration: "Integration") -> bool:
    return not integration.deadline_pause_reason and not integration.compliance_request


def _describe_activities(integration: "Integration") -> str:
    activities = integration.step_context.compliance.activities
    return format_titles(_("Review the partner's activity first"), [activity.summary for activity in activities])


@attach_refusal(_describe_activities)
def has_no_partner_activity(integration: "Integration") -> bool:
    """Return whether no unreviewed activity exists, read live so that a late periodic job can't hurt the partner."""
    return not integration.step_context.compliance.activities


def _describe_data_gap(integration: "Integration") -> str:
    data_up_to = integration.step_context.compliance.data_up_to
    time = format_full(data_up_to) if data_up_to else ""
    return _("Our issue data ends %(time)s. It must cover the entire period.") % {"time": time}


@attach_refusal(_describe_data_gap)
def is_data_complete(integration: "Integration") -> bool:
    """Return whether the data covers the period: a response might be in a gap."""
    data_up_to, due_at = integration.step_context.compliance.data_up_to, integration.compliance_deadline_at
    return data_up_to is None or due_at is None or data_up_to >= due_at


def _is_different_person(integration: "Integration", *excluded_ids: int | None) -> bool:
    actor = integration.step_context.actor
    return actor is None or actor.pk not in [user_id for user_id in excluded_ids if user_id is not None]


def _describe_notice_author(integration: "Integration") -> str:
    message = _("%(name)s issued the notice. Another reviewer must decide on the suspension.")
    return message % {"name": integration.notice_by}


@attach_refusal(_describe_notice_author)
def is_not_notice_author(integration: "Integration") -> bool:
    return _is_different_person(integration, integration.notice_by_id)


def _describe_suspension_author(integration: "Integration") -> str:
    message = _("%(name)s suspended the integration. Another reviewer must decide on the delisting.")
    return message % {"name": integration.suspended_by}


@attach_refusal(_describe_suspension_author)
def is_not_suspension_author(integration: "Integration") -> bool:
    return _is_different_person(integration, integration.suspended_by_id)


@attach_refusal(gettext_noop("You issued the notice or the suspension. Another reviewer must decide on the appeal."))
def is_uninvolved(integration: "Integration") -> bool:
    return _is_different_person(integration, integration.notice_by_id, integration.suspended_by_id)


@attach_refusal(gettext_noop("You already appealed. You can appeal each decision once."))
def is_not_appealed(integration: "Integration") -> bool:
    return integration.appealed_at is None


@attach_refusal(gettext_noop("No appeal is open."))
def is_appeal_open(integration: "Integration") -> bool:
    return integration.deadline_pause_reason == evidence.PAUSED_FOR_APPEAL


@attach_refusal(gettext_noop("Decide on the open appeal first."))
def is_no_appeal_open(integration: "Integration") -> bool:
    return integration.deadline_pause_reason != evidence.PAUSED_FOR_APPEAL


@attach_refusal(gettext_noop("The deadline is not paused for a partner response."))
def is_paused_for_activity(integration: "Integration") -> bool:
    return integration.deadline_pause_reason == evidence.PAUSED_FOR_ACTIVITY


@attach_refusal(gettext_noop("No request is open."))
def has_pending_request(integration: "Integration") -> bool:
    return bool(integration.compliance_request)


@attach_refusal(gettext_noop("A request is already waiting for the program."))
def has_no_pending_request(integration: "Integration") -> bool:
    return not integration.compliance_request


@attach_refusal(gettext_noop("We found no change of the repository owner. Issue a notice first."))
def is_repository_transferred(integration: "Integration") -> bool:
    """Return whether a check found a transfer and the hold for that reason is still active."""
    return bool(integration.step_context.compliance.freeze_reason)
