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
from integrations.submissions.workflow import evidence
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
    return _format_titles(
        _("Still open"), [r.title for r in context.list_missing_next(integration, integration.asking.now)]
    )


def _format_titles(heading: str, titles: list[str]) -> str:
    values = {"what": heading, "titles": "; ".join(titles[:3]), "more": len(titles) - 3}
    return (_("%(what)s: %(titles)s and %(more)s more.") if len(titles) > 3 else _("%(what)s: %(titles)s.")) % values


def _describe_hold(integration: "Integration") -> str:
    return _("On hold: %(reason)s.") % {"reason": integration.hold_reason}


@attach_refusal(_describe_hold)
def is_not_on_hold(integration: "Integration") -> bool:
    return not integration.hold


@attach_refusal(gettext_noop("It is not on hold."))
def is_on_hold(integration: "Integration") -> bool:
    return bool(integration.hold)


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
    return _format_titles(_("Still yours to settle"), [missing.title for missing in partner_requirements])


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
    return counts.get("open", 0) + counts.get("fixed", 0) == 0


def _describe_claim(integration: "Integration") -> str:
    return _("%(reviewer)s has it until %(claimed_until)s UTC. Claim it then, or ask for it.") % {
        "reviewer": integration.reviewer,
        "claimed_until": f"{integration.claimed_until:%H:%M}",
    }


@attach_refusal(_describe_claim)
def is_not_claimed_by_other(integration: "Integration") -> bool:
    """Two reviewers do not decide beside each other: while a claim runs, the decision is its holder's."""
    claim_expires_at, actor = integration.claimed_until, integration.asking.actor
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


# -- the due process of a standing -------------------------------------------------------------------------


def _format_moment(moment: datetime | None) -> str:
    return f"{moment:%a} {moment.day} {moment:%b}, {moment:%H:%M} UTC" if moment else ""


def _describe_period(integration: "Integration") -> str:
    return (
        _("The period ends %(standing_due_at)s.") % {"standing_due_at": _format_moment(integration.standing_due_at)}
        if integration.standing_due_at
        else _("It is held.")
    )


@attach_refusal(_describe_period)
def has_period_ended(integration: "Integration") -> bool:
    due_at = integration.standing_due_at
    return due_at is not None and due_at <= integration.asking.now


def _describe_pause(integration: "Integration") -> str:
    if integration.standing_hold == evidence.PAUSED_FOR_APPEAL:
        return _("An appeal is open: it is decided first.")
    if integration.standing_ask:
        return _("Decide first: %(standing_ask)s.") % {"standing_ask": integration.standing_ask}
    return _("The partner acted: somebody looks at that first.")


@attach_refusal(_describe_pause)
def is_process_not_paused(integration: "Integration") -> bool:
    return not integration.standing_hold and not integration.standing_ask


def _list_activities(integration: "Integration") -> str:
    activities = evidence.get_compliance_facts(integration, integration.asking.now).acts
    return _format_titles(_("Look first at what the partner did"), [activity.said for activity in activities])


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
        integration.standing_due_at,
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
    return integration.standing_hold == evidence.PAUSED_FOR_APPEAL


@attach_refusal(gettext_noop("An appeal is open: decide on it."))
def is_no_appeal_open(integration: "Integration") -> bool:
    return integration.standing_hold != evidence.PAUSED_FOR_APPEAL


@attach_refusal(gettext_noop("Nothing is held because of what the partner did."))
def is_paused_for_activity(integration: "Integration") -> bool:
    return integration.standing_hold == evidence.PAUSED_FOR_ACTIVITY


@attach_refusal(gettext_noop("Nobody asks for anything."))
def has_pending_request(integration: "Integration") -> bool:
    return bool(integration.standing_ask)


@attach_refusal(gettext_noop("It has been asked for already, and waits for the program."))
def has_no_pending_request(integration: "Integration") -> bool:
    return not integration.standing_ask


@attach_refusal(gettext_noop("The portal has not found that the repository is in other hands: give notice first."))
def is_repository_transferred(integration: "Integration") -> bool:
    """Without notice only where the machine itself found it, and holds it for that very reason still."""
    return bool(evidence.get_compliance_facts(integration, integration.asking.now).frozen)
