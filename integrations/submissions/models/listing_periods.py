"""Period of a listing status: when it began, when it ends, and why it is paused."""

from datetime import timedelta
from typing import Any

from django.db import models


class ListingPeriod(models.Model):
    """Begin, end, and pause of the period that the current listing status leaves."""

    standing_since = models.DateTimeField(null=True, blank=True)
    standing_due_at = models.DateTimeField(null=True, blank=True)
    standing_left = models.DurationField(null=True, blank=True)  # of the period, while it is held
    standing_hold = models.CharField(max_length=10, blank=True)
    standing_ask = models.CharField(max_length=300, blank=True)
    standing_looked_at = models.DateTimeField(null=True, blank=True)  # until when breaches suggest nothing any more
    standing_told_at = models.DateTimeField(null=True, blank=True)  # when the end of the period was told
    appealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def _begin_listing_status(self, now: Any, days: int | None = None) -> None:
        """A new standing begins; where it leaves a period, that ends after so many days."""
        self.standing_since = self.standing_looked_at = now
        self.standing_due_at = now + timedelta(days=days) if days else None
        self.standing_left = self.standing_told_at = self.appealed_at = None
        self.standing_hold = self.standing_ask = ""

    def _pause_period(self, reason: str, now: Any) -> None:
        """The period is held: what is left of it is kept. A second reason keeps what the first one kept."""
        if self.standing_due_at is not None:
            self.standing_left = max(self.standing_due_at - now, timedelta())
        self.standing_hold, self.standing_due_at = reason, None

    def _resume_period(self, now: Any) -> None:
        self.standing_due_at = now + (self.standing_left or timedelta())
        self.standing_hold, self.standing_left, self.standing_told_at = "", None, None
