"""Reviewer profiles and snoozed items of the queue."""

from django.conf import settings
from django.db import models


class ReviewerProfile(models.Model):
    """Programs (as keys, empty for all), limit, and absence of a reviewer."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="reviewer_profile")
    programs = models.JSONField(default=list, blank=True)
    away_from = models.DateField(null=True, blank=True)
    away_until = models.DateField(null=True, blank=True)
    max_open_reviews = models.PositiveSmallIntegerField("maximum open reviews", default=8)

    def __str__(self) -> str:
        return f"reviews of {self.user}"


class Snooze(models.Model):
    """Item that leaves the review queue until a time. It returns earlier if another party becomes responsible."""

    integration = models.OneToOneField("submissions.Integration", models.CASCADE, related_name="snooze")
    until = models.DateTimeField()
    reason = models.CharField(max_length=200)
    snoozed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.integration} until {self.until:%Y-%m-%d}"


class QueueItem(models.Model):
    """Item of the review queue: a row of the union of all kinds, which takes the place of a table.

    Kinds and columns are in `selectors.queue_kinds`. A kind has NULL or blank in the columns that it doesn't need.
    Columns with the prefix `computed_` are in `selectors.queue_union`.
    """

    # One integration can be several items: a review, and a waiver for each requirement with a request.
    pk = models.CompositePrimaryKey("kind", "uuid", "slug")
    kind = models.CharField()
    uuid = models.UUIDField()
    slug = models.CharField()
    name = models.CharField()
    name_key = models.CharField()
    detail = models.CharField()
    integration = models.ForeignKey("submissions.Integration", models.DO_NOTHING, null=True, related_name="+")
    # DO_NOTHING everywhere: deleting a row must not look for items in a table that doesn't exist.
    partner = models.ForeignKey("partners.Partner", models.DO_NOTHING, related_name="+")
    program_key = models.CharField()
    edition_date = models.CharField()
    step = models.CharField()
    stage = models.CharField()
    category = models.CharField()
    review_state = models.CharField()
    review_round = models.PositiveSmallIntegerField()
    deadline_pause_reason = models.CharField()
    responsible_party = models.CharField()
    next_action_code = models.CharField()
    next_action_params = models.JSONField(null=True)
    action_due_at = models.DateTimeField(null=True)
    waiting_since = models.DateTimeField(null=True)
    reasons = models.JSONField(null=True)
    requirement_counts = models.JSONField(null=True)
    claim_expires_at = models.DateTimeField(null=True)
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="+")
    first_approver = models.ForeignKey(settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="+")
    notice_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="+")
    enforced_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="+")

    began_at = models.DateTimeField(null=True, db_column="computed_began_at")
    is_snoozed = models.BooleanField(db_column="computed_is_snoozed")
    # NULL if the reader has never viewed the integration, which the queue marks.
    changes = models.PositiveIntegerField(null=True, db_column="computed_changes")

    class Meta:
        managed = False

    def __str__(self) -> str:
        return self.name
