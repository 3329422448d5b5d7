"""Confirmation of a company's contacts, which its owners are asked for every year.

A breach is reported to the owners and editors, and the program writes to the address for critical issues. If these
people have left, no one notices.
"""

from datetime import datetime, timedelta
from functools import partial

from django.db.models import Q, QuerySet

from integrations.partners import selectors
from integrations.partners.models import Partner
from integrations.partners.services.changes import change_partner
from portal.accounts.models import User
from portal.jobs.batches import process_each

REMINDER_PERIOD = timedelta(days=30)


def confirm_contacts(partner: Partner, *, actor: User, now: datetime) -> None:
    """Record that an owner has confirmed the contacts. Raises ActionRefused."""
    with change_partner(partner.pk, actor=actor, now=now) as change:
        change.require_manager()
        change.partner.contacts_confirmed_at = now
        change.partner.save(update_fields=["contacts_confirmed_at"])
        change.record("partner.contacts_confirmed")


def request_confirmations(now: datetime, limit: int = 100) -> int:
    """Ask the owners to confirm the contacts, again each month until they do. Return the number of asked companies."""
    pks = list(_select_due(now).order_by("pk").values_list("pk", flat=True)[:limit])
    return process_each(pks, partial(_request_confirmation, now=now), "request the confirmation of contacts of partner")


def _select_due(now: datetime) -> QuerySet[Partner]:
    never_or_long_ago = Q(contacts_requested_at=None) | Q(contacts_requested_at__lte=now - REMINDER_PERIOD)
    return selectors.select_unconfirmed(now).filter(never_or_long_ago, selectors.build_active_owner_condition())


def _request_confirmation(pk: int, now: datetime) -> bool:
    """Record the request, which sends the email."""
    with change_partner(pk, actor=None, now=now) as change:
        # Another run may have asked, or an owner may have confirmed, since the list was read.
        if not _select_due(now).filter(pk=pk).exists():
            return False
        change.partner.contacts_requested_at = now
        change.partner.save(update_fields=["contacts_requested_at"])
        change.record("partner.contacts_requested")
    return True
