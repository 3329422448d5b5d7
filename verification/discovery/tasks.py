"""Jobs of the discovery app."""

from datetime import datetime, timedelta

from verification.discovery.models import Discovery
from verification.discovery.services import read_discovery

__all__ = ["delete_abandoned", "read_discovery"]
KEEP_ABANDONED = timedelta(days=30)


def delete_abandoned(now: datetime) -> int:
    """Delete old discoveries from which no integration was started. Return how many."""
    return Discovery.objects.filter(integration=None, created_at__lt=now - KEEP_ABANDONED).delete()[0]
