"""Service that creates an invitation and queues its email. Only the email contains the token."""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from integrations.partners.models import Invitation, Partner
from integrations.partners.services import members
from portal.accounts.models import User
from portal.notifications import email as mail


def send_invitation(partner: Partner, email: str, role: str, *, actor: User, now: datetime) -> Invitation:
    """Invite an address, or replace its open invitation. Raises ActionRefused like `create_invitation`."""
    with transaction.atomic():
        invitation, token = members.create_invitation(partner, email, role, actor=actor, now=now)
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
