"""How do people come to a company, change places in it, and leave? Each write locks the company and is one event."""

import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import name_validation, permissions
from integrations.partners.models import Invitation, JoinRequest, Membership, Partner, Role
from portal.audit.services import record
from portal.core.crypto import token_hash
from portal.core.errors import NotAllowed

INVITATION_DAYS = 14
INVITATIONS_A_DAY = 50
WAITING_REQUESTS = 3
ASK_AGAIN_HOURS = 24
LAST_OWNER = gettext_noop("A company needs an owner. Make somebody else an owner first.")


@contextmanager
def _locked(partner_id: int, *by: Any) -> Iterator[Partner]:
    """The company's row, held to the end, so that two changes of its people never cross; roles are read afresh."""
    with transaction.atomic():
        partner = Partner.objects.select_for_update(of=("self",)).get(pk=partner_id)
        for person in by:
            permissions.forget_roles(person)
        yield partner
        for person in by:
            permissions.forget_roles(person)


def _must_manage(partner: Partner, by: Any) -> None:
    if not permissions.manages(partner, by):
        raise NotAllowed(permissions.refusal("may_manage"), "may")


def _must_be_role(role: str) -> str:
    if role not in Role.values:
        raise NotAllowed(_("Choose owner, editor or viewer."))
    return str(role)


def create_partner(name: str, *, website: str = "", domain: str = "", by: Any, now: datetime) -> Partner:
    """A new company with `by` as its owner. Raises NotAllowed for a name that cannot be, or that is here already."""
    name = " ".join(name.split())
    if refusal := name_validation.name_refusal(name):
        raise NotAllowed(refusal)
    if name_validation.twin(name, now):
        raise NotAllowed(_("A company with this name, or one that looks just like it, is already here."))
    try:
        with transaction.atomic():
            partner = Partner.objects.create(
                name=name, slug=name_validation.free_slug(name), website=website, domain=domain, created_at=now
            )
            Membership.objects.create(partner=partner, user=by, role=Role.OWNER, joined_at=now)
            record(partner, "partner_created", by=by, now=now, name=name, website=website, domain=domain)
    except IntegrityError as crossed:
        raise NotAllowed(_("Somebody created a company of this name just now. Look again."), "stale") from crossed
    permissions.forget_roles(by)
    return partner


def ask_to_join(partner: Partner, *, message: str = "", by: Any, now: datetime) -> JoinRequest:
    """Ask the owners for a place. Raises NotAllowed for members, and for who asked a moment ago."""
    with _locked(partner.pk, by) as row:
        if permissions.role_of(row, by):
            raise NotAllowed(_("You belong to %(name)s already.") % {"name": row.name})
        asked = JoinRequest.objects.filter(user=by)
        if asked.filter(partner=row, state=JoinRequest.State.WAITING).exists():
            raise NotAllowed(_("You have asked %(name)s already. Its owners were told.") % {"name": row.name})
        if asked.filter(state=JoinRequest.State.WAITING).count() >= WAITING_REQUESTS:
            raise NotAllowed(
                _("You have %(WAITING_REQUESTS)s requests waiting. Wait for an answer to one of them.")
                % {"WAITING_REQUESTS": WAITING_REQUESTS}
            )
        recent = now - timedelta(hours=ASK_AGAIN_HOURS)
        if asked.filter(partner=row, state=JoinRequest.State.DECLINED, decided_at__gt=recent).exists():
            raise NotAllowed(_("Your request was declined. You can ask again a day after that."))
        request = JoinRequest.objects.create(partner=row, user=by, message=message, created_at=now)
        record(row, "join_requested", by=by, now=now, note=message, person=by.pk, name=str(by))
    return request


def decide_join(request: JoinRequest, *, accept: bool, role: str = Role.VIEWER, by: Any, now: datetime) -> None:
    """Give the asker a place in a role, or decline. Raises NotAllowed where another owner was faster."""
    with _locked(request.partner_id, by) as partner:
        _must_manage(partner, by)
        row = JoinRequest.objects.select_related("user", "decided_by").get(pk=request.pk)
        if row.state != JoinRequest.State.WAITING:
            who = row.decided_by or _("Somebody")
            raise NotAllowed(
                _("%(who)s has decided on this request already: %(lower)s.")
                % {"who": who, "lower": row.get_state_display().lower()},
                "stale",
            )
        row.state = JoinRequest.State.ACCEPTED if accept else JoinRequest.State.DECLINED
        row.decided_by, row.decided_at = by, now
        row.save()
        told: dict[str, Any] = {"person": row.user_id, "name": str(row.user)}
        if accept:
            told["role"] = _join(partner, row.user, _must_be_role(role), now).role
        record(partner, f"join_{row.state}", by=by, now=now, **told)


def _join(partner: Partner, user: Any, role: str, now: datetime) -> Membership:
    """A current membership: a place held already is kept as it is, requests that wait are answered by it."""
    membership, _ = Membership.objects.get_or_create(
        partner=partner, user=user, ended_at=None, defaults={"role": role, "joined_at": now}
    )
    waiting = JoinRequest.objects.filter(partner=partner, user=user, state=JoinRequest.State.WAITING)
    waiting.update(state=JoinRequest.State.ACCEPTED, decided_at=now)
    return membership


def open_invitations(partner: Partner, now: datetime) -> Any:
    """Invitations that can still be accepted."""
    return Invitation.objects.filter(partner=partner, accepted_at=None, revoked_at=None, expires_at__gt=now)


def invite(partner: Partner, email: str, role: str, *, by: Any, now: datetime) -> tuple[Invitation, str]:
    """Offer a place to an address. Returns the invitation and its token, which is known to nobody afterwards.

    Inviting an address again makes a new token and a new term; the token before stops working.
    """
    email = email.strip().lower()
    with _locked(partner.pk, by) as row:
        _must_manage(row, by)
        role = _must_be_role(role)
        if Membership.objects.filter(partner=row, ended_at=None, user__email__iexact=email).exists():
            raise NotAllowed(_("%(email)s belongs to %(name)s already.") % {"email": email, "name": row.name})
        if row.events.filter(verb="invited", at__gt=now - timedelta(days=1)).count() >= INVITATIONS_A_DAY:
            raise NotAllowed(
                _("At most %(INVITATIONS_A_DAY)s invitations go out in a day. Send the next ones tomorrow.")
                % {"INVITATIONS_A_DAY": INVITATIONS_A_DAY}
            )
        token = secrets.token_urlsafe(32)
        invitation = open_invitations(row, now).filter(email=email).first() or Invitation(partner=row, email=email)
        again = invitation.pk is not None
        invitation.role, invitation.token_hash, invitation.invited_by = role, token_hash(token), by
        invitation.created_at, invitation.expires_at = now, now + timedelta(days=INVITATION_DAYS)
        invitation.save()
        record(row, "invited", by=by, now=now, invitation=invitation.pk, email=email, role=role, again=again)
    return invitation, token


def revoke_invitation(invitation: Invitation, *, by: Any, now: datetime) -> None:
    """Take an offer back. Raises NotAllowed once it was accepted."""
    with _locked(invitation.partner_id, by) as partner:
        _must_manage(partner, by)
        row = Invitation.objects.get(pk=invitation.pk)
        if row.accepted_at:
            raise NotAllowed(
                _("%(email)s has accepted already. Remove the person instead.") % {"email": row.email}, "stale"
            )
        if row.revoked_at is None:
            _revoke(partner, row, by, now)


def _revoke(partner: Partner, row: Invitation, by: Any, now: datetime) -> None:
    row.revoked_at = now
    row.save()
    record(partner, "invitation_revoked", by=by, now=now, invitation=row.pk, email=row.email)


def accept_invitation(invitation: Invitation, *, addresses: Collection[str], by: Any, now: datetime) -> Membership:
    """Take the offered place. `addresses`: the person's verified ones. Raises NotAllowed for anybody else's offer."""
    with _locked(invitation.partner_id, by) as partner:
        row = Invitation.objects.get(pk=invitation.pk)
        if refusal := invitation_refusal(row, addresses, now):
            raise NotAllowed(refusal)
        row.accepted_at = now
        row.save()
        membership = _join(partner, by, row.role, now)
        record(
            partner, "invitation_accepted", by=by, now=now, invitation=row.pk, email=row.email, person=by.pk,
            name=str(by), role=membership.role,
        )  # fmt: skip
    return membership


def invitation_refusal(row: Invitation, addresses: Collection[str], now: datetime) -> str:
    """Why a person of these verified addresses cannot accept, or blank."""
    if row.email.lower() not in {address.lower() for address in addresses}:
        return _("This invitation is for %(email)s. Sign in with that address, or confirm it as one of yours.") % {
            "email": row.email
        }
    if row.accepted_at:
        return _("This invitation was accepted already.")
    if row.revoked_at:
        return _("This invitation was taken back. Ask the person who invited you.")
    if row.expires_at <= now:
        return _("This invitation was open for %(INVITATION_DAYS)s days and has ended. Ask for a new one.") % {
            "INVITATION_DAYS": INVITATION_DAYS
        }
    return ""


def _current(membership: Membership) -> Membership:
    row = Membership.objects.select_related("user").get(pk=membership.pk)
    if row.ended_at:
        raise NotAllowed(_("%(user)s no longer belongs to the company.") % {"user": row.user}, "stale")
    return row


def _must_leave_an_owner(partner: Partner, row: Membership) -> None:
    others = Membership.objects.filter(partner=partner, ended_at=None, role=Role.OWNER, user__is_active=True)
    if row.role == Role.OWNER and not others.exclude(pk=row.pk).exists():
        raise NotAllowed(_(LAST_OWNER))


def change_role(membership: Membership, role: str, *, by: Any, now: datetime) -> None:
    """Give a colleague another role. Raises NotAllowed where no owner would be left."""
    with _locked(membership.partner_id, by, membership.user) as partner:
        _must_manage(partner, by)
        role, row = _must_be_role(role), _current(membership)
        if row.role == role:
            return
        before = row.role
        _must_leave_an_owner(partner, row)
        row.role = role
        row.save()
        told: dict[str, Any] = {"person": row.user_id, "name": str(row.user), "before": before, "role": role}
        record(partner, "role_changed", by=by, now=now, **told)
        if before == Role.OWNER:
            _revoke_sent_by(row, partner, by, now)


def end_membership(membership: Membership, *, by: Any, now: datetime) -> None:
    """Leave, or remove a colleague: the place ends now. Raises NotAllowed where no owner would be left."""
    with _locked(membership.partner_id, by, membership.user) as partner:
        row = _current(membership)
        is_own = row.user_id == by.pk
        if not is_own:
            _must_manage(partner, by)
        _must_leave_an_owner(partner, row)
        row.ended_at = now
        row.save()
        record(partner, "membership_ended", by=by, now=now, person=row.user_id, name=str(row.user), left=is_own)
        _revoke_sent_by(row, partner, by, now)


def _revoke_sent_by(row: Membership, partner: Partner, by: Any, now: datetime) -> None:
    """Who no longer manages the company keeps no open door into it."""
    for invitation in open_invitations(partner, now).filter(invited_by_id=row.user_id):
        _revoke(partner, invitation, by, now)


def appoint_owner(partner: Partner, user: Any, *, by: Any, now: datetime) -> Membership:
    """Make a person an owner where the company has none left to do it. Only staff may."""
    if not by.is_staff:
        raise NotAllowed(_("Only staff may appoint an owner."), "may")
    with _locked(partner.pk, user) as row:
        membership = _join(row, user, Role.OWNER, now)
        membership.role = Role.OWNER
        membership.save()
        record(row, "owner_appointed", by=by, now=now, person=user.pk, name=str(user), role=Role.OWNER.value)
    return membership
