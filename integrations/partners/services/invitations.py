"""How does an invitation reach its address? Offer and mail are written together; only the mail knows the token."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from integrations.partners.models import Invitation, Partner
from integrations.partners.services import members
from portal.notifications import email as mail


def send(partner: Partner, email: str, role: str, *, by: Any, now: datetime) -> Invitation:
    """Invite an address, or invite it again with a new link. Raises NotAllowed as people.invite does."""
    with transaction.atomic():
        invitation, token = members.invite(partner, email, role, by=by, now=now)
        told = {
            "partner": partner,
            "invitation": invitation,
            "by": by,
            "url": settings.SITE_URL + reverse("invitation", args=[token]),
            "days": members.INVITATION_DAYS,
        }
        key = f"invitation:{invitation.pk}:{invitation.token_hash[:16]}"
        mail.queue("invitation", key, invitation.email, told, now=now)
    return invitation
