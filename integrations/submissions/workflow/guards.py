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
class Asking:
    """What a step is asked with. A note of None: only looking, nobody has written one yet."""

    now: datetime
    by: Any = None
    note: str | None = None
    inputs: dict[str, Any] = field(default_factory=dict)


def guard(sentence: "str | Callable[[Integration], str]") -> Callable[[Predicate], Predicate]:
    """Attach the sentence that is shown when the predicate says no."""

    def attach(predicate: Predicate) -> Predicate:
        predicate.why = sentence if callable(sentence) else lambda _: gettext(sentence)  # type: ignore[attr-defined]
        return predicate

    return attach


def why_not(predicate: Predicate, integration: "Integration") -> str:
    return str(predicate.why(integration))  # type: ignore[attr-defined]


def _titles(integration: "Integration") -> str:
    return _listed(_("Still open"), [r.title for r in context.missing_next(integration, integration.asking.now)])


def _listed(what: str, titles: list[str]) -> str:
    said = {"what": what, "titles": "; ".join(titles[:3]), "more": len(titles) - 3}
    return (_("%(what)s: %(titles)s and %(more)s more.") if len(titles) > 3 else _("%(what)s: %(titles)s.")) % said


def _hold(integration: "Integration") -> str:
    return _("On hold: %(reason)s.") % {"reason": integration.hold_reason}


@guard(_hold)
def not_held(integration: "Integration") -> bool:
    return not integration.hold


@guard(gettext_noop("It is not on hold."))
def held(integration: "Integration") -> bool:
    return bool(integration.hold)


@guard(gettext_noop("The next step is the review: request it."))
def review_is_not_next(integration: "Integration") -> bool:
    return integration.next_position[1] != Stage.REVIEW


@guard(gettext_noop("The review is not the next step of this program."))
def review_is_next(integration: "Integration") -> bool:
    return integration.next_position[1] == Stage.REVIEW


@guard(_titles)
def nothing_missing(integration: "Integration") -> bool:
    return not context.missing_next(integration, integration.asking.now)


@guard(gettext_noop("The partner has been asked for changes and works on them."))
def review_was_requested(integration: "Integration") -> bool:
    return integration.review_state == ReviewState.WAITING


@guard(gettext_noop("Nobody asked for changes."))
def changes_were_requested(integration: "Integration") -> bool:
    return integration.review_state == ReviewState.CHANGES


@guard(gettext_noop("Write at least one finding first: it tells the partner what to change."))
def something_is_asked(integration: "Integration") -> bool:
    """A finding, or a requirement that waits for the partner: the turn is handed over for either."""
    return bool(
        context.finding_counts(integration).get("open", 0) or context.partners_part(integration, integration.asking.now)
    )


def _partners_part(integration: "Integration") -> str:
    mine = context.partners_part(integration, integration.asking.now)
    return _listed(_("Still yours to settle"), [missing.title for missing in mine])


@guard(_partners_part)
def partners_part_done(integration: "Integration") -> bool:
    return not context.partners_part(integration, integration.asking.now)


def _open_findings(integration: "Integration") -> str:
    count = context.finding_counts(integration).get("open", 0)
    return ngettext(
        "%(count)s of the findings waits for your answer.", "%(count)s of the findings wait for your answer.", count
    ) % {"count": count}


@guard(_open_findings)
def findings_answered(integration: "Integration") -> bool:
    return context.finding_counts(integration).get("open", 0) == 0


@guard(gettext_noop("Each finding must be verified first."))
def findings_verified(integration: "Integration") -> bool:
    counts = context.finding_counts(integration)
    return counts.get("open", 0) + counts.get("fixed", 0) == 0


def _holder_of_the_claim(integration: "Integration") -> str:
    return _("%(reviewer)s has it until %(claimed_until)s UTC. Claim it then, or ask for it.") % {
        "reviewer": integration.reviewer,
        "claimed_until": f"{integration.claimed_until:%H:%M}",
    }


@guard(_holder_of_the_claim)
def nobody_else_has_it(integration: "Integration") -> bool:
    """Two reviewers do not decide beside each other: while a claim runs, the decision is its holder's."""
    until, by = integration.claimed_until, integration.asking.by
    return until is None or until <= integration.asking.now or by is None or integration.reviewer_id == by.pk


@guard(gettext_noop("Say why: the reason is part of the decision."))
def note_given(integration: "Integration") -> bool:
    note = integration.asking.note
    return note is None or bool(note.strip())


@guard(gettext_noop("The decision can still be undone: wait until it is final."))
def decision_is_final(integration: "Integration") -> bool:
    return integration.undo_until is None or integration.undo_until <= integration.asking.now


@guard(gettext_noop("The decision is final: its mail has gone."))
def decision_can_be_undone(integration: "Integration") -> bool:
    return bool(integration.decision and integration.undo_until and integration.undo_until > integration.asking.now)


@guard(gettext_noop("There is no further tier to ask for, or it has been asked for already."))
def tier_can_be_asked(integration: "Integration") -> bool:
    open_to_ask = {t.key for t in integration.edition.tiers if t.on_request} - {integration.tier}
    asked = integration.asking.inputs.get("tier")
    return not integration.tier_request and bool(open_to_ask) and (asked is None or asked in open_to_ask)


@guard(gettext_noop("Nobody asked for a tier."))
def tier_was_asked(integration: "Integration") -> bool:
    return bool(integration.tier_request)


@guard(gettext_noop("The tier's requirements are not all met."))
def tier_is_complete(integration: "Integration") -> bool:
    tier = integration.edition.tier(integration.tier_request)
    return tier is not None and not context.missing_for_tier(integration, tier, integration.asking.now)


# -- the due process of a standing -------------------------------------------------------------------------


def _moment(at: datetime | None) -> str:
    return f"{at:%a} {at.day} {at:%b}, {at:%H:%M} UTC" if at else ""


def _period(integration: "Integration") -> str:
    return (
        _("The period ends %(standing_due_at)s.") % {"standing_due_at": _moment(integration.standing_due_at)}
        if integration.standing_due_at
        else _("It is held.")
    )


@guard(_period)
def period_has_ended(integration: "Integration") -> bool:
    due = integration.standing_due_at
    return due is not None and due <= integration.asking.now


def _why_held(integration: "Integration") -> str:
    if integration.standing_hold == evidence.HELD_FOR_APPEAL:
        return _("An appeal is open: it is decided first.")
    if integration.standing_ask:
        return _("Decide first: %(standing_ask)s.") % {"standing_ask": integration.standing_ask}
    return _("The partner acted: somebody looks at that first.")


@guard(_why_held)
def process_not_held(integration: "Integration") -> bool:
    return not integration.standing_hold and not integration.standing_ask


def _acts(integration: "Integration") -> str:
    acts = evidence.known(integration, integration.asking.now).acts
    return _listed(_("Look first at what the partner did"), [act.said for act in acts])


@guard(_acts)
def partner_has_not_acted(integration: "Integration") -> bool:
    """Also what no sweep has seen yet holds the process: the partner is never overtaken by our own slowness."""
    return not evidence.known(integration, integration.asking.now).acts


def _behind(integration: "Integration") -> str:
    known = evidence.known(integration, integration.asking.now).up_to
    return _("What we know of its issues ends %(at)s: it must reach the end of the period.") % {"at": _moment(known)}


@guard(_behind)
def known_far_enough(integration: "Integration") -> bool:
    """Nothing is decided across a gap: the answer may stand in it."""
    known, due = evidence.known(integration, integration.asking.now).up_to, integration.standing_due_at
    return known is None or due is None or known >= due


def _is_not(integration: "Integration", *people: int | None) -> bool:
    by = integration.asking.by
    return by is None or by.pk not in [person for person in people if person is not None]


def _notice_by(integration: "Integration") -> str:
    return _("%(by)s gave the notice: another reviewer decides on the suspension.") % {"by": integration.notice_by}


@guard(_notice_by)
def another_gave_the_notice(integration: "Integration") -> bool:
    return _is_not(integration, integration.notice_by_id)


def _suspended_by(integration: "Integration") -> str:
    return _("%(by)s suspended it: another reviewer decides on the removal.") % {"by": integration.suspended_by}


@guard(_suspended_by)
def another_suspended_it(integration: "Integration") -> bool:
    return _is_not(integration, integration.suspended_by_id)


@guard(gettext_noop("You gave the notice or suspended it: a reviewer who did neither decides on the appeal."))
def took_no_part(integration: "Integration") -> bool:
    return _is_not(integration, integration.notice_by_id, integration.suspended_by_id)


@guard(gettext_noop("It was appealed once; the decision on it stands."))
def not_appealed_yet(integration: "Integration") -> bool:
    return integration.appealed_at is None


@guard(gettext_noop("No appeal is open."))
def appeal_is_open(integration: "Integration") -> bool:
    return integration.standing_hold == evidence.HELD_FOR_APPEAL


@guard(gettext_noop("An appeal is open: decide on it."))
def no_appeal_is_open(integration: "Integration") -> bool:
    return integration.standing_hold != evidence.HELD_FOR_APPEAL


@guard(gettext_noop("Nothing is held because of what the partner did."))
def held_for_an_act(integration: "Integration") -> bool:
    return integration.standing_hold == evidence.HELD_FOR_ACT


@guard(gettext_noop("Nobody asks for anything."))
def something_waits(integration: "Integration") -> bool:
    return bool(integration.standing_ask)


@guard(gettext_noop("It has been asked for already, and waits for the program."))
def nothing_waits(integration: "Integration") -> bool:
    return not integration.standing_ask


@guard(gettext_noop("The portal has not found that the repository is in other hands: give notice first."))
def in_other_hands(integration: "Integration") -> bool:
    """Without notice only where the machine itself found it, and holds it for that very reason still."""
    return bool(evidence.known(integration, integration.asking.now).frozen)
