"""Jobs of the discovery app."""

from datetime import datetime, timedelta

from portal.jobs.registry import periodic
from verification.discovery import services
from verification.discovery.services import read_discovery

__all__ = ["delete_abandoned", "read_discovery"]


@periodic("discovery.delete_abandoned", every=timedelta(days=1), queue="network")
def delete_abandoned(now: datetime) -> int:
    """Delete old discoveries from which no integration was started. Return how many."""
    return services.delete_abandoned(now)
