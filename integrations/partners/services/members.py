"""Services for memberships, join requests, and invitations. Each change locks the partner and records one event."""

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_noop

from integrations.partners import permissions, refusals
from integrations.partners.models import DOMAIN_METHODS, Invitation, JoinRequest, Membership, Partner, Role
from integrations.partners.name_validation import get_company_domain
from integrations.partners.services.changes import PartnerChange, change_partner
from portal.accounts.invitations import INVITATION_DAYS, explain_invitation_refusal
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.models import AuditEvent
from portal.core.crypto import hash_token
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues
from portal.notifications import email as mail

MAX_INVITATIONS = 50  # per day, of a company and its sender, who can have others
MAX_WAITING_REQUESTS = 3
DAY = timedelta(days=1)
LAST_OWNER_MESSAGE = gettext_noop("A company needs an owner. Make someone else an owner first.")


def _validate_role(role: str) -> str:
    if role not in Role.values:
        raise ActionRefused(_("Select owner, editor, or viewer."), "validation-error")
    return str(role)


@transaction.atomic
def request_to_join(partner: Partner, *, message: str = "", actor: User, now: datetime) -> JoinRequest:
    """Create a join request. Raises ActionRefused for members and for repeated or too many requests."""
    # Requests to several companies at once must not exceed the limit. Deactivation locks in this order too.
    User.objects.select_for_update(of=("self",), no_key=True).get(pk=actor.pk)
    with change_partner(partner.pk, actor=actor, now=now) as change:
        partner, requests = change.partner, JoinRequest.objects.filter(user=actor)
        if permissions.get_role(partner, actor):
            raise ActionRefused(_("You are already a member of %(name)s.") % {"name": partner.name})
        if requests.filter(partner=partner, state=JoinRequest.State.WAITING).exists():
            refusal = _("You already asked to join %(name)s. Wait for an owner's decision.")
            raise ActionRefused(refusal % {"name": partner.name})
        if requests.filter(state=JoinRequest.State.WAITING).count() >= MAX_WAITING_REQUESTS:
            refusal = _("You have %(count)s open requests. Wait for a decision on one of them.")
            raise ActionRefused(refusal % {"count": MAX_WAITING_REQUESTS}, "limit-reached")
        declined = requests.filter(partner=partner, state=JoinRequest.State.DECLINED, decided_at__gt=now - DAY)
        if declined_at := declined.aggregate(at=Max("decided_at"))["at"]:
            refusal = _("Your request was declined. You can ask again after 24 hours.")
            raise ActionRefused(refusal, "rate-limited", retry_after=declined_at + DAY - now)
        request = JoinRequest.objects.create(partner=partner, user=actor, message=message, created_at=now)
        change.record("member.join_requested", note=message, person=actor)
    return request


def decide_join_request(
    request: JoinRequest, *, accept: bool, role: str = Role.VIEWER, actor: User, now: datetime
) -> None:
    """Accept a join request with a role, or decline it.

    Raises:
        ActionRefused: The actor is not an owner, or someone already decided.
    """
    with change_partner(request.partner_id, actor=actor, now=now) as change:
        change.require_manager()
        locked_request = JoinRequest.objects.select_related("user", "decided_by").get(pk=request.pk)
        if locked_request.state != JoinRequest.State.WAITING:
            refusal = _("%(name)s already decided on this request: %(decision)s.")
            decider = locked_request.decided_by or _("Someone")
            decision = locked_request.get_state_display().lower()
            raise ActionRefused(refusal % {"name": decider, "decision": decision}, "conflict")
        locked_request.state = JoinRequest.State.ACCEPTED if accept else JoinRequest.State.DECLINED
        locked_request.decided_by = actor
        locked_request.decided_at = now
        locked_request.save()
        data: NamedValues = {}
        if accept:
            data["role"] = _add_member(change, locked_request.user, _validate_role(role)).role
        change.record(f"member.join_{locked_request.state}", person=locked_request.user, **data)


def can_join_by_domain(partner: Partner, user: User, addresses: Collection[str]) -> bool:
    """Return whether one of the user's verified addresses is at a verified domain of the partner.

    Former members can't, so that a person whom an owner removed doesn't return this way.
    """
    domains = {domain for domain in map(get_company_domain, addresses) if domain}
    proofs = partner.verifications.filter(method__in=DOMAIN_METHODS, subject__in=domains)
    return partner.is_verified and proofs.exists() and not partner.memberships.filter(user=user).exists()


def join_by_domain(partner: Partner, *, addresses: Collection[str], actor: User, now: datetime) -> Membership:
    """Join as a viewer with a verified address at a verified domain of the partner. Raises ActionRefused."""
    with change_partner(partner.pk, actor=actor, now=now) as change:
        if not can_join_by_domain(change.partner, actor, addresses):
            raise ActionRefused(_("Ask to join the company. An owner decides on your request."))
        membership = _add_member(change, actor, Role.VIEWER)
        change.record("member.joined", person=actor, role=membership.role)
    return membership


def _add_member(change: PartnerChange, user: User, role: str) -> Membership:
    """Return the current membership, created if needed, and accept the open join requests of the user."""
    membership, _ = Membership.objects.get_or_create(
        partner=change.partner, user=user, ended_at=None, defaults={"role": role, "joined_at": change.now}
    )
    waiting_requests = change.partner.join_requests.filter(user=user, state=JoinRequest.State.WAITING)
    # Otherwise, the owners would still be asked about someone who is already a member.
    waiting_requests.update(state=JoinRequest.State.ACCEPTED, decided_at=change.now)
    return membership


def list_open_invitations(now: datetime) -> QuerySet[Invitation]:
    """Return the invitations that can still be accepted."""
    return Invitation.objects.filter(accepted_at=None, revoked_at=None, expires_at__gt=now)


def create_invitation(partner: Partner, email: str, role: str, *, actor: User, now: datetime) -> tuple[Invitation, str]:
    """Create an invitation or renew the open one. Return it with its token, which is not stored."""
    email = email.strip().lower()
    with change_partner(partner.pk, actor=actor, now=now) as change:
        change.require_manager()
        partner = change.partner
        role = _validate_role(role)
        if partner.memberships.filter(ended_at=None, user__email__iexact=email).exists():
            refusal = _("%(email)s is already a member of %(name)s.")
            raise ActionRefused(refusal % {"email": email, "name": partner.name})
        # From the events, because an invitation that is sent again is the same row but another email.
        recent = AuditEvent.objects.filter(event_type="member.invited", at__gt=now - DAY).order_by("-at")
        # Anyone can create companies, so the sender's invitations to others count as well.
        if event := recent.filter(Q(partner=partner) | Q(actor_id=actor.pk))[MAX_INVITATIONS - 1 :].first():
            refusal = _("You reached the limit of %(limit)s invitations per day. Try again tomorrow.")
            raise ActionRefused(refusal % {"limit": MAX_INVITATIONS}, "rate-limited", retry_after=event.at + DAY - now)
        # Another token each time, so that the link of the earlier email no longer works.
        token = secrets.token_urlsafe(32)
        open_invitation = list_open_invitations(now).filter(partner=partner, email=email).first()
        invitation = open_invitation or Invitation(partner=partner, email=email)
        # Only the hash: whoever reads the database can't accept an invitation. Only the email contains the token.
        invitation.role = role
        invitation.token_hash = hash_token(token)
        invitation.invited_by = actor
        invitation.created_at = now
        invitation.expires_at = now + timedelta(days=INVITATION_DAYS)
        invitation.save()
        change.record("member.invited", invitation=invitation, role=role, again=open_invitation is not None)
    return invitation, token


@transaction.atomic
def send_invitation(partner: Partner, email: str, role: str, *, actor: User, now: datetime) -> Invitation:
    """Create an invitation, or renew the open one, and queue its email. Raises ActionRefused."""
    invitation, token = create_invitation(partner, email, role, actor=actor, now=now)
    context = {
        "partner_name": partner.name,
        "invitation": invitation,
        "by": actor,
        "url": settings.SITE_URL + reverse("partners:invitation", args=[token]),
        "expires_at": invitation.expires_at,
    }
    key = f"invitation:{invitation.pk}:{invitation.token_hash[:16]}"
    mail.queue("invitation", key, invitation.email, context, now=now)
    return invitation


def resend_invitation(invitation: Invitation, *, actor: User, now: datetime) -> Invitation:
    """Renew an invitation, and queue its email with a new link. Raises ActionRefused unless it is open or expired."""
    with change_partner(invitation.partner_id, actor=actor, now=now) as change:
        change.require_manager()
        locked_invitation = Invitation.objects.get(pk=invitation.pk)
        if locked_invitation.accepted_at or locked_invitation.revoked_at:
            raise ActionRefused(_("This invitation is no longer open."), "conflict")
        return send_invitation(change.partner, locked_invitation.email, locked_invitation.role, actor=actor, now=now)


def revoke_invitation(invitation: Invitation, *, actor: User, now: datetime) -> None:
    """Revoke an invitation. Raises ActionRefused if it was already accepted."""
    with change_partner(invitation.partner_id, actor=actor, now=now) as change:
        change.require_manager()
        locked_invitation = Invitation.objects.get(pk=invitation.pk)
        if locked_invitation.accepted_at:
            refusal = _("%(email)s already accepted the invitation. Remove the member instead.")
            raise ActionRefused(refusal % {"email": locked_invitation.email}, "conflict")
        if locked_invitation.revoked_at is None:
            _revoke_invitation(change, locked_invitation)


def _revoke_invitation(change: PartnerChange, invitation: Invitation) -> None:
    invitation.revoked_at = change.now
    invitation.save()
    change.record("member.invitation_revoked", invitation=invitation)


def accept_invitation(invitation: Invitation, *, addresses: Collection[str], actor: User, now: datetime) -> Membership:
    """Accept an invitation for one of the user's verified addresses.

    Raises:
        ActionRefused: The invitation is for another address or no longer open, or the user is already a member.
    """
    with change_partner(invitation.partner_id, actor=actor, now=now) as change:
        locked_invitation = Invitation.objects.get(pk=invitation.pk)
        if refusal := explain_invitation_refusal(locked_invitation, addresses, now):
            raise ActionRefused(refusal)
        if permissions.get_role(change.partner, actor):
            refusal = _("You are already a member of %(name)s. Ask an owner to change your role.")
            raise ActionRefused(refusal % {"name": change.partner.name}, "conflict")
        locked_invitation.accepted_at = now
        locked_invitation.save()
        membership = _add_member(change, actor, locked_invitation.role)
        change.record("member.invitation_accepted", invitation=locked_invitation, person=actor, role=membership.role)
    return membership


def _get_current_membership(membership: Membership) -> Membership:
    current = Membership.objects.select_related("user").get(pk=membership.pk)
    if current.ended_at:
        raise ActionRefused(_("%(user)s is no longer a member of the company.") % {"user": current.user}, "conflict")
    return current


def _require_other_owner(partner: Partner, membership: Membership) -> None:
    # Only active owners count: the others can't appoint anyone.
    if membership.role == Role.OWNER and set(partner.list_members(Role.OWNER)) <= {membership.user}:
        raise ActionRefused(_(LAST_OWNER_MESSAGE))


def change_role(membership: Membership, role: str, *, actor: AnyUser, now: datetime) -> None:
    """Change the role of a member. Raises ActionRefused if no owner would remain."""
    with change_partner(membership.partner_id, actor=actor, now=now, member=membership.user) as change:
        change.require_manager()
        role = _validate_role(role)
        current = _get_current_membership(membership)
        if current.role != role:
            _require_other_owner(change.partner, current)
            _set_role(change, current, role)


def transfer_ownership(membership: Membership, *, actor: User, now: datetime) -> None:
    """Make a member an owner, and the actor an editor. Raises ActionRefused unless the actor is an owner."""
    with change_partner(membership.partner_id, actor=actor, now=now, member=membership.user) as change:
        change.require_manager()
        current = _get_current_membership(membership)
        if current.role == Role.OWNER or not current.user.is_active:
            raise ActionRefused(_("Select an active member who is not an owner."), "validation-error")
        # The new owner first, so that the company has one at every moment of the history.
        _set_role(change, current, Role.OWNER)
        _set_role(change, Membership.objects.get(partner=change.partner, user=actor, ended_at=None), Role.EDITOR)


def _set_role(change: PartnerChange, membership: Membership, role: str) -> None:
    previous_role = membership.role
    membership.role = role
    membership.save()
    change.record("member.role_changed", person=membership.user, before=previous_role, role=str(role))
    if previous_role == Role.OWNER:
        _revoke_invitations(change, Q(invited_by=membership.user))


def end_membership(membership: Membership, *, actor: User | None, now: datetime) -> None:
    """End the membership of the actor or of another member. Raises ActionRefused if no owner would remain.

    `actor`: None if the portal deletes the data of the member's account.
    """
    with change_partner(membership.partner_id, actor=actor, now=now, member=membership.user) as change:
        current = _get_current_membership(membership)
        # Without the data of their account, a member has left as well: the owners are notified.
        has_left = actor is None or current.user_id == actor.pk
        if not has_left:
            change.require_manager()
        _require_other_owner(change.partner, current)
        current.ended_at = now
        current.save()
        change.record("member.removed", person=current.user, left=has_left)
        # Through an invitation to one of their addresses, a former member could return without a decision.
        emails = [address.email.lower() for address in EmailAddress.objects.filter(user=current.user, verified=True)]
        _revoke_invitations(change, Q(invited_by=current.user) | Q(email__in=emails))


def _revoke_invitations(change: PartnerChange, condition: Q) -> None:
    """Revoke open invitations, such as those of a former owner or member, who could return through one."""
    for invitation in list_open_invitations(change.now).filter(condition, partner=change.partner).order_by("pk"):
        _revoke_invitation(change, invitation)


def appoint_owner(partner: Partner, user: User, *, actor: User, now: datetime) -> None:
    """Make a user an owner of a partner. Raises ActionRefused unless the actor can, and if the user is one already."""
    with change_partner(partner.pk, actor=actor, now=now, member=user) as change:
        refusals.require_permission(permissions.can_appoint_owner, change.partner, actor)
        if permissions.can_manage_partner(change.partner, user):
            raise ActionRefused(_("%(user)s is already an owner.") % {"user": user}, "conflict")
        membership = _add_member(change, user, Role.OWNER)
        membership.role = Role.OWNER
        membership.save()
        change.record("member.owner_appointed", person=user, role=Role.OWNER.value)
