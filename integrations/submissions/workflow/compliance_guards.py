"""Guards of the due process: notice, suspension, removal, and appeal, each with the sentence shown when it says no."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.submissions.workflow import evidence
from integrations.submissions.workflow.guards import attach_refusal, format_titles

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration


def _format_moment(moment: datetime | None) -> str:
    return f"{moment:%a} {moment.day} {moment:%b}, {moment:%H:%M} UTC" if moment else ""


def _describe_period(integration: "Integration") -> str:
    return (
        _("The period ends %(compliance_deadline_at)s.")
        % {"compliance_deadline_at": _format_moment(integration.compliance_deadline_at)}
        if integration.compliance_deadline_at
        else _("It is held.")
    )


@attach_refusal(_describe_period)
def has_period_ended(integration: "Integration") -> bool:
    due_at = integration.compliance_deadline_at
    return due_at is not None and due_at <= integration.asking.now


def _describe_pause(integration: "Integration") -> str:
    if integration.deadline_pause_reason == evidence.PAUSED_FOR_APPEAL:
        return _("An appeal is open: it is decided first.")
    if integration.compliance_request:
        return _("Decide first: %(compliance_request)s.") % {"compliance_request": integration.compliance_request}
    return _("The partner acted: somebody looks at that first.")


@attach_refusal(_describe_pause)
def is_process_not_paused(integration: "Integration") -> bool:
    return not integration.deadline_pause_reason and not integration.compliance_request


def _list_activities(integration: "Integration") -> str:
    activities = evidence.get_compliance_facts(integration, integration.asking.now).acts
    return format_titles(_("Look first at what the partner did"), [activity.summary for activity in activities])


@attach_refusal(_list_activities)
def has_no_partner_activity(integration: "Integration") -> bool:
    """Also what no sweep has seen yet holds the process: the partner is never overtaken by our own slowness."""
    return not evidence.get_compliance_facts(integration, integration.asking.now).acts


def _describe_data_gap(integration: "Integration") -> str:
    data_up_to = evidence.get_compliance_facts(integration, integration.asking.now).up_to
    return _("What we know of its issues ends %(at)s: it must reach the end of the period.") % {
        "at": _format_moment(data_up_to)
    }


@attach_refusal(_describe_data_gap)
def is_data_complete(integration: "Integration") -> bool:
    """Nothing is decided across a gap: the answer may stand in it."""
    data_up_to, due_at = (
        evidence.get_compliance_facts(integration, integration.asking.now).up_to,
        integration.compliance_deadline_at,
    )
    return data_up_to is None or due_at is None or data_up_to >= due_at


def _is_different_person(integration: "Integration", *excluded_ids: int | None) -> bool:
    actor = integration.asking.actor
    return actor is None or actor.pk not in [user_id for user_id in excluded_ids if user_id is not None]


def _describe_notice_author(integration: "Integration") -> str:
    return _("%(by)s gave the notice: another reviewer decides on the suspension.") % {"by": integration.notice_by}


@attach_refusal(_describe_notice_author)
def is_not_notice_author(integration: "Integration") -> bool:
    return _is_different_person(integration, integration.notice_by_id)


def _describe_suspension_author(integration: "Integration") -> str:
    return _("%(by)s suspended it: another reviewer decides on the removal.") % {"by": integration.suspended_by}


@attach_refusal(_describe_suspension_author)
def is_not_suspension_author(integration: "Integration") -> bool:
    return _is_different_person(integration, integration.suspended_by_id)


@attach_refusal(gettext_noop("You gave the notice or suspended it: a reviewer who did neither decides on the appeal."))
def is_uninvolved(integration: "Integration") -> bool:
    return _is_different_person(integration, integration.notice_by_id, integration.suspended_by_id)


@attach_refusal(gettext_noop("It was appealed once; the decision on it stands."))
def is_not_appealed(integration: "Integration") -> bool:
    return integration.appealed_at is None


@attach_refusal(gettext_noop("No appeal is open."))
def is_appeal_open(integration: "Integration") -> bool:
    return integration.deadline_pause_reason == evidence.PAUSED_FOR_APPEAL


@attach_refusal(gettext_noop("An appeal is open: decide on it."))
def is_no_appeal_open(integration: "Integration") -> bool:
    return integration.deadline_pause_reason != evidence.PAUSED_FOR_APPEAL


@attach_refusal(gettext_noop("Nothing is held because of what the partner did."))
def is_paused_for_activity(integration: "Integration") -> bool:
    return integration.deadline_pause_reason == evidence.PAUSED_FOR_ACTIVITY


@attach_refusal(gettext_noop("Nobody asks for anything."))
def has_pending_request(integration: "Integration") -> bool:
    return bool(integration.compliance_request)


@attach_refusal(gettext_noop("It has been asked for already, and waits for the program."))
def has_no_pending_request(integration: "Integration") -> bool:
    return not integration.compliance_request


@attach_refusal(gettext_noop("The portal has not found that the repository is in other hands: give notice first."))
def is_repository_transferred(integration: "Integration") -> bool:
    """Without notice only where the machine itself found it, and holds it for that very reason still."""
    return bool(evidence.get_compliance_facts(integration, integration.asking.now).frozen)
