"""Periodic tasks of submissions. Each finds its due rows and can run twice or late."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services import credentials
from integrations.submissions.services.changes import IntegrationChange
from integrations.submissions.services.transitions import lock_integration


def refresh_due_integrations(now: datetime | None = None, limit: int = 500) -> int:
    """Refresh next actions that time has changed. Return the number of refreshed rows."""
    now = now or timezone.now()
    due_pks = (
        Integration.objects.filter(next_refresh_at__lte=now)
        .order_by("next_refresh_at")
        .values_list("pk", flat=True)[:limit]
    )
    return sum(_refresh_integration(pk, now) for pk in list(due_pks))


def _refresh_integration(pk: int, now: datetime) -> bool:
    with transaction.atomic():
        IntegrationChange(lock_integration(pk), None, now).save()
        return True


def maintain_credentials(now: datetime | None = None) -> int:
    """End expired test accounts and request rotation of permanent ones. Return the number of changes."""
    now = now or timezone.now()
    return credentials.end_due_credentials(now) + credentials.send_due_reminders(now)
