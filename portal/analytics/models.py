"""What does the office keep to read from? Times in stages, folded from the history, and lists that people saved."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class StageDuration(models.Model):
    """A time that one integration spent in one stage with one holder; the fields are those of passages.Piece.

    Kept in the transaction in which the turn passes; `manage.py rebuild_stage_durations` makes it again from the
    events.
    """

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="stage_durations")
    program_key = models.CharField(max_length=40)
    stage = models.CharField(max_length=20)
    holder = models.CharField(max_length=20)
    round = models.PositiveSmallIntegerField(default=0)
    began = models.DateTimeField()
    since = models.DateTimeField()
    until = models.DateTimeField(null=True)
    leaves = models.BooleanField(default=False)
    tenths = models.PositiveIntegerField(null=True)  # of working days that the stay took, where it ended it

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(fields=["integration"], condition=Q(until=None), name="stage_duration_unique_open"),
        ]
        indexes = [
            models.Index(
                fields=["until", "program_key", "stage", "tenths"],
                condition=Q(leaves=True),
                name="stage_duration_stays",
            ),
            models.Index(fields=["until", "program_key", "stage", "holder", "since"], name="stage_duration_end"),
        ]

    def __str__(self) -> str:
        return f"{self.integration_id}: {self.stage}, {self.holder}"


class SavedView(models.Model):
    """A list as somebody wants to see it again: a page and its query. `owner` None: for everyone of the program.

    Only one's own view can be the default of a page.
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
            models.UniqueConstraint(
                fields=["owner", "page"], condition=Q(is_default=True), name="saved_view_unique_default"
            ),
        ]

    def __str__(self) -> str:
        return self.name
