"""Guards of the compliance procedure. Each returns why it refuses a transition, as in `guards`."""

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from django.db.models import F, Q
from django.utils.translation import gettext as _, gettext_noop

from integrations.submissions.workflow.evidence import PAUSED_FOR_ACTIVITY, PAUSED_FOR_APPEAL
from integrations.submissions.workflow.guards import Guard, format_titles
from portal.accounts.models import User
from portal.ui.components.moments import format_full

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration


@dataclass(frozen=True, slots=True)
class SeparatedDecision:
    """Decision that the authors of earlier ones can't make: their columns, and the message for their refusal."""

    authors: tuple[str, ...]
    refusal: str


_APPEAL = SeparatedDecision(
    ("notice_by", "enforced_by"),
    gettext_noop("You issued the notice or the suspension. Another reviewer must decide on the appeal."),
)
# By code of the next action. Guards, pages, recipients of emails, and queries of the queue read it.
# docs/explanation/compliance.md, "Who decides": no one decides on their own decision. The rule stays if no reviewer is
# left, and the portal asks for another reviewer instead.
SEPARATED_DECISIONS = {
    "decide_on_suspension": SeparatedDecision(
        ("notice_by",), gettext_noop("%(name)s issued the notice. Another reviewer must decide on the suspension.")
    ),
    "decide_on_delisting": SeparatedDecision(
        ("enforced_by",),
        gettext_noop("%(name)s suspended the integration. Another reviewer must decide on the delisting."),
    ),
    "decide_on_notice_appeal": _APPEAL,
    "decide_on_suspension_appeal": _APPEAL,
    "decide_on_reinstatement": SeparatedDecision(
        ("enforced_by",),
        gettext_noop(
            "%(name)s suspended or delisted the integration. Another reviewer must decide on the reinstatement."
        ),
    ),
}


def list_authors(decision: SeparatedDecision | None, row: "Integration") -> list[int]:
    """Return the IDs of those who made the earlier decisions about an integration."""
    # Without None: a missing author would equal a missing user.
    return [pk for name in decision.authors if (pk := getattr(row, f"{name}_id"))] if decision else []


def is_excluded_from_decision(integration: "Integration", user_id: int | None) -> bool:
    """Return whether another person must make the pending decision, because this one made an earlier decision."""
    return user_id in list_authors(SEPARATED_DECISIONS.get(integration.next_action_code), integration)


def build_exclusion_condition(person: User | F) -> Q:
    """Return the condition for rows whose pending decision others must make, as is_excluded_from_decision."""
    names = {name for decision in SEPARATED_DECISIONS.values() for name in decision.authors}
    codes = {name: [code for code, each in SEPARATED_DECISIONS.items() if name in each.authors] for name in names}
    return reduce(or_, (Q(next_action_code__in=codes[name], **{name: person}) for name in sorted(names)))


def exclude_authors(action_code: str) -> Guard:
    """Return the guard of a decision that refuses the authors of earlier ones."""
    decision = SEPARATED_DECISIONS[action_code]

    def require_other_reviewer(integration: "Integration") -> str:
        actor = integration.step_context.actor
        if actor is None or actor.pk not in list_authors(decision, integration):
            return ""
        return _(decision.refusal) % {"name": getattr(integration, decision.authors[0])}

    return require_other_reviewer


require_other_author = exclude_authors("decide_on_reinstatement")


def require_other_reviewer_for_request(integration: "Integration") -> str:
    """Refuse a decision on the partner's request by the author of the decision that it is about."""
    # Without a request, the author can take the decision back, as with a notice.
    return require_other_author(integration) if integration.compliance_request else ""


def require_ended_period(integration: "Integration") -> str:
    due_at = integration.compliance_deadline_at
    # A paused deadline has no time, so nothing follows from it before a reviewer resumes it.
    if due_at is None:
        return _("The deadline is paused.")
    if due_at <= integration.step_context.now:
        return ""
    return _("The period ends %(compliance_deadline_at)s.") % {"compliance_deadline_at": format_full(due_at)}


def require_unpaused_process(integration: "Integration") -> str:
    if integration.deadline_pause_reason == PAUSED_FOR_APPEAL:
        return _("Decide on the open appeal first.")
    if integration.compliance_request:
        return _("Decide on the open request first: %(request)s.") % {"request": integration.compliance_request_label}
    return _("The partner responded. Review the response first.") if integration.deadline_pause_reason else ""


def require_reviewed_activity(integration: "Integration") -> str:
    """Refuse a decision before a reviewer has seen all of the partner's activity."""
    # Read live: the job that pauses the deadline after an activity can be late, which must not hurt the partner.
    summaries = [activity.summary for activity in integration.step_context.compliance.activities]
    return format_titles(_("Review the partner's activity first"), summaries) if summaries else ""


def require_complete_data(integration: "Integration") -> str:
    """Refuse a decision if the data doesn't cover the period."""
    data_up_to = integration.step_context.compliance.data_up_to
    due_at = integration.compliance_deadline_at
    # The response that ends the procedure might be in a gap. Without a monitored repository, there is no gap.
    if data_up_to is None or due_at is None or data_up_to >= due_at:
        return ""
    return _("Our issue data ends %(time)s. It must cover the entire period.") % {"time": format_full(data_up_to)}


def require_no_earlier_appeal(integration: "Integration") -> str:
    # Each new listing status clears the time of the appeal, so there is one appeal against each decision.
    return _("You already appealed. You can appeal each decision once.") if integration.appealed_at else ""


def require_open_appeal(integration: "Integration") -> str:
    return "" if integration.deadline_pause_reason == PAUSED_FOR_APPEAL else _("No appeal is open.")


def require_no_open_appeal(integration: "Integration") -> str:
    return _("The open appeal must be decided first.") if integration.deadline_pause_reason == PAUSED_FOR_APPEAL else ""


def require_pause_for_activity(integration: "Integration") -> str:
    is_paused = integration.deadline_pause_reason == PAUSED_FOR_ACTIVITY
    return "" if is_paused else _("The deadline is not paused for a partner response.")


def require_pending_request(integration: "Integration") -> str:
    return "" if integration.compliance_request else _("No request is open.")


def require_no_pending_request(integration: "Integration") -> str:
    return _("A request is already waiting for the program.") if integration.compliance_request else ""


def require_transferred_repository(integration: "Integration") -> str:
    """Refuse unless the integration is on hold because its repository belongs to someone else."""
    # docs/explanation/compliance.md, "Steps": the only suspension without a notice period.
    is_transferred = integration.step_context.compliance.is_transferred
    return "" if is_transferred else _("We found no change of the repository owner. Issue a notice first.")
