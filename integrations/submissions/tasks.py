"""Periodic tasks of submissions. Each finds its due rows and can run twice or late."""

from datetime import datetime
from functools import partial

from django.db import transaction

from integrations.submissions.models import Integration
from integrations.submissions.services import credentials
from integrations.submissions.services.changes import IntegrationChange
from integrations.submissions.services.transitions import lock_integration
from portal.jobs.batches import process_each


def refresh_due_integrations(now: datetime, limit: int = 500) -> int:
    """Refresh next actions that time has changed. Return the number of refreshed rows."""
    due = Integration.objects.filter(next_refresh_at__lte=now).order_by("next_refresh_at")
    pks = list(due.values_list("pk", flat=True)[:limit])
    return process_each(pks, partial(_refresh_integration, now=now), "refresh integration")


@transaction.atomic
def _refresh_integration(pk: int, now: datetime) -> None:
    # Each in its own transaction: one faulty row must not keep the others from being refreshed.
    IntegrationChange(lock_integration(pk), None, now).save()


def maintain_credentials(now: datetime) -> int:
    """End expired test accounts and request rotation of permanent ones. Return the number of changes."""
    return credentials.end_due_credentials(now) + credentials.send_due_reminders(now)
