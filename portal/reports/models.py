"""What was reported, to whom, and who wants what?

A scope is "programs" (all of them), "program:KEY" or "partner:ID".
"""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy


class ReportSnapshot(models.Model):
    """The figures of one scope in one week, frozen. `figures` is all that any form of the report is made from."""

    scope = models.CharField(max_length=60)
    week = models.CharField(max_length=8)
    figures = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-week", "scope")
        constraints = [models.UniqueConstraint(fields=["scope", "week"], name="report_snapshot_unique_scope_week")]

    def __str__(self) -> str:
        return f"{self.scope} in {self.week}"


class ReportSubscription(models.Model):
    """What a reader wants of a scope; without a row it is the default of their role."""

    class Frequency(models.TextChoices):
        WEEKLY = "weekly", gettext_lazy("Every week")
        ONLY_WITH_PROBLEMS = "only_with_problems", gettext_lazy("Only when something is late or at risk")
        NEVER = "never", gettext_lazy("Never")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="report_subscriptions")
    scope = models.CharField(max_length=60)
    frequency = models.CharField(max_length=20, choices=Frequency.choices, default=Frequency.WEEKLY)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "scope"], name="report_subscription_unique_user_scope")]

    def __str__(self) -> str:
        return f"{self.user}: {self.scope} {self.frequency}"


class ReportDelivery(models.Model):
    """That a reader was served: one row a snapshot and reader, whatever runs twice or late. `sent`: else not wanted."""

    snapshot = models.ForeignKey(ReportSnapshot, models.CASCADE, related_name="deliveries")
    reader = models.EmailField()
    created_at = models.DateTimeField()
    sent = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "reader"], name="report_delivery_unique_snapshot_reader")
        ]

    def __str__(self) -> str:
        return f"{self.snapshot} to {self.reader}"
