"""What did a person choose, and which address shows their calendar?"""

from django.conf import settings
from django.db import models


class Wish(models.Model):
    """What reaches a person. `how`: by kind, where it is not a mail at once; `office_hours`: when mails may come."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="wish")
    how = models.JSONField(default=dict)
    office_hours = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.user}: {self.how}"


class CalendarFeed(models.Model):
    """The secret address of a person's deadlines. Only the hash of its token is kept."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="calendar_feed")
    token_hash = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"calendar of {self.user}"
