"""Models of the notifications app: rendered emails with their delivery, and preferences."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class EmailMessage(models.Model):
    """Email to one address. Its unique key prevents duplicates.

    `group_key`: those with the same key are combined into one email, not into the digest that a person chose.
    `visible_at`: when the person can read it in the portal, None if immediately; for a decision, when it is final.
    """

    class State(models.TextChoices):
        HELD = "held", gettext_lazy("Scheduled")
        QUEUED = "queued", gettext_lazy("Queued")
        SENT = "sent", gettext_lazy("Sent")
        STORED = "stored", gettext_lazy("Not sent, no mail server configured")
        CANCELED = "canceled", gettext_lazy("Canceled")
        FAILED = "failed", gettext_lazy("Failed")
        BATCHED = "batched", gettext_lazy("Waiting for digest")
        INCLUDED_IN_DIGEST = "included_in_digest", gettext_lazy("Sent in digest")
        IN_APP_ONLY = "in_app_only", gettext_lazy("Portal only, by preference")
        SUPPRESSED = "suppressed", gettext_lazy("Turned off by preference")

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    key = models.CharField(max_length=400, unique=True)  # with a slug of up to 80 and an address of up to 254
    group_key = models.CharField(max_length=300, blank=True)
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
    visible_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    digest = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="parts")
    failure_handled_at = models.DateTimeField(null=True, blank=True)  # so that each failure is handled once

    class Meta:
        ordering = ("-created_at", "-pk")
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="email_message_newest"),
            models.Index(
                fields=["id"], condition=Q(state="failed", failure_handled_at=None), name="email_message_to_handle"
            ),
            # Partial indexes, because almost all emails have been sent.
            models.Index(fields=["integration"], condition=Q(state="failed"), name="email_message_failed"),
            models.Index(fields=["created_at"], condition=Q(state="stored"), name="email_message_stored"),
            models.Index(fields=["held_until", "person"], condition=Q(state="batched"), name="email_message_batched"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} to {self.to}"


class NotificationPreference(models.Model):
    """Notification preferences of a person.

    `delivery` maps categories, and event types that differ from their category, to delivery modes.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notification_preference")
    delivery = models.JSONField(default=dict)
    only_in_working_hours = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.user}: {self.delivery}"
