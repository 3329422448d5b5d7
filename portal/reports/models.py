"""Models of weekly SLA reports.

A scope is "programs" (all programs), "program:KEY", or "partner:ID".
"""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy


class ReportSnapshot(models.Model):
    """Metrics of a scope in a week, from which all formats of the report are rendered. They never change."""

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
    """Report frequency of a user for a scope. Without a row, the default of the role applies."""

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
    """Delivery of a report to a reader, which prevents duplicates. `sent` is false if the reader skips this week."""

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
