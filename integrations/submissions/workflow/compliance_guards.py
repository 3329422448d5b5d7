"""Guards of the compliance procedure, each with the message for a refusal."""

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from django.db.models import F, Q
from django.utils.translation import gettext as _, gettext_noop

from integrations.submissions.workflow import evidence
from integrations.submissions.workflow.guards import Predicate, attach_refusal, format_titles
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
    ("notice_by", "suspended_by"),
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
        ("suspended_by",),
        gettext_noop("%(name)s suspended the integration. Another reviewer must decide on the delisting."),
    ),
    "decide_on_notice_appeal": _APPEAL,
    "decide_on_suspension_appeal": _APPEAL,
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


def exclude_authors(action_code: str) -> Predicate:
    """Return the guard of a decision that refuses the authors of earlier ones."""
    decision = SEPARATED_DECISIONS[action_code]

    def describe_authors(integration: "Integration") -> str:
        return _(decision.refusal) % {"name": getattr(integration, decision.authors[0])}

    @attach_refusal(describe_authors)
    def is_not_author_of_earlier_decision(integration: "Integration") -> bool:
        actor = integration.step_context.actor
        return actor is None or actor.pk not in list_authors(decision, integration)

    return is_not_author_of_earlier_decision


def _describe_period(integration: "Integration") -> str:
    due_at = integration.compliance_deadline_at
    if due_at is None:
        return _("The deadline is paused.")
    return _("The period ends %(compliance_deadline_at)s.") % {"compliance_deadline_at": format_full(due_at)}


@attach_refusal(_describe_period)
def has_period_ended(integration: "Integration") -> bool:
    due_at = integration.compliance_deadline_at
    # A paused deadline has no time, so nothing follows from it before a reviewer resumes it.
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
    """Return whether a reviewer has seen all of the partner's activity."""
    # Read live: the job that pauses the deadline after an activity can be late, which must not hurt the partner.
    return not integration.step_context.compliance.activities


def _describe_data_gap(integration: "Integration") -> str:
    data_up_to = integration.step_context.compliance.data_up_to
    time = format_full(data_up_to) if data_up_to else ""
    return _("Our issue data ends %(time)s. It must cover the entire period.") % {"time": time}


@attach_refusal(_describe_data_gap)
def is_data_complete(integration: "Integration") -> bool:
    """Return whether the data covers the period."""
    data_up_to, due_at = integration.step_context.compliance.data_up_to, integration.compliance_deadline_at
    # The response that ends the procedure might be in a gap. Without a monitored repository, there is no gap.
    return data_up_to is None or due_at is None or data_up_to >= due_at


@attach_refusal(gettext_noop("You already appealed. You can appeal each decision once."))
def is_not_appealed(integration: "Integration") -> bool:
    # Each new listing status clears the time of the appeal, so there is one appeal against each decision.
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
    # docs/explanation/compliance.md, "Steps": the only suspension without a notice period.
    return bool(integration.step_context.compliance.freeze_reason)
