"""Period of a listing status: when it began, when it ends, and why it is paused."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import models

from integrations.submissions.workflow.next_action import render_action_text
from portal.core.value_types import NamedValues

# fields that a new listing status resets
PERIOD_FIELDS = (
    "listing_status_since",
    "compliance_deadline_at",
    "deadline_remaining",
    "deadline_pause_reason",
    "compliance_request",
    "compliance_reviewed_at",
    "deadline_notified_at",
    "appealed_at",
)


class ListingPeriod(models.Model):
    """Start, deadline, and pause of the current listing status."""

    listing_status_since = models.DateTimeField(null=True, blank=True)
    compliance_deadline_at = models.DateTimeField(null=True, blank=True)
    deadline_remaining = models.DurationField(null=True, blank=True)  # while the deadline is paused
    deadline_pause_reason = models.CharField(max_length=20, blank=True)  # PAUSED_FOR_ACTIVITY or _APPEAL
    compliance_request = models.CharField(max_length=40, blank=True)  # code in next_actions.yaml
    compliance_request_params = models.JSONField(default=dict, blank=True)
    compliance_reviewed_at = models.DateTimeField(null=True, blank=True)  # earlier breaches suggest no notice
    deadline_notified_at = models.DateTimeField(null=True, blank=True)  # when the program was notified of the end
    appealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def compliance_request_label(self) -> str:
        """Return the compliance request in the reader's language."""
        return render_action_text(self.compliance_request, self.compliance_request_params)

    def dump_fields(self, names: Iterable[str]) -> dict[str, str]:
        """Return the values of fields as JSON."""
        return {name: self._meta.get_field(name).value_to_string(self) for name in names}  # type: ignore[union-attr]

    def restore_fields(self, names: Iterable[str], data: NamedValues) -> None:
        """Restore fields from the result of `dump_fields`."""
        for name in names:
            field = self._meta.get_field(name)
            setattr(self, name, field.to_python(data[name]) if data[name] or not field.null else None)  # type: ignore[union-attr]

    def _begin_listing_status(self, now: datetime, days: int | None = None) -> None:
        """Start a new listing status with a deadline after `days`, if any."""
        self.listing_status_since = self.compliance_reviewed_at = now
        self.compliance_deadline_at = now + timedelta(days=days) if days else None
        self.deadline_remaining = self.deadline_notified_at = self.appealed_at = None
        self.deadline_pause_reason = self.compliance_request = ""

    def _pause_period(self, reason: str, now: datetime) -> None:
        """Pause the deadline. A second reason retains the time that the first one saved."""
        if self.compliance_deadline_at is not None:
            self.deadline_remaining = max(self.compliance_deadline_at - now, timedelta())
        self.deadline_pause_reason, self.compliance_deadline_at = reason, None

    def _resume_period(self, now: datetime) -> None:
        self.compliance_deadline_at = now + (self.deadline_remaining or timedelta())
        self.deadline_pause_reason, self.deadline_remaining, self.deadline_notified_at = "", None, None
