"""Models of the inbox app."""

from django.conf import settings
from django.db import models


class CalendarFeed(models.Model):
    """Secret calendar URL of a person. Only the hash of its token is stored."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="calendar_feed")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"calendar of {self.user}"
