"""Guards of transitions: predicates over an integration, each with the message for a refusal.

The row holds the inputs of a transition and what its guards read as `step_context` while it is checked.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext as _, gettext_noop, ngettext

from integrations.partners import permissions
from integrations.partners.models import VerificationState
from integrations.programs.stages import Stage
from integrations.submissions.workflow.actions import UNDECIDED_STATES
from integrations.submissions.workflow.states import ReviewState
from portal.ui.components.moments import format_clock

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration

Predicate = Callable[["Integration"], bool]


def attach_refusal(message: "str | Callable[[Integration], str]") -> Callable[[Predicate], Predicate]:
    """Attach the message that is shown when the predicate is false."""

    def attach(predicate: Predicate) -> Predicate:
        # Translated when it is shown: guards are created at import, which would fix the language for all readers.
        predicate.why = message if callable(message) else lambda _: gettext(message)  # type: ignore[attr-defined]
        return predicate

    return attach


def explain_guard(predicate: Predicate, integration: "Integration") -> str:
    return str(predicate.why(integration))  # type: ignore[attr-defined]


def _list_open_titles(integration: "Integration") -> str:
    return format_titles(_("Open requirements"), [r.title for r in integration.step_context.missing])


def format_titles(heading: str, titles: list[str]) -> str:
    """Return a sentence with the first three titles and the number of the others."""
    values = {"heading": heading, "titles": "; ".join(titles[:3]), "count": len(titles) - 3}
    if len(titles) > 3:
        return _("%(heading)s: %(titles)s; and %(count)s more.") % values
    return _("%(heading)s: %(titles)s.") % values


def _describe_hold(integration: "Integration") -> str:
    return _("On hold: %(reason)s.") % {"reason": integration.hold_reason}


@attach_refusal(_describe_hold)
def is_not_on_hold(integration: "Integration") -> bool:
    return not integration.on_hold_for


@attach_refusal(gettext_noop("The integration is not on hold."))
def is_on_hold(integration: "Integration") -> bool:
    return bool(integration.on_hold_for)


COMPANY_REFUSALS = {
    VerificationState.UNVERIFIED: gettext_noop(
        "The company is not verified. An owner can verify it under “Verification” on the company page."
    ),
    VerificationState.NEEDS_DECISION: gettext_noop(
        "A reviewer must approve the name of the company first. We email its owners after the decision."
    ),
    VerificationState.REJECTED: gettext_noop(
        "The program rejected the company. An owner can change its name to request another decision."
    ),
}


def _describe_company(integration: "Integration") -> str:
    return gettext(COMPANY_REFUSALS[VerificationState(integration.partner.verification_state)])


@attach_refusal(_describe_company)
def is_company_accepted(integration: "Integration") -> bool:
    """Return whether the name of the company neither waits for a decision nor was rejected."""
    # docs/explanation/companies.md: a company can request reviews before it is verified, but not under a name that
    # waits for a decision or was rejected.
    return integration.partner.verification_state not in UNDECIDED_STATES


@attach_refusal(_describe_company)
def is_company_verified(integration: "Integration") -> bool:
    """Return whether the program knows that the company is real. Only then can its listing be public."""
    return integration.partner.is_verified


@attach_refusal(gettext_noop("The next step is the review. Request it."))
def is_review_not_next(integration: "Integration") -> bool:
    # Only submit_for_review enters a review, because it starts the round.
    return integration.next_position[1] != Stage.REVIEW


@attach_refusal(gettext_noop("The review is not the next step of this program."))
def is_review_next(integration: "Integration") -> bool:
    return integration.next_position[1] == Stage.REVIEW


@attach_refusal(_list_open_titles)
def has_no_missing_requirements(integration: "Integration") -> bool:
    return not integration.step_context.missing


@attach_refusal(gettext_noop("Waiting for the partner to make changes."))
def is_review_requested(integration: "Integration") -> bool:
    return integration.review_state == ReviewState.WAITING


@attach_refusal(gettext_noop("A first approval isn't needed or was already given."))
def is_first_approval(integration: "Integration") -> bool:
    """Return whether the step asks for two reviewers and no one who can still decide has approved this round."""
    # The first approval is possible again after the first approver lost the role or got a conflict of interest.
    return integration.current_step.review.second_reviewer and not _has_first_approval(integration)


@attach_refusal(gettext_noop("You didn't approve this round, or the second reviewer has decided."))
def is_own_first_approval(integration: "Integration") -> bool:
    actor = integration.step_context.actor
    is_own = actor is not None and actor.pk == integration.first_approver_id
    return is_own and integration.is_awaiting_second_reviewer


def _has_first_approval(integration: "Integration") -> bool:
    """Return whether the first approver can still decide: an approval of someone who lost the role doesn't count."""
    return permissions.can_decide(integration, integration.first_approver)


@attach_refusal(gettext_noop("A second reviewer must approve."))
def has_other_approval(integration: "Integration") -> bool:
    """Return whether one approval is enough, or another person gave the first one."""
    if not integration.current_step.review.second_reviewer:
        return True
    actor = integration.step_context.actor
    is_other = actor is None or actor.pk != integration.first_approver_id
    return is_other and _has_first_approval(integration)


@attach_refusal(gettext_noop("No reviewer has requested changes."))
def has_requested_changes(integration: "Integration") -> bool:
    return integration.review_state == ReviewState.CHANGES


@attach_refusal(gettext_noop("Add at least one finding before you request changes."))
def has_partner_tasks(integration: "Integration") -> bool:
    """Return whether an open finding or requirement waits for the partner."""
    # Without a task, the partner's next action would be to request another review of the same integration.
    return bool(integration.step_context.findings["open"] or integration.step_context.partner_requirements)


def _list_partner_titles(integration: "Integration") -> str:
    partner_requirements = integration.step_context.partner_requirements
    return format_titles(_("Complete these requirements first"), [missing.title for missing in partner_requirements])


@attach_refusal(_list_partner_titles)
def has_no_partner_requirements(integration: "Integration") -> bool:
    return not integration.step_context.partner_requirements


def describe_open_findings(count: int) -> str:
    message = ngettext("Respond to %(count)s open finding first.", "Respond to %(count)s open findings first.", count)
    return message % {"count": count}


@attach_refusal(lambda integration: describe_open_findings(integration.step_context.findings["open"]))
def has_no_open_findings(integration: "Integration") -> bool:
    return integration.step_context.findings["open"] == 0


@attach_refusal(gettext_noop("Verify all findings first."))
def has_only_verified_findings(integration: "Integration") -> bool:
    counts = integration.step_context.findings
    # Optional findings aren't counted, see context.count_findings: they don't block the approval.
    return counts["open"] + counts["resolved"] == 0


def _describe_claim(integration: "Integration") -> str:
    values = {"reviewer": integration.reviewer, "claim_expires_at": format_clock(integration.claim_expires_at)}
    message = _(
        "%(reviewer)s claimed this review until %(claim_expires_at)s. "
        "Wait until then, or ask them to release the claim."
    )
    return message % values


@attach_refusal(_describe_claim)
def is_not_claimed_by_other(integration: "Integration") -> bool:
    """Return whether no other reviewer's claim is active, so that two reviewers don't decide at the same time."""
    # A claim that has expired binds no one, or a reviewer who is away would block the decision.
    claim_expires_at, actor = integration.claim_expires_at, integration.step_context.actor
    return (
        claim_expires_at is None
        or claim_expires_at <= integration.step_context.now
        or actor is None
        or integration.reviewer_id == actor.pk
    )


@attach_refusal(gettext_noop("Enter a reason. We record it with the decision."))
def has_note(integration: "Integration") -> bool:
    note = integration.step_context.note
    # None: the page lists transitions before the user can enter a note.
    return note is None or bool(note.strip())


@attach_refusal(gettext_noop("The last decision can still be undone. Wait until it is final."))
def is_decision_final(integration: "Integration") -> bool:
    # Each transition ends the undo of the decision before it (services/undo.py). What builds on a decision waits, so
    # that no one loses the time to undo it.
    return integration.undo_until is None or integration.undo_until <= integration.step_context.now


EMAIL_SENT_MESSAGE = gettext_noop("You can't undo this decision. We already sent the email.")


@attach_refusal(EMAIL_SENT_MESSAGE)
def can_undo_decision(integration: "Integration") -> bool:
    return bool(
        integration.decision and integration.undo_until and integration.undo_until > integration.step_context.now
    )


@attach_refusal(gettext_noop("No other tier is available, or you already requested it."))
def can_request_tier(integration: "Integration") -> bool:
    # Without a tier among the inputs, the page lists the transition before the partner selects one.
    requestable_tiers = {t.key for t in integration.edition.tiers if t.on_request} - {integration.tier}
    requested_tier = integration.step_context.inputs.get("tier")
    return (
        not integration.tier_request
        and bool(requestable_tiers)
        and (requested_tier is None or requested_tier in requestable_tiers)
    )


@attach_refusal(gettext_noop("The partner has not requested a tier."))
def is_tier_requested(integration: "Integration") -> bool:
    return bool(integration.tier_request)


@attach_refusal(gettext_noop("Some requirements of the tier are open."))
def has_tier_requirements(integration: "Integration") -> bool:
    return integration.requested_tier is not None and not integration.step_context.missing_for_tier
