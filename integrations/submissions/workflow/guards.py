"""Is it ready? Predicates over an integration, each with the sentence that is shown when it says no.

What was asked for (the moment, the note, further inputs) stands on the row as `asking` while a step is tried.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext as _

from integrations.programs.schema import Stage
from integrations.submissions.selectors import context
from integrations.submissions.workflow.states import ReviewState

if TYPE_CHECKING:
    from integrations.submissions.models.integration import Integration

Predicate = Callable[["Integration"], bool]


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a step is asked with. A note of None: only looking, nobody has written one yet."""

    now: datetime
    actor: Any = None
    note: str | None = None
    inputs: dict[str, Any] = field(default_factory=dict)


def attach_refusal(message: "str | Callable[[Integration], str]") -> Callable[[Predicate], Predicate]:
    """Attach the sentence that is shown when the predicate says no."""

    def attach(predicate: Predicate) -> Predicate:
        predicate.why = message if callable(message) else lambda _: gettext(message)  # type: ignore[attr-defined]
        return predicate

    return attach


def explain_guard(predicate: Predicate, integration: "Integration") -> str:
    return str(predicate.why(integration))  # type: ignore[attr-defined]


def _list_open_titles(integration: "Integration") -> str:
    return format_titles(
        _("Still open"), [r.title for r in context.list_missing_next(integration, integration.asking.now)]
    )


def format_titles(heading: str, titles: list[str]) -> str:
    """Return one sentence with the first three titles and the number of the others."""
    values = {"what": heading, "titles": "; ".join(titles[:3]), "more": len(titles) - 3}
    return (_("%(what)s: %(titles)s and %(more)s more.") if len(titles) > 3 else _("%(what)s: %(titles)s.")) % values


def _describe_hold(integration: "Integration") -> str:
    return _("On hold: %(reason)s.") % {"reason": integration.hold_reason}


@attach_refusal(_describe_hold)
def is_not_on_hold(integration: "Integration") -> bool:
    return not integration.on_hold_for


@attach_refusal(gettext_noop("It is not on hold."))
def is_on_hold(integration: "Integration") -> bool:
    return bool(integration.on_hold_for)


@attach_refusal(gettext_noop("The next step is the review: request it."))
def is_review_not_next(integration: "Integration") -> bool:
    return integration.next_position[1] != Stage.REVIEW


@attach_refusal(gettext_noop("The review is not the next step of this program."))
def is_review_next(integration: "Integration") -> bool:
    return integration.next_position[1] == Stage.REVIEW


@attach_refusal(_list_open_titles)
def has_no_missing_requirements(integration: "Integration") -> bool:
    return not context.list_missing_next(integration, integration.asking.now)


@attach_refusal(gettext_noop("The partner has been asked for changes and works on them."))
def is_review_requested(integration: "Integration") -> bool:
    return integration.review_state == ReviewState.WAITING


@attach_refusal(gettext_noop("Nobody asked for changes."))
def has_requested_changes(integration: "Integration") -> bool:
    return integration.review_state == ReviewState.CHANGES


@attach_refusal(gettext_noop("Write at least one finding first: it tells the partner what to change."))
def has_partner_tasks(integration: "Integration") -> bool:
    """A finding, or a requirement that waits for the partner: the turn is handed over for either."""
    return bool(
        context.count_findings(integration).get("open", 0)
        or context.list_partner_requirements(integration, integration.asking.now)
    )


def _list_partner_titles(integration: "Integration") -> str:
    partner_requirements = context.list_partner_requirements(integration, integration.asking.now)
    return format_titles(_("Still yours to settle"), [missing.title for missing in partner_requirements])


@attach_refusal(_list_partner_titles)
def has_no_partner_requirements(integration: "Integration") -> bool:
    return not context.list_partner_requirements(integration, integration.asking.now)


def _describe_open_findings(integration: "Integration") -> str:
    count = context.count_findings(integration).get("open", 0)
    return ngettext(
        "%(count)s of the findings waits for your answer.", "%(count)s of the findings wait for your answer.", count
    ) % {"count": count}


@attach_refusal(_describe_open_findings)
def has_no_open_findings(integration: "Integration") -> bool:
    return context.count_findings(integration).get("open", 0) == 0


@attach_refusal(gettext_noop("Each finding must be verified first."))
def has_only_verified_findings(integration: "Integration") -> bool:
    counts = context.count_findings(integration)
    return counts.get("open", 0) + counts.get("resolved", 0) == 0


def _describe_claim(integration: "Integration") -> str:
    return _(
        "%(reviewer)s claimed this review until %(claim_expires_at)s UTC. "
        "Wait until then, or ask them to release the claim."
    ) % {
        "reviewer": integration.reviewer,
        "claim_expires_at": f"{integration.claim_expires_at:%H:%M}",
    }


@attach_refusal(_describe_claim)
def is_not_claimed_by_other(integration: "Integration") -> bool:
    """Two reviewers do not decide beside each other: while a claim runs, the decision is its holder's."""
    claim_expires_at, actor = integration.claim_expires_at, integration.asking.actor
    return (
        claim_expires_at is None
        or claim_expires_at <= integration.asking.now
        or actor is None
        or integration.reviewer_id == actor.pk
    )


@attach_refusal(gettext_noop("Say why: the reason is part of the decision."))
def has_note(integration: "Integration") -> bool:
    note = integration.asking.note
    return note is None or bool(note.strip())


@attach_refusal(gettext_noop("The decision can still be undone: wait until it is final."))
def is_decision_final(integration: "Integration") -> bool:
    return integration.undo_until is None or integration.undo_until <= integration.asking.now


@attach_refusal(gettext_noop("The decision is final: its mail has gone."))
def can_undo_decision(integration: "Integration") -> bool:
    return bool(integration.decision and integration.undo_until and integration.undo_until > integration.asking.now)


@attach_refusal(gettext_noop("There is no further tier to ask for, or it has been asked for already."))
def can_request_tier(integration: "Integration") -> bool:
    requestable_tiers = {t.key for t in integration.edition.tiers if t.on_request} - {integration.tier}
    requested_tier = integration.asking.inputs.get("tier")
    return (
        not integration.tier_request
        and bool(requestable_tiers)
        and (requested_tier is None or requested_tier in requestable_tiers)
    )


@attach_refusal(gettext_noop("Nobody asked for a tier."))
def is_tier_requested(integration: "Integration") -> bool:
    return bool(integration.tier_request)


@attach_refusal(gettext_noop("The tier's requirements are not all met."))
def has_tier_requirements(integration: "Integration") -> bool:
    tier = integration.edition.tier(integration.tier_request)
    return tier is not None and not context.list_missing_for_tier(integration, tier, integration.asking.now)
