"""Reads of the partners app."""

from django.db.models import QuerySet

from integrations.partners.models import Partner
from portal.audit.models import AuditEvent


def get_history(partner: Partner, *, with_people: bool) -> QuerySet[AuditEvent]:
    """Return the partner's own events, newest first, without those of its integrations.

    All members and program staff see them, but only owners see those about people, tokens, and webhooks.
    """
    events = AuditEvent.objects.filter(stream=f"partner:{partner.pk}").visible_to_partner().order_by("-seq")
    return events if with_people else events.filter(event_type__startswith="partner.")
