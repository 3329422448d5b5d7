"""Reviewer profiles and snoozed items of the queue."""

from django.conf import settings
from django.db import models


class ReviewerProfile(models.Model):
    """Programs (as keys, empty for all), limit, and absence of a reviewer."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="reviewer_profile")
    programs = models.JSONField(default=list, blank=True)
    away_from = models.DateField(null=True, blank=True)
    away_until = models.DateField(null=True, blank=True)
    max_open_reviews = models.PositiveSmallIntegerField("maximum open reviews", default=8)

    def __str__(self) -> str:
        return f"reviews of {self.user}"


class Snooze(models.Model):
    """Item that leaves the review queue until a time. It returns earlier if another party becomes responsible."""

    integration = models.OneToOneField("submissions.Integration", models.CASCADE, related_name="snooze")
    until = models.DateTimeField()
    reason = models.CharField(max_length=200)
    snoozed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.integration} until {self.until:%Y-%m-%d}"
