"""What changes because time passed? Each function finds its due rows itself and may run twice or late."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services import credentials
from integrations.submissions.services.transitions import lock, refresh


def refresh_due(now: datetime | None = None, limit: int = 500) -> int:
    """Derive the turn again where time alone has changed it. Returns how many rows were looked at."""
    now = now or timezone.now()
    due = Integration.objects.filter(wake_at__lte=now).order_by("wake_at").values_list("pk", flat=True)[:limit]
    return sum(_refresh(pk, now) for pk in list(due))


def _refresh(pk: int, now: datetime) -> bool:
    with transaction.atomic():
        row = lock(pk)
        refresh(row, now)
        row.save()
        return True


def tend_credentials(now: datetime | None = None) -> int:
    """End test accounts whose time is over, and ask to rotate the permanent ones. Returns how many it was."""
    now = now or timezone.now()
    return credentials.end_due(now) + credentials.remind_due(now)
