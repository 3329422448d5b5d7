"""Values that checks recorded."""

from datetime import datetime

from django.db import models


class Observation(models.Model):
    """Plain value that a check recorded, with its source, when it began and when it was last confirmed.

    `missing_since`: the source has answered "not found" since then; the value is kept.
    """

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="observations")
    key = models.CharField(max_length=120)
    value = models.JSONField(null=True)
    source = models.CharField(max_length=80)
    since = models.DateTimeField()
    confirmed_at = models.DateTimeField()
    missing_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["integration", "key"], name="observation_unique_integration_key")
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.integration}"

    def age(self, now: datetime) -> float:
        """Return the seconds since the value was last confirmed."""
        return (now - self.confirmed_at).total_seconds()
