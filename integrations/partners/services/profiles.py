"""Services that create partners, change their name and website, and decide on names.

A name that looks like a reserved one or like another company's needs a decision of the program.
"""

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from integrations.partners import name_validation, permissions, selectors
from integrations.partners.models import Membership, Partner, Role, VerificationState
from integrations.partners.services import verification
from integrations.partners.services.changes import PartnerChange, change_partner
from portal.accounts.models import User
from portal.core.errors import ActionRefused

FIELD_LABELS = {"name": "Name", "website": "Website"}


def create_partner(name: str, *, website: str = "", domain: str = "", actor: User, now: datetime) -> Partner:
    """Create a partner with `actor` as its owner. An owner's confirmed address at its domain verifies it.

    A name that looks like a reserved one or like another company's needs a decision of the program.

    Raises:
        ActionRefused: The name is not allowed or too similar to an existing one.
    """
    name = " ".join(name.split())
    if refusal := explain_name_refusal(None, name, now):
        raise ActionRefused(refusal, "validation-error")
    try:
        with transaction.atomic():
            partner = Partner.objects.create(
                name=name, slug=name_validation.generate_slug(name), website=website, domain=domain, created_at=now
            )
            Membership.objects.create(partner=partner, user=actor, role=Role.OWNER, joined_at=now)
            change = PartnerChange(partner, actor, now)
            # Before the event, which public pages and feeds read: none may show the name before the company is hidden.
            concern = _apply_name_check(change)
            change.record("partner.created", name=name, website=website, domain=domain)
            _request_decision(change, concern)
            verification.verify_new_partner(change)
    except IntegrityError as error:
        raise ActionRefused(
            _("A company with this name was just created. Ask to join it, or enter another name."), "conflict"
        ) from error
    permissions.clear_cached_roles(actor)
    return partner


def change_profile(
    partner: Partner, *, name: str | None = None, website: str | None = None, actor: User, now: datetime
) -> Partner:
    """Change the name or website of a partner, or both. The slug and the page URL don't change.

    Raises:
        ActionRefused: The actor is not an owner, or the name is not allowed or too similar to an existing one.
    """
    try:
        with change_partner(partner.pk, actor=actor, now=now) as change:
            change.require_manager()
            new_name = change.partner.name if name is None else " ".join(name.split())
            # A name that was allowed when it was chosen must not prevent a change of the website.
            refusal = explain_name_refusal(change.partner, new_name, now) if new_name != change.partner.name else ""
            if refusal:
                raise ActionRefused(refusal, "validation-error")
            new_website = change.partner.website if website is None else website
            _save_changes(change, {"name": new_name, "website": new_website})
    except IntegrityError as error:
        raise ActionRefused(_("Another company just took this name. Enter another name."), "conflict") from error
    return change.partner


def explain_name_refusal(partner: Partner | None, name: str, now: datetime) -> str:
    """Return why the partner, or a new one, can't use this name, or an empty string."""
    if refusal := name_validation.explain_name_refusal(name):
        return refusal
    similar_partner = name_validation.find_similar_partner(name, now)
    # The company itself is found when only the spelling of its name changes.
    if similar_partner is not None and similar_partner != partner:
        return _("A company with this or a similar name already exists. Ask to join it, or enter another name.")
    return ""


def _save_changes(change: PartnerChange, values: dict[str, str]) -> None:
    partner = change.partner
    previous_values = {key: getattr(partner, key) for key, value in values.items() if getattr(partner, key) != value}
    if not previous_values:
        return
    changes = {key: values[key] for key in previous_values}
    for key, value in changes.items():
        setattr(partner, key, value)
    partner.save()
    # Before the event, so that nothing shows the new name before the company is hidden.
    concern = _apply_name_check(change) if "name" in changes else ""
    summary = "\n".join(
        f"{FIELD_LABELS[key]}: {previous_values[key] or 'none'} → {changes[key] or 'none'}" for key in previous_values
    )
    change.record("partner.profile_changed", note=summary, changes=changes, before=previous_values)
    _request_decision(change, concern)


def _apply_name_check(change: PartnerChange) -> str:
    """Set the state that the new name of a locked partner requires. Return why it needs a decision, if it does.

    Record the request for a decision afterward, so that no event shows the name before the company is hidden.
    """
    partner = change.partner
    concern = ""
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


def _request_decision(change: PartnerChange, concern: str) -> None:
    """Record that a partner needs a decision, if there is a concern."""
    if concern:
        change.record("partner.decision_requested", concern=concern)


def _explain_concern(partner: Partner) -> str:
    """Return why the program must decide, or an empty string. A rejected company needs an approval under any name."""
    if concern := name_validation.explain_name_concern(partner):
        return concern
    # Otherwise, a rejected company could come back with a slightly different name.
    decision = selectors.list_decisions(partner).filter(event_type__in=("partner.approved", "partner.rejected")).first()
    if decision is not None and decision.event_type == "partner.rejected":
        return _("The company was rejected under another name.")
    return ""


def approve_partner(partner: Partner, note: str, *, actor: User, now: datetime, name: str | None = None) -> None:
    """Approve the name of a company that waits for a decision or was rejected. Raises ActionRefused.

    `name`: the name that the actor read.
    """
    with change_partner(partner.pk, actor=actor, now=now) as change:
        change.require_decider(note, name)
        partner = change.partner
        if not (partner.is_awaiting_decision or partner.is_rejected):
            raise ActionRefused(_("This company doesn't need a decision."), "conflict")
        partner.approved_name = partner.name
        _restore_state(partner)
        partner.save()
        change.record("partner.approved", note=note.strip(), state=partner.verification_state)


def reject_partner(partner: Partner, note: str, *, actor: User, now: datetime, name: str | None = None) -> None:
    """Reject a company, which hides it from the public. Raises ActionRefused.

    `name`: the name that the actor read.
    """
    with change_partner(partner.pk, actor=actor, now=now) as change:
        change.require_decider(note, name)
        partner = change.partner
        if partner.is_rejected:
            raise ActionRefused(_("This company was already rejected."), "conflict")
        # Otherwise, the company could return to its approved name without a decision.
        partner.verification_state = VerificationState.REJECTED
        partner.approved_name = ""
        partner.save()
        change.record("partner.rejected", note=note.strip())


def _restore_state(partner: Partner) -> None:
    """Set the state that follows from the proofs."""
    is_proven = partner.verifications.exists()
    partner.verification_state = VerificationState.VERIFIED if is_proven else VerificationState.UNVERIFIED
