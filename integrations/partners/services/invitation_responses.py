"""Responses to invitations that grant no membership."""

from collections.abc import Collection
from datetime import datetime

from integrations.partners.models import Invitation
from integrations.partners.services.changes import change_partner
from portal.accounts.invitations import explain_invitation_refusal
from portal.accounts.models import User
from portal.core.errors import ActionRefused


def decline_invitation(invitation: Invitation, *, addresses: Collection[str], actor: User, now: datetime) -> None:
    """Decline an invitation for one of the user's verified addresses, which closes it. Raises ActionRefused."""
    with change_partner(invitation.partner_id, actor=actor, now=now) as change:
        locked_invitation = Invitation.objects.get(pk=invitation.pk)
        if refusal := explain_invitation_refusal(locked_invitation, addresses, now):
            raise ActionRefused(refusal)
        locked_invitation.revoked_at = now
        locked_invitation.save()
        change.record("member.invitation_declined", invitation=locked_invitation)
