"""Notification preferences and calendar feeds."""

from django.conf import settings
from django.db import models


class NotificationPreference(models.Model):
    """What reaches a person.

    `how`: by kind, where it is not a mail at once; `only_in_working_hours`: when mails may come.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notification_preference")
    how = models.JSONField(default=dict)
    only_in_working_hours = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.user}: {self.how}"


class CalendarFeed(models.Model):
    """The secret address of a person's deadlines. Only the hash of its token is kept."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="calendar_feed")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"calendar of {self.user}"
