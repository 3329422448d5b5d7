"""What was found in review, what was said about it, and who reviews?"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from integrations.submissions.models.integration import Integration

USER_MODEL = settings.AUTH_USER_MODEL


class Finding(models.Model):
    """One remark of a reviewer, tied to a requirement: open, then fixed by the partner, then verified.

    One of the machine (`raised_by` is None, `due_at` set) says that what was met no longer is.
    """

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("Open")
        RESOLVED = "resolved", gettext_lazy("Fixed, to be verified")
        VERIFIED = "verified", gettext_lazy("Verified")

    integration = models.ForeignKey(Integration, models.CASCADE, related_name="findings")
    number = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField()
    requirement_id = models.CharField(max_length=40)
    text = models.TextField(max_length=4000)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    raised_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    raised_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(max_length=4000, blank=True)
    resolved_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    resolved_at = models.DateTimeField(null=True, blank=True)
    verified_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    verified_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["integration", "number"], name="finding_unique_integration_number"),
            models.UniqueConstraint(
                fields=["integration", "requirement_id"],
                condition=~Q(due_at=None) & ~Q(state="verified"),
                name="finding_unique_unverified_automatic",
            ),
        ]

    def __str__(self) -> str:
        return f"Finding {self.number} of {self.integration}"


class ReviewMessage(models.Model):
    """A word in the thread. `internal`: a note that the partner never sees."""

    integration = models.ForeignKey(Integration, models.CASCADE, related_name="messages")
    author = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    body = models.TextField(max_length=8000)
    internal = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        ordering = ("at",)

    def __str__(self) -> str:
        return f"{self.author} on {self.integration}"


class ReadMarker(models.Model):
    """Up to which event a person has seen an integration."""

    user = models.ForeignKey(USER_MODEL, models.CASCADE, related_name="+")
    integration = models.ForeignKey(Integration, models.CASCADE, related_name="read_markers")
    seq = models.PositiveIntegerField(default=0)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "integration"], name="read_marker_unique_user_integration")
        ]

    def __str__(self) -> str:
        return f"{self.user} saw {self.integration} up to {self.seq}"


class Introduction(models.Model):
    """Two partners work on the same thing and one wants to be introduced. Names pass only when both agree."""

    class State(models.TextChoices):
        ASKED = "asked", gettext_lazy("Asked")
        AGREED = "agreed", gettext_lazy("Both agreed")
        DECLINED = "declined", gettext_lazy("Declined")

    asking = models.ForeignKey(Integration, models.CASCADE, related_name="introductions_asked")
    other = models.ForeignKey(Integration, models.CASCADE, related_name="introductions_received")
    message = models.CharField(max_length=1000, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    asked_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField()
    decided_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["asking", "other"], name="introduction_unique_requester_other")]

    def __str__(self) -> str:
        return f"{self.asking} to {self.other}"
