"""Services that decide on companies whose name looks like a reserved one or like another company's."""

from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from integrations.partners import selectors
from integrations.partners.models import Partner, VerificationState
from integrations.partners.name_validation import explain_name_concern
from integrations.partners.services.changes import PartnerChange, change_partner
from portal.accounts.models import User
from portal.core.errors import ActionRefused


def apply_name_check(change: PartnerChange) -> str:
    """Set the state that the new name of a locked partner requires. Return why it needs a decision, if it does.

    Record the request for a decision afterward, so that no event shows the name before the company is hidden.
    """
    partner, concern = change.partner, ""
    # An approved name needs no second decision, whatever else changes.
    if partner.name != partner.approved_name:
        with translation.override(settings.LANGUAGE_CODE):  # the history stores texts for all readers
            concern = _explain_concern(partner)
    if concern:
        partner.verification_state = VerificationState.NEEDS_DECISION
    elif partner.is_awaiting_decision:
        _restore_state(partner)
    partner.save()
    return concern


def request_decision(change: PartnerChange, concern: str) -> None:
    """Record that a partner needs a decision, if there is a concern."""
    if concern:
        change.record("partner.decision_requested", concern=concern)


def _explain_concern(partner: Partner) -> str:
    """Return why the program must decide, or an empty string. A rejected company needs an approval under any name."""
    if concern := explain_name_concern(partner):
        return concern
    # A company could leave its rejection behind by a small change of its name.
    decision = selectors.list_decisions(partner).filter(event_type__in=("partner.approved", "partner.rejected")).first()
    if decision is not None and decision.event_type == "partner.rejected":
        return _("The company was rejected under another name.")
    return ""


def approve_partner(partner: Partner, note: str, *, actor: User, now: datetime) -> None:
    """Approve the name of a company that waits for a decision or was rejected. Raises ActionRefused."""
    with change_partner(partner.pk, actor=actor, now=now) as change:
        change.require_decider(note)
        partner = change.partner
        if not (partner.is_awaiting_decision or partner.is_rejected):
            raise ActionRefused(_("This company needs no decision. Reload the page."), "conflict")
        partner.approved_name = partner.name
        _restore_state(partner)
        partner.save()
        change.record("partner.approved", note=note.strip(), state=partner.verification_state)


def reject_partner(partner: Partner, note: str, *, actor: User, now: datetime) -> None:
    """Reject a company, which hides it from the public. Raises ActionRefused."""
    with change_partner(partner.pk, actor=actor, now=now) as change:
        change.require_decider(note)
        partner = change.partner
        if partner.is_rejected:
            raise ActionRefused(_("This company was already rejected. Reload the page."), "conflict")
        # Otherwise, the company could return to its approved name without a decision.
        partner.verification_state, partner.approved_name = VerificationState.REJECTED, ""
        partner.save()
        change.record("partner.rejected", note=note.strip())


def _restore_state(partner: Partner) -> None:
    """Set the state that follows from the proofs."""
    is_proven = partner.verifications.exists()
    partner.verification_state = VerificationState.VERIFIED if is_proven else VerificationState.UNVERIFIED
