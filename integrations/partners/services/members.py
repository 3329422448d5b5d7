"""Services for memberships, join requests, and invitations. Each change locks the partner and records one event."""

import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Invitation, JoinRequest, Membership, Partner, Role
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.services import record_event
from portal.core.crypto import hash_token
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues

INVITATION_DAYS = 14
MAX_DAILY_INVITATIONS = 50
MAX_WAITING_REQUESTS = 3
REPEAT_REQUEST_HOURS = 24
LAST_OWNER_MESSAGE = gettext_noop("A company needs an owner. Make someone else an owner first.")


@contextmanager
def _lock_partner(partner_id: int, *people: object) -> Iterator[Partner]:
    """Yield the locked partner, so that changes of members are serialized. Cached roles are cleared."""
    with transaction.atomic():
        partner = Partner.objects.select_for_update(of=("self",)).get(pk=partner_id)
        for person in people:
            permissions.forget_roles(person)
        yield partner
        for person in people:
            permissions.forget_roles(person)


def _require_manager(partner: Partner, actor: AnyUser | None) -> None:
    if not permissions.can_manage_partner(partner, actor):
        raise ActionRefused(permissions.get_refusal("can_manage"), "forbidden")


def _validate_role(role: str) -> str:
    if role not in Role.values:
        raise ActionRefused(_("Select owner, editor, or viewer."))
    return str(role)


def request_to_join(partner: Partner, *, message: str = "", actor: User, now: datetime) -> JoinRequest:
    """Create a join request. Raises ActionRefused for members and for repeated or too many requests."""
    with _lock_partner(partner.pk, actor) as locked_partner:
        if permissions.get_role(locked_partner, actor):
            raise ActionRefused(_("You are already a member of %(name)s.") % {"name": locked_partner.name})
        requests = JoinRequest.objects.filter(user=actor)
        if requests.filter(partner=locked_partner, state=JoinRequest.State.WAITING).exists():
            raise ActionRefused(
                _("You already asked to join %(name)s. Wait for an owner's decision.") % {"name": locked_partner.name}
            )
        if requests.filter(state=JoinRequest.State.WAITING).count() >= MAX_WAITING_REQUESTS:
            raise ActionRefused(
                _("You have %(count)s open requests. Wait for a decision on one of them.")
                % {"count": MAX_WAITING_REQUESTS}
            )
        declined_requests = requests.filter(partner=locked_partner, state=JoinRequest.State.DECLINED)
        if declined_requests.filter(decided_at__gt=now - timedelta(hours=REPEAT_REQUEST_HOURS)).exists():
            raise ActionRefused(_("Your request was declined. You can ask again after 24 hours."))
        request = JoinRequest.objects.create(partner=locked_partner, user=actor, message=message, created_at=now)
        record_event(
            locked_partner,
            "member.join_requested",
            actor=actor,
            now=now,
            note=message,
            person=actor.pk,
            name=str(actor),
        )
    return request


def decide_join_request(
    request: JoinRequest, *, accept: bool, role: str = Role.VIEWER, actor: User | None, now: datetime
) -> None:
    """Accept a join request with a role, or decline it. Raises ActionRefused if another owner already decided."""
    with _lock_partner(request.partner_id, actor) as partner:
        _require_manager(partner, actor)
        locked_request = JoinRequest.objects.select_related("user", "decided_by").get(pk=request.pk)
        if locked_request.state != JoinRequest.State.WAITING:
            decider = locked_request.decided_by or _("Someone")
            raise ActionRefused(
                _("%(name)s already decided on this request: %(decision)s.")
                % {"name": decider, "decision": locked_request.get_state_display().lower()},
                "conflict",
            )
        locked_request.state = JoinRequest.State.ACCEPTED if accept else JoinRequest.State.DECLINED
        locked_request.decided_by, locked_request.decided_at = actor, now
        locked_request.save()
        data: NamedValues = {"person": locked_request.user_id, "name": str(locked_request.user)}
        if accept:
            data["role"] = _add_member(partner, locked_request.user, _validate_role(role), now).role
        record_event(partner, f"member.join_{locked_request.state}", actor=actor, now=now, **data)


def _add_member(partner: Partner, user: User, role: str, now: datetime) -> Membership:
    """Return the current membership, created if needed, and accept the open join requests of the user."""
    membership, _ = Membership.objects.get_or_create(
        partner=partner, user=user, ended_at=None, defaults={"role": role, "joined_at": now}
    )
    waiting_requests = JoinRequest.objects.filter(partner=partner, user=user, state=JoinRequest.State.WAITING)
    waiting_requests.update(state=JoinRequest.State.ACCEPTED, decided_at=now)
    return membership


def list_open_invitations(partner: Partner, now: datetime) -> QuerySet[Invitation]:
    """Return the invitations that can still be accepted."""
    return Invitation.objects.filter(partner=partner, accepted_at=None, revoked_at=None, expires_at__gt=now)


def create_invitation(partner: Partner, email: str, role: str, *, actor: User, now: datetime) -> tuple[Invitation, str]:
    """Create an invitation or renew the open one. Return it with its token, which is not stored."""
    email = email.strip().lower()
    with _lock_partner(partner.pk, actor) as locked_partner:
        _require_manager(locked_partner, actor)
        role = _validate_role(role)
        if Membership.objects.filter(partner=locked_partner, ended_at=None, user__email__iexact=email).exists():
            raise ActionRefused(
                _("%(email)s is already a member of %(name)s.") % {"email": email, "name": locked_partner.name}
            )
        recent_events = locked_partner.events.filter(event_type="member.invited", at__gt=now - timedelta(days=1))
        if recent_events.count() >= MAX_DAILY_INVITATIONS:
            raise ActionRefused(
                _("You reached the limit of %(limit)s invitations per day. Try again tomorrow.")
                % {"limit": MAX_DAILY_INVITATIONS}
            )
        token = secrets.token_urlsafe(32)
        invitation = list_open_invitations(locked_partner, now).filter(email=email).first() or Invitation(
            partner=locked_partner, email=email
        )
        is_repeated = invitation.pk is not None
        invitation.role, invitation.token_hash, invitation.invited_by = role, hash_token(token), actor
        invitation.created_at, invitation.expires_at = now, now + timedelta(days=INVITATION_DAYS)
        invitation.save()
        record_event(
            locked_partner,
            "member.invited",
            actor=actor,
            now=now,
            invitation=invitation.pk,
            email=email,
            role=role,
            again=is_repeated,
        )
    return invitation, token


def revoke_invitation(invitation: Invitation, *, actor: User, now: datetime) -> None:
    """Revoke an invitation. Raises ActionRefused if it was already accepted."""
    with _lock_partner(invitation.partner_id, actor) as partner:
        _require_manager(partner, actor)
        locked_invitation = Invitation.objects.get(pk=invitation.pk)
        if locked_invitation.accepted_at:
            raise ActionRefused(
                _("%(email)s already accepted the invitation. Remove the member instead.")
                % {"email": locked_invitation.email},
                "conflict",
            )
        if locked_invitation.revoked_at is None:
            _revoke_invitation(partner, locked_invitation, actor, now)


def _revoke_invitation(partner: Partner, invitation: Invitation, actor: AnyUser, now: datetime) -> None:
    invitation.revoked_at = now
    invitation.save()
    record_event(
        partner, "member.invitation_revoked", actor=actor, now=now, invitation=invitation.pk, email=invitation.email
    )


def accept_invitation(invitation: Invitation, *, addresses: Collection[str], actor: User, now: datetime) -> Membership:
    """Accept an invitation for one of the user's verified addresses.

    Raises:
        ActionRefused: The invitation is for another address or no longer open.
    """
    with _lock_partner(invitation.partner_id, actor) as partner:
        locked_invitation = Invitation.objects.get(pk=invitation.pk)
        if refusal := explain_invitation_refusal(locked_invitation, addresses, now):
            raise ActionRefused(refusal)
        locked_invitation.accepted_at = now
        locked_invitation.save()
        membership = _add_member(partner, actor, locked_invitation.role, now)
        record_event(
            partner,
            "member.invitation_accepted",
            actor=actor,
            now=now,
            invitation=locked_invitation.pk,
            email=locked_invitation.email,
            person=actor.pk,
            name=str(actor),
            role=membership.role,
        )
    return membership


def explain_invitation_refusal(invitation: Invitation, addresses: Collection[str], now: datetime) -> str:
    """Return why a user with these verified addresses can't accept the invitation, or an empty string."""
    if invitation.email.lower() not in {address.lower() for address in addresses}:
        return _("This invitation is for %(email)s. Sign in with that address, or add it to your account.") % {
            "email": invitation.email
        }
    if invitation.accepted_at:
        return _("This invitation was already accepted.")
    if invitation.revoked_at:
        return _("This invitation was revoked. Ask the person who invited you.")
    if invitation.expires_at <= now:
        return _("This invitation expired after %(days)s days. Ask for a new one.") % {"days": INVITATION_DAYS}
    return ""


def _get_current_membership(membership: Membership) -> Membership:
    current = Membership.objects.select_related("user").get(pk=membership.pk)
    if current.ended_at:
        raise ActionRefused(_("%(user)s is no longer a member of the company.") % {"user": current.user}, "conflict")
    return current


def _require_other_owner(partner: Partner, membership: Membership) -> None:
    owners = Membership.objects.filter(partner=partner, ended_at=None, role=Role.OWNER, user__is_active=True)
    if membership.role == Role.OWNER and not owners.exclude(pk=membership.pk).exists():
        raise ActionRefused(_(LAST_OWNER_MESSAGE))


def change_role(membership: Membership, role: str, *, actor: AnyUser, now: datetime) -> None:
    """Change the role of a member. Raises ActionRefused if no owner would remain."""
    with _lock_partner(membership.partner_id, actor, membership.user) as partner:
        _require_manager(partner, actor)
        role, current = _validate_role(role), _get_current_membership(membership)
        if current.role == role:
            return
        previous_role = current.role
        _require_other_owner(partner, current)
        current.role = role
        current.save()
        data: NamedValues = {
            "person": current.user_id,
            "name": str(current.user),
            "before": previous_role,
            "role": role,
        }
        record_event(partner, "member.role_changed", actor=actor, now=now, **data)
        if previous_role == Role.OWNER:
            _revoke_invitations_from(current, partner, actor, now)


def end_membership(membership: Membership, *, actor: User, now: datetime) -> None:
    """End the membership of the actor or of another member. Raises ActionRefused if no owner would remain."""
    with _lock_partner(membership.partner_id, actor, membership.user) as partner:
        current = _get_current_membership(membership)
        is_own = current.user_id == actor.pk
        if not is_own:
            _require_manager(partner, actor)
        _require_other_owner(partner, current)
        current.ended_at = now
        current.save()
        data: NamedValues = {"person": current.user_id, "name": str(current.user), "left": is_own}
        record_event(partner, "member.removed", actor=actor, now=now, **data)
        _revoke_invitations_from(current, partner, actor, now)


def _revoke_invitations_from(membership: Membership, partner: Partner, actor: AnyUser, now: datetime) -> None:
    """Revoke the open invitations of a former owner or member, so that they can't return through one."""
    for invitation in list_open_invitations(partner, now).filter(invited_by_id=membership.user_id):
        _revoke_invitation(partner, invitation, actor, now)


def appoint_owner(partner: Partner, user: User, *, actor: User, now: datetime) -> Membership:
    """Make a user an owner of a partner. Raises ActionRefused unless the actor is staff."""
    if not actor.is_staff:
        raise ActionRefused(_("Only staff can appoint an owner."), "forbidden")
    with _lock_partner(partner.pk, user) as locked_partner:
        membership = _add_member(locked_partner, user, Role.OWNER, now)
        membership.role = Role.OWNER
        membership.save()
        record_event(
            locked_partner,
            "member.owner_appointed",
            actor=actor,
            now=now,
            person=user.pk,
            name=str(user),
            role=Role.OWNER.value,
        )
    return membership
