"""Calendars of partners, stored as a sequence of editions."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models

from integrations.partners.models.partners import Partner
from portal.core.business_time import Calendar


class PartnerCalendarQuerySet(models.QuerySet["PartnerCalendar"]):
    def get_in_force(self, moment: datetime) -> "PartnerCalendar | None":
        """Return the edition that applies to a clock starting at this time, or None."""
        # A clock keeps the edition with which it started, so later changes don't move its due date.
        return self.filter(valid_from__lte=moment).order_by("valid_from", "pk").last()


class PartnerCalendar(models.Model):
    """Immutable edition of a partner's business days, valid until the next edition.

    `workdays` holds weekday numbers, Monday is 0. `holidays` and `extra_days` map ISO dates to names. The holidays are
    a snapshot, so that an update of the holidays library doesn't move due dates.
    """

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="calendars")
    valid_from = models.DateTimeField()
    zone = models.CharField(max_length=60, default="UTC")
    workdays = models.JSONField(default=list)
    country = models.CharField(max_length=2, blank=True)
    subdivision = models.CharField(max_length=20, blank=True)
    holidays = models.JSONField(default=dict)
    extra_days = models.JSONField(default=dict)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()

    objects = PartnerCalendarQuerySet.as_manager()

    class Meta:
        ordering = ("valid_from", "pk")

    def __str__(self) -> str:
        return f"{self.partner}: {self.zone} from {self.valid_from:%Y-%m-%d}"

    @property
    def calendar(self) -> Calendar:
        """Return the edition in the form that the SLA clock uses."""
        # From the snapshot: an update of the holidays library must not move due dates.
        names = {date.fromisoformat(day): str(name) for day, name in (self.holidays | self.extra_days).items()}
        return Calendar(ZoneInfo(self.zone), frozenset(self.workdays), frozenset(names), names)
