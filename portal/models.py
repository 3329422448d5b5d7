"""What mail is there, and what became of it? A rendered message and its fate."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from integrations.models import Event, Integration
from portal.reports.models import ReportCopy, ReportWish, Snapshot

__all__ = ["Email", "Heartbeat", "ReportCopy", "ReportWish", "Snapshot"]


class Email(models.Model):
    """One mail to one address, as it will be sent. Its key is unique: the same news twice is one mail."""

    class State(models.TextChoices):
        HELD = "held", "Waits out the undo window"
        QUEUED = "queued", "To be sent"
        SENDING = "sending", "Being sent"
        SENT = "sent", "Accepted by the mail server"
        KEPT = "kept", "Kept here: no mail server is set up"
        CANCELLED = "cancelled", "Cancelled: the decision was undone"
        FAILED = "failed", "Given up"

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    key = models.CharField(max_length=200, unique=True)
    name = models.CharField("template", max_length=60)
    to = models.EmailField("to")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="emails")
    event = models.ForeignKey(Event, models.PROTECT, null=True, blank=True, related_name="emails")
    integration = models.ForeignKey(Integration, models.CASCADE, null=True, blank=True, related_name="emails")
    subject = models.CharField(max_length=250)
    text = models.TextField()
    html = models.TextField()
    calendar = models.TextField(blank=True)
    unsubscribe = models.URLField(max_length=400, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(state__in=["held", "queued", "sending"]), name="mails_not_yet_sent"
            )
        ]

    def __str__(self) -> str:
        return f"{self.subject} to {self.to}"


class Heartbeat(models.Model):
    """When a background process last got its work done: alive means work done, not process up."""

    process = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.process} at {self.at:%Y-%m-%d %H:%M:%S}"
