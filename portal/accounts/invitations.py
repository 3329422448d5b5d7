"""Services that invite people to roles by email. Accepting an invitation grants its roles through the role service."""

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Protocol

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from portal.accounts import roles
from portal.accounts.models import StaffInvitation, User
from portal.accounts.role_names import AUDITOR, describe_role, list_manageable_roles
from portal.accounts.security_log import record_security_event
from portal.accounts.single_sign_on import is_single_sign_on_session
from portal.audit.services import record_account_event
from portal.core.crypto import hash_token
from portal.core.errors import ActionRefused
from portal.notifications import email as mail

INVITATION_DAYS = 14
REPLACED_COLUMNS = ("roles", "invited_by", "token_hash", "created_at", "expires_at")


class Invitation(Protocol):
    """Invitation to roles or to a company."""

    email: str
    invited_by: User
    expires_at: datetime
    accepted_at: datetime | None
    revoked_at: datetime | None


def list_open_invitations(now: datetime) -> QuerySet[StaffInvitation]:
    """Return the invitations that can still be accepted, newest first."""
    return StaffInvitation.objects.filter(accepted_at=None, revoked_at=None, expires_at__gt=now)


def can_manage_invitation(invitation: StaffInvitation, user: User) -> bool:
    """Return whether a user can grant all roles of the invitation."""
    return user.is_active and set(invitation.roles) <= set(list_manageable_roles(user))


def send_invitation(email: str, role_names: Collection[str], *, actor: User, now: datetime) -> StaffInvitation:
    """Invite an address to roles, or replace its open invitation. The email contains a new link.

    Raises:
        ActionRefused: The actor can't grant these roles, the roles conflict, or someone else invites the
            address at the same time.
    """
    email = email.strip().lower()
    with transaction.atomic():
        # Lock the invitation before people, like accept_invitation and revoke_invitation.
        open_invitation = list_open_invitations(now).filter(email=email).select_for_update(of=("self",)).first()
        # The address can have one open invitation, and the constraint doesn't know which ones have expired.
        StaffInvitation.objects.filter(email=email, accepted_at=None, revoked_at=None, expires_at__lte=now).delete()
        invitation = open_invitation or StaffInvitation(email=email)
        actor = _lock(actor)
        # First the roles of the open invitation, which the actor may not replace, then the new ones.
        _require_manageable(invitation, actor)
        invitation.roles = sorted(role_names)
        invitation.invited_by = actor
        _require_manageable(invitation, actor)
        if not role_names or (AUDITOR in role_names and len(role_names) > 1):
            raise ActionRefused(_("Select compatible roles. Auditors have no other role."), "validation-error")
        if User.objects.filter(email=email, is_active=False).exists():
            raise ActionRefused(_("This account is deactivated. Reactivate it instead."))
        # Only its hash is stored, so that a copy of the database can't accept invitations.
        token = secrets.token_urlsafe(32)
        invitation.token_hash = hash_token(token)
        invitation.created_at = now
        invitation.expires_at = now + timedelta(days=INVITATION_DAYS)
        _save(invitation, REPLACED_COLUMNS if open_invitation else None)
        _announce(invitation, "person_invited", actor=actor, now=now)
        _queue_email(invitation, token, now)
    return invitation


def _save(invitation: StaffInvitation, columns: Collection[str] | None) -> None:
    try:
        with transaction.atomic():
            invitation.save(update_fields=columns)
    except IntegrityError as error:  # a second request, which found no open invitation before the first one ended
        raise ActionRefused(_("Someone just invited this address. Reload the page."), "conflict") from error


def revoke_invitation(invitation: StaffInvitation, *, actor: User, now: datetime) -> None:
    """Revoke an open invitation. Raises ActionRefused."""
    with transaction.atomic():
        invitation = StaffInvitation.objects.select_for_update(of=("self",)).get(pk=invitation.pk)
        actor = _lock(actor)
        _require_manageable(invitation, actor)
        if invitation.accepted_at or invitation.revoked_at:
            raise ActionRefused(_("This invitation is no longer open."), "conflict")
        invitation.revoked_at = now
        invitation.save(update_fields=["revoked_at"])
        _announce(invitation, "invitation_revoked", actor=actor, now=now)


def accept_invitation(
    invitation: StaffInvitation, *, user: User, addresses: Collection[str], now: datetime, request: HttpRequest
) -> None:
    """Grant the roles of an invitation to a user with these verified addresses. Raises ActionRefused."""
    with transaction.atomic():
        invitation = StaffInvitation.objects.select_for_update(of=("self",)).get(pk=invitation.pk)
        if refusal := explain_refusal(invitation, addresses, now):
            raise ActionRefused(refusal)
        # Otherwise, a session with a password would get the roles that required single sign-on keeps from it.
        if settings.OIDC_REQUIRED and not is_single_sign_on_session(request):
            raise ActionRefused(_("These roles require single sign-on. Sign out, then sign in with it."), "forbidden")
        invitation.accepted_at = now
        invitation.save(update_fields=["accepted_at"])
        # In the name of the inviter, whose own roles may have changed since.
        inviter = invitation.invited_by
        reason = "Accepted an invitation."
        roles.change_roles(
            user,
            grant=invitation.roles,
            invited_at=invitation.created_at,
            actor=inviter,
            now=now,
            reason=reason,
            request=request,
        )


def explain_refusal(invitation: StaffInvitation, addresses: Collection[str], now: datetime) -> str:
    """Return why a user with these verified addresses can't accept the roles, or an empty string."""
    if refusal := explain_invitation_refusal(invitation, addresses, now):
        return refusal
    if not can_manage_invitation(invitation, invitation.invited_by):
        return _("The person who invited you can no longer grant these roles. Ask for a new invitation.")
    return ""


def explain_invitation_refusal(invitation: Invitation, addresses: Collection[str], now: datetime) -> str:
    """Return why a user with these verified addresses can't accept an invitation of any kind, or an empty string."""
    if invitation.email.lower() not in {address.lower() for address in addresses}:
        return _("This invitation is for %(email)s. Sign in with that address, or add it to your account.") % {
            "email": invitation.email
        }
    if invitation.accepted_at:
        return _("This invitation was already accepted.")
    if invitation.revoked_at:  # also set if the person declined it
        return _("This invitation is no longer open. Ask the person who invited you.")
    if invitation.expires_at <= now:
        return _("This invitation expired after %(days)s days. Ask for a new one.") % {"days": INVITATION_DAYS}
    if not invitation.invited_by.is_active:
        return _("The account of the person who invited you is deactivated. Ask for a new invitation.")
    return ""


def _lock(actor: User) -> User:
    """Return the locked row of the actor, whose stream gets the event."""
    # Without `no_key`, two people who invite at once and notify each other would wait for each other.
    return User.objects.select_for_update(no_key=True).get(pk=actor.pk)


def _require_manageable(invitation: StaffInvitation, actor: User) -> None:
    if not can_manage_invitation(invitation, actor):
        raise ActionRefused(_("You can only invite people to roles that you manage."), "forbidden")


def _announce(invitation: StaffInvitation, kind: str, *, actor: User, now: datetime) -> None:
    """Record the event in the log of the actor, because the invited person may have no account."""
    role_names = ", ".join(invitation.roles)
    record_account_event(actor, f"account.{kind}", actor=actor, now=now, email=invitation.email, roles=role_names)
    record_security_event(actor, kind, detail=str(invitation), now=now)
    detail = ", ".join(describe_role(role) for role in invitation.roles)
    roles.notify_administrators(
        invitation.email, invitation.email, kind, detail, actor_name=str(actor), now=now, excluded_ids={actor.pk}
    )


def _queue_email(invitation: StaffInvitation, token: str, now: datetime) -> None:
    context = {
        "invitation": invitation,
        "roles": [describe_role(role) for role in invitation.roles],
        "by": invitation.invited_by,
        "url": settings.SITE_URL + reverse("accounts:invitation", args=[token]),
        "expires_at": invitation.expires_at,
    }
    key = f"staff_invitation:{invitation.pk}:{invitation.token_hash[:16]}"
    mail.queue("staff_invitation", key, invitation.email, context, now=now)
