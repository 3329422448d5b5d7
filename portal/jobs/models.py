"""Runs of periodic jobs."""

from datetime import datetime

from django.db import models


class PeriodicRun(models.Model):
    """The last run of a periodic job; `finished_at` is that of the last run that ended without an error."""

    name = models.CharField(max_length=40, primary_key=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name}, started at {self.started_at:%Y-%m-%d %H:%M:%S}"

    def is_cut_off(self, now: datetime) -> bool:
        """Return whether the process of the last run died: it neither gave its lease back nor renewed it."""
        return self.lease_expires_at is not None and self.lease_expires_at <= now
