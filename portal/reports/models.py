"""Models of SLA reports.

A scope is "programs" (all programs), "program:KEY", or "partner:SLUG".
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy

from portal.core.periods import PeriodKind


class ReportSnapshot(models.Model):
    """Metrics of a scope in a period, from which all formats of the report are rendered. They never change.

    `period` is its name, such as "2026-W16". `delivered_at`: when it was delivered, even if no one wanted the report.
    """

    scope = models.CharField(max_length=100)
    period = models.CharField(max_length=8)
    kind = models.CharField(max_length=8, choices=[(each.value, each.value) for each in PeriodKind])
    end_day = models.DateField()
    # Stored, because later events change clocks and breaches of the period.
    figures = models.JSONField()
    created_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-end_day", "kind", "scope")
        # Runs can overlap, and a report must not change after its first email.
        constraints = [models.UniqueConstraint(fields=["scope", "period"], name="report_snapshot_unique_scope_period")]

    def __str__(self) -> str:
        return f"{self.scope} in {self.period}"


class Frequency(models.TextChoices):
    """How often a reader gets a report."""

    WEEKLY = "weekly", gettext_lazy("Every week")
    ONLY_WITH_PROBLEMS = "only_with_problems", gettext_lazy("Every week, if something is late or at risk")
    MONTHLY = "monthly", gettext_lazy("Every month")
    QUARTERLY = "quarterly", gettext_lazy("Every quarter")
    NEVER = "never", gettext_lazy("Never")


class ReportSubscription(models.Model):
    """Report frequency of a user for a scope. Without a row, the default of the role applies."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="report_subscriptions")
    scope = models.CharField(max_length=100)
    frequency = models.CharField(max_length=20, choices=Frequency.choices, default=Frequency.WEEKLY)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "scope"], name="report_subscription_unique_user_scope")]

    def __str__(self) -> str:
        return f"{self.user}: {self.scope} {self.frequency}"


class ReportSchedule(models.Model):
    """When and to whom the report of a program, or of all programs, is sent.

    `roles` receive it unless they unsubscribe. `hour` is in `zone`. `weekday` is the day after a week; reports of other
    periods are sent on the first business day after them.
    """

    scope = models.CharField(max_length=100, unique=True)
    roles = models.JSONField(default=list)
    weekday = models.PositiveSmallIntegerField(choices=WEEKDAYS.items(), default=0)
    hour = models.PositiveSmallIntegerField(default=8)
    zone = models.CharField(max_length=64, default="UTC")
    skips_empty = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"schedule of {self.scope}"


class ExternalRecipient(models.Model):
    """Recipient of a report without an account. It receives nothing before it confirms its address."""

    scope = models.CharField(max_length=100)
    email = models.EmailField()
    frequency = models.CharField(max_length=20, choices=Frequency.choices, default=Frequency.WEEKLY)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("email", "pk")
        constraints = [
            # After a removal, an address can be added and confirmed again.
            models.UniqueConstraint(
                fields=["scope", "email"], condition=Q(ended_at=None), name="external_recipient_unique_scope_email"
            )
        ]

    def __str__(self) -> str:
        return f"{self.email}: {self.scope}"
