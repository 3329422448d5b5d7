"""Stage durations, derived from audit events, and saved views."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class StageDuration(models.Model):
    """Period of an integration in a stage with a responsible party; see stage_durations.StagePeriod for the fields.

    Stored in the transaction that changes the responsible party. `manage.py rebuild_stage_durations` rebuilds it from
    audit events.
    """

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="stage_durations")
    program_key = models.CharField(max_length=40)
    stage = models.CharField(max_length=20)
    responsible_party = models.CharField(max_length=20)
    round = models.PositiveSmallIntegerField(default=0)
    stay_started_at = models.DateTimeField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ends_stay = models.BooleanField(default=False)
    business_day_tenths = models.PositiveIntegerField(null=True)  # of a completed stay

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["integration"], condition=Q(ended_at=None), name="stage_duration_unique_open"
            ),
        ]
        indexes = [
            models.Index(
                fields=["ended_at", "program_key", "stage", "business_day_tenths"],
                condition=Q(ends_stay=True),
                name="stage_duration_stays",
            ),
            models.Index(
                fields=["ended_at", "program_key", "stage", "responsible_party", "started_at"],
                name="stage_duration_end",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.integration_id}: {self.stage}, {self.responsible_party}"


class SavedView(models.Model):
    """Saved filters of a list. Views without an owner are shared by program staff.

    Only a user's own view can be the default of a page.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="saved_views"
    )
    page = models.CharField(max_length=40)
    name = models.CharField("name", max_length=60)
    query = models.CharField(max_length=500, blank=True)
    is_default = models.BooleanField(default=False)
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    saved_at = models.DateTimeField()

    class Meta:
        ordering = ("name", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "page", "name"],
                condition=Q(owner__isnull=False),
                name="saved_view_unique_owner_page_name",
            ),
            models.UniqueConstraint(
                fields=["page", "name"], condition=Q(owner=None), name="saved_view_unique_shared_page_name"
            ),
            # Two requests at once must not leave two defaults.
            models.UniqueConstraint(
                fields=["owner", "page"], condition=Q(is_default=True), name="saved_view_unique_default"
            ),
        ]

    def __str__(self) -> str:
        return self.name
