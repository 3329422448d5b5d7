"""Periodic tasks of reviews."""

from datetime import datetime

from django.utils import timezone

from integrations.reviews.services.conflicts import record_known_conflicts


def record_conflicts(now: datetime | None = None) -> int:
    """Record conflicts of interest that the portal knows. Permissions apply them at once. Return how many are new."""
    return record_known_conflicts(now or timezone.now())
