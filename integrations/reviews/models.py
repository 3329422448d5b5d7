"""Reviewer profiles."""

from django.conf import settings
from django.db import models


class ReviewerProfile(models.Model):
    """What a reviewer takes on. `programs`: keys, empty for all of them."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="reviewer_profile")
    programs = models.JSONField(default=list, blank=True)
    away_from = models.DateField(null=True, blank=True)
    away_until = models.DateField(null=True, blank=True)
    max_open_reviews = models.PositiveSmallIntegerField("most reviews at once", default=8)

    def __str__(self) -> str:
        return f"reviews of {self.user}"
