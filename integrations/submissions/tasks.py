"""What changes because time passed? Each function finds its due rows itself and may run twice or late."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services import credentials
from integrations.submissions.services.transitions import lock_integration, refresh_next_action


def refresh_due_integrations(now: datetime | None = None, limit: int = 500) -> int:
    """Derive the turn again where time alone has changed it. Returns how many rows were looked at."""
    now = now or timezone.now()
    due_pks = (
        Integration.objects.filter(next_refresh_at__lte=now)
        .order_by("next_refresh_at")
        .values_list("pk", flat=True)[:limit]
    )
    return sum(_refresh_integration(pk, now) for pk in list(due_pks))


def _refresh_integration(pk: int, now: datetime) -> bool:
    with transaction.atomic():
        integration = lock_integration(pk)
        refresh_next_action(integration, now)
        integration.save()
        return True


def maintain_credentials(now: datetime | None = None) -> int:
    """End test accounts whose time is over, and ask to rotate the permanent ones. Returns how many it was."""
    now = now or timezone.now()
    return credentials.end_due_credentials(now) + credentials.send_due_reminders(now)
