"""Notification preferences."""

from django.conf import settings
from django.db import models


class NotificationPreference(models.Model):
    """Notification preferences of a person.

    `delivery` maps categories, and event types that differ from their category, to delivery modes.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notification_preference")
    delivery = models.JSONField(default=dict)
    only_in_working_hours = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.user}: {self.delivery}"
