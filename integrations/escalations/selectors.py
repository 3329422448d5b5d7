"""Queries of undelivered emails."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from integrations.submissions.models import Integration
from portal.notifications.models import EmailMessage

DISPLAY_PERIOD = timedelta(days=30)


def list_undelivered_emails(integration: Integration, *, for_program: bool, now: datetime) -> QuerySet[EmailMessage]:
    """Return the undeliverable emails of the last month. Partners see only their own."""
    failed = EmailMessage.objects.filter(
        integration=integration, state=EmailMessage.State.FAILED, created_at__gte=now - DISPLAY_PERIOD
    )
    if not for_program:
        failed = failed.filter(person__memberships__partner=integration.partner_id, person__memberships__ended_at=None)
    return failed.only("subject", "to", "created_at").order_by("-created_at")[:5]
