"""Guards of transitions. Each returns why an integration refuses a transition; a blank text allows it.

The row holds the inputs of a transition and what its guards read as `step_context` while it is checked.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from django.utils.translation import gettext as _, gettext_noop, ngettext
from django_fsm import transition

from integrations.partners import permissions, refusals
from integrations.partners.models import VerificationState
from integrations.submissions.workflow.actions import UNDECIDED_STATES
from integrations.submissions.workflow.states import ReviewState, Stage
from portal.ui.components.moments import format_clock

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration

Guard = Callable[["Integration"], str]
Method = TypeVar("Method", bound=Callable[..., object])


def guarded_transition(field: str, *, guards: Sequence[Guard] = (), **arguments: object) -> Callable[[Method], Method]:
    """Return the decorator of a transition of a field. `perform_transition` asks its guards."""
    return transition(field=field, custom={"guards": tuple(guards)}, **arguments)


def format_titles(heading: str, titles: list[str]) -> str:
    """Return a sentence with the first three titles and the number of the others."""
    values = {"heading": heading, "titles": "; ".join(titles[:3]), "count": len(titles) - 3}
    if len(titles) > 3:
        return _("%(heading)s: %(titles)s; and %(count)s more.") % values
    return _("%(heading)s: %(titles)s.") % values


def require_no_hold(integration: "Integration") -> str:
    reason = integration.hold_reason.removesuffix(".")
    return _("On hold: %(reason)s.") % {"reason": reason} if integration.on_hold_for else ""


def require_hold(integration: "Integration") -> str:
    return "" if integration.on_hold_for else _("The integration is not on hold.")


def require_accepted_company(integration: "Integration") -> str:
    """Refuse a company whose name waits for a decision or was rejected."""
    # docs/explanation/companies.md: a company can request reviews before it is verified, but not under a name that
    # waits for a decision or was rejected.
    state = VerificationState(integration.partner.verification_state)
    return refusals.get_company_refusal(state) if state in UNDECIDED_STATES else ""


def require_verified_company(integration: "Integration") -> str:
    """Refuse a company that the program doesn't know to be real, because its listing can't be public."""
    state = VerificationState(integration.partner.verification_state)
    return "" if integration.partner.is_verified else refusals.get_company_refusal(state)


def require_next_step_without_review(integration: "Integration") -> str:
    # Only submit_for_review enters a review, because it starts the round.
    is_review = integration.next_position[1] == Stage.REVIEW
    return _("The next step is the review. Request it.") if is_review else ""


def require_next_step_with_review(integration: "Integration") -> str:
    is_review = integration.next_position[1] == Stage.REVIEW
    return "" if is_review else _("The review is not the next step of this program.")


def require_met_requirements(integration: "Integration") -> str:
    missing = integration.step_context.missing
    return format_titles(_("Open requirements"), [each.title for each in missing]) if missing else ""


def require_requested_review(integration: "Integration") -> str:
    is_requested = integration.review_state == ReviewState.WAITING
    return "" if is_requested else _("Waiting for the partner to make changes.")


def needs_first_approval(integration: "Integration") -> bool:
    """Return whether the step asks for two reviewers and no one who can still decide has approved this round."""
    # The first approval is possible again after the first approver lost the role or got a conflict of interest.
    return integration.current_step.review.second_reviewer and not _has_first_approval(integration)


def _has_first_approval(integration: "Integration") -> bool:
    """Return whether the first approver can still decide: an approval of someone who lost the role doesn't count."""
    return permissions.can_decide(integration, integration.first_approver)


def require_missing_first_approval(integration: "Integration") -> str:
    return "" if needs_first_approval(integration) else _("A first approval isn't needed or was already given.")


def require_own_first_approval(integration: "Integration") -> str:
    actor = integration.step_context.actor
    is_own = actor is not None and actor.pk == integration.first_approver_id
    is_undoable = is_own and integration.is_awaiting_second_reviewer
    return "" if is_undoable else _("You didn't approve this round, or the second reviewer has decided.")


SECOND_REVIEWER_MESSAGE = gettext_noop("A second reviewer must approve.")


def require_other_approval(integration: "Integration") -> str:
    """Refuse an approval if the step asks for two reviewers and no other person gave the first one."""
    if needs_first_approval(integration):
        # The approval that the reviewer saw was undone or withdrawn, and theirs can be the first one instead.
        return _("Two reviewers must approve. Approve as the first reviewer.")
    actor = integration.step_context.actor
    is_own = actor is not None and actor.pk == integration.first_approver_id
    return _(SECOND_REVIEWER_MESSAGE) if is_own and integration.current_step.review.second_reviewer else ""


def require_requested_changes(integration: "Integration") -> str:
    return "" if integration.review_state == ReviewState.CHANGES else _("No reviewer has requested changes.")


def require_partner_tasks(integration: "Integration") -> str:
    """Refuse a request for changes if no open finding or requirement waits for the partner."""
    # Without a task, the partner's next action would be to request another review of the same integration.
    has_tasks = integration.step_context.findings["open"] or integration.step_context.partner_requirements
    return "" if has_tasks else _("Add at least one finding before you request changes.")


def require_met_partner_requirements(integration: "Integration") -> str:
    titles = [missing.title for missing in integration.step_context.partner_requirements]
    return format_titles(_("Complete these requirements first"), titles) if titles else ""


def describe_open_findings(count: int) -> str:
    message = ngettext("Respond to %(count)s open finding first.", "Respond to %(count)s open findings first.", count)
    return message % {"count": count}


def require_answered_findings(integration: "Integration") -> str:
    open_count = integration.step_context.findings["open"]
    return describe_open_findings(open_count) if open_count else ""


def require_verified_findings(integration: "Integration") -> str:
    counts = integration.step_context.findings
    # Optional findings aren't counted, see context.count_findings: they don't block the approval.
    return _("Verify all findings first.") if counts["open"] + counts["resolved"] else ""


def require_no_other_claim(integration: "Integration") -> str:
    """Refuse while another reviewer's claim is active, so that two reviewers don't decide at the same time."""
    claim_expires_at = integration.claim_expires_at
    actor = integration.step_context.actor
    # A claim that has expired binds no one, or a reviewer who is away would block the decision.
    is_active = claim_expires_at is not None and claim_expires_at > integration.step_context.now
    if not is_active or actor is None or integration.reviewer_id == actor.pk:
        return ""
    # Nor does the claim of someone who no longer reviews the program.
    if not permissions.can_review_program(integration.program_key, integration.reviewer):
        return ""
    message = _(
        "%(reviewer)s claimed this review until %(claim_expires_at)s. "
        "Wait until then, or ask them to release the claim."
    )
    return message % {"reviewer": integration.reviewer, "claim_expires_at": format_clock(claim_expires_at)}


def require_note(integration: "Integration") -> str:
    note = integration.step_context.note
    # None: the page lists transitions before the user can enter a note.
    has_note = note is None or note.strip()
    return "" if has_note else _("Enter a reason. We record it with the decision.")


def require_final_decision(integration: "Integration") -> str:
    # Each transition ends the undo of the decision before it (services/undo.py). What builds on a decision waits, so
    # that no one loses the time to undo it.
    is_final = integration.undo_until is None or integration.undo_until <= integration.step_context.now
    return "" if is_final else _("The last decision can still be undone. Wait until it is final.")


EMAIL_SENT_MESSAGE = gettext_noop("You can't undo this decision. We already sent the email.")


def require_undoable_decision(integration: "Integration") -> str:
    is_in_time = integration.undo_until is not None and integration.undo_until > integration.step_context.now
    return "" if integration.decision and is_in_time else _(EMAIL_SENT_MESSAGE)


def require_requestable_tier(integration: "Integration") -> str:
    # Without a tier among the inputs, the page lists the transition before the partner selects one.
    requestable_tiers = {t.key for t in integration.edition.tiers if t.on_request} - {integration.tier}
    tier = integration.step_context.inputs.get("tier")
    is_requestable = tier in requestable_tiers if tier is not None else bool(requestable_tiers)
    can_request = is_requestable and not integration.tier_request
    return "" if can_request else _("No other tier is available, or you already requested it.")


def require_requested_tier(integration: "Integration") -> str:
    return "" if integration.tier_request else _("The partner has not requested a tier.")


def require_tier_requirements(integration: "Integration") -> str:
    is_met = integration.requested_tier is not None and not integration.step_context.missing_for_tier
    return "" if is_met else _("Some requirements of the tier are open.")
