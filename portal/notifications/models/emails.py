"""Rendered emails and their delivery."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class EmailMessage(models.Model):
    """One mail to one address, as it will be sent. Its key is unique: the same news twice is one mail."""

    class State(models.TextChoices):
        HELD = "held", gettext_lazy("Waits for its moment")
        QUEUED = "queued", gettext_lazy("To be sent")
        SENT = "sent", gettext_lazy("Accepted by the mail server")
        STORED = "stored", gettext_lazy("Not sent: no mail server was set up")
        CANCELLED = "cancelled", gettext_lazy("Cancelled before it left")
        FAILED = "failed", gettext_lazy("Given up")
        BATCHED = "batched", gettext_lazy("Waits for a digest")
        INCLUDED_IN_DIGEST = "included_in_digest", gettext_lazy("Told in a digest")
        IN_APP_ONLY = "in_app_only", gettext_lazy("Shown in the portal alone, as its receiver chose")
        SUPPRESSED = "suppressed", gettext_lazy("Not told, as its receiver chose")

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    key = models.CharField(max_length=200, unique=True)
    name = models.CharField("template", max_length=60)
    to = models.EmailField("to")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="emails")
    event = models.ForeignKey("audit.AuditEvent", models.PROTECT, null=True, blank=True, related_name="emails")
    integration = models.ForeignKey(
        "submissions.Integration", models.CASCADE, null=True, blank=True, related_name="emails"
    )
    subject = models.CharField(max_length=250)
    text = models.TextField()
    html = models.TextField()
    calendar = models.TextField(blank=True)
    unsubscribe = models.URLField(max_length=400, blank=True)
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    held_until = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    digest = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="parts")
    escalated_at = models.DateTimeField(null=True, blank=True)  # given up, and the next one was told

    class Meta:
        ordering = ("-created_at", "-pk")
        indexes = [
            models.Index(
                fields=["id"], condition=Q(state="failed", escalated_at=None), name="email_message_to_escalate"
            ),
            models.Index(fields=["created_at"], condition=Q(state="stored"), name="email_message_stored"),
            models.Index(fields=["held_until", "person"], condition=Q(state="batched"), name="email_message_batched"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} to {self.to}"
