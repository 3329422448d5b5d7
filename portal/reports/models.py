"""Models of weekly SLA reports.

A scope is "programs" (all programs), "program:KEY", or "partner:ID".
"""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from portal.core.iso_weeks import IsoWeek


class ReportSnapshot(models.Model):
    """Metrics of a scope in a week, from which all formats of the report are rendered. They never change.

    `delivered_at`: when its schedule was carried out, also if no one wanted the report.
    """

    scope = models.CharField(max_length=60)
    week = models.CharField(max_length=8)
    figures = models.JSONField()
    created_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True, blank=True)

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


class ReportSchedule(models.Model):
    """When and to whom the report of a program, or of all programs, is sent.

    `roles` receive it unless they unsubscribe. The time is on a day after the week, in `zone`.
    """

    class Weekday(models.IntegerChoices):
        MONDAY = 0, gettext_lazy("Monday")
        TUESDAY = 1, gettext_lazy("Tuesday")
        WEDNESDAY = 2, gettext_lazy("Wednesday")
        THURSDAY = 3, gettext_lazy("Thursday")
        FRIDAY = 4, gettext_lazy("Friday")
        SATURDAY = 5, gettext_lazy("Saturday")
        SUNDAY = 6, gettext_lazy("Sunday")

    scope = models.CharField(max_length=60, unique=True)
    roles = models.JSONField(default=list)
    weekday = models.PositiveSmallIntegerField(choices=Weekday.choices, default=Weekday.MONDAY)
    hour = models.PositiveSmallIntegerField(default=8)
    zone = models.CharField(max_length=64, default="UTC")
    skips_empty = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"schedule of {self.scope}"

    def calculate_delivery_time(self, week: IsoWeek) -> datetime:
        """Return when the report of a week is sent."""
        day = week.after.monday + timedelta(days=self.weekday)
        return datetime.combine(day, time(self.hour), ZoneInfo(self.zone))


class OutsideRecipient(models.Model):
    """Recipient of a report without an account. It receives nothing before it confirms its address."""

    scope = models.CharField(max_length=60)
    email = models.EmailField()
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("email", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "email"], condition=Q(ended_at=None), name="outside_recipient_unique_scope_email"
            )
        ]

    def __str__(self) -> str:
        return f"{self.email}: {self.scope}"
