"""Models of webhook endpoints, deliveries, and attempts."""

import base64
import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _, gettext_lazy, gettext_noop

from portal.core.crypto import Secret, get_salt
from portal.core.encrypted_fields import EncryptedField, EncryptedRow

SECRET_BYTES = 32
# Both secrets sign during this time, so a receiver can replace its own at any moment.
SECRET_OVERLAP_PERIOD = timedelta(days=1)

PAUSE_SUMMARIES = {
    "manual": gettext_noop("We send nothing until you resume the webhook."),
    "endpoint_gone": gettext_noop("The endpoint returned 410 Gone. We send nothing until you resume the webhook."),
    "unreachable": gettext_noop("Deliveries failed for five days. We send nothing until you resume the webhook."),
}


def generate_message_id() -> str:
    """Return a new webhook-id, which stays the same for all attempts of a delivery."""
    return f"msg_{uuid4().hex}"


def generate_secret() -> Secret:
    """Return a new signing secret in the format of Standard Webhooks."""
    return Secret("whsec_" + base64.b64encode(os.urandom(SECRET_BYTES)).decode())


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """Status of an endpoint with a summary."""

    label: str
    tone: str
    icon: str
    summary: str


class WebhookEndpoint(EncryptedRow):
    """Receiver of events. Without a partner, it belongs to the program and receives the events of all partners.

    The URL and the secrets are encrypted, because a Slack or Teams URL is a secret itself. Pages show `display_url`.
    """

    class Format(models.TextChoices):
        WEBHOOK = "webhook", gettext_lazy("Signed JSON")
        SLACK = "slack", gettext_lazy("Slack message")
        TEAMS = "teams", gettext_lazy("Microsoft Teams message")

    class Pause(models.TextChoices):
        MANUAL = "manual", gettext_lazy("Paused")
        ENDPOINT_GONE = "endpoint_gone", gettext_lazy("Endpoint gone (410)")
        UNREACHABLE = "unreachable", gettext_lazy("Endpoint unreachable")

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    partner = models.ForeignKey("partners.Partner", models.CASCADE, null=True, blank=True, related_name="endpoints")
    name = models.CharField("name", max_length=80)
    format = models.CharField(max_length=10, choices=Format.choices, default=Format.WEBHOOK)
    url = EncryptedField()
    display_url = models.CharField(max_length=300)
    event_types = models.JSONField(default=list)
    program_key = models.CharField(max_length=40, blank=True)
    secret = EncryptedField(null=True)
    old_secret = EncryptedField(null=True)
    old_secret_until = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    pause = models.CharField(max_length=16, choices=Pause.choices, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    failing_since = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("name", "pk")
        indexes = [models.Index(fields=["partner"], condition=Q(ended_at=None), name="webhook_endpoint_active")]

    def __str__(self) -> str:
        return f"{self.name}: {self.display_url}"

    @property
    def audit_stream(self) -> str:
        return f"partner:{self.partner_id}" if self.partner_id else f"webhook:{self.pk}"

    @property
    def health(self) -> EndpointHealth:
        if self.pause:
            return EndpointHealth(_("Paused"), "warn", "pause", _(PAUSE_SUMMARIES[self.pause]))
        if self.failing_since:
            return EndpointHealth(_("Failing"), "bad", "circle-x", _("The last attempt failed. We'll try again."))
        if self.delivered_at is None:
            return EndpointHealth(_("New"), "neutral", "circle-dashed", _("No deliveries yet."))
        return EndpointHealth(_("Working"), "good", "circle-check", _("The last delivery succeeded."))

    @property
    def secret_fingerprint(self) -> str:
        """Return what identifies the secret without revealing it, or an empty string without a secret."""
        return get_salt(bytes(self.secret)).hex() if self.secret else ""

    def build_encryption_context(self, name: str) -> str:
        """Return what binds a value to this row and its purpose. A replaced secret keeps its purpose."""
        return f"endpoint {self.uuid} {name.removeprefix('old_')}"

    def set_url(self, url: str) -> None:
        """Set the URL, of which Slack and Teams endpoints show only the host and the last characters."""
        self.encrypt("url", Secret(url))
        url_parts = urlsplit(url)
        if self.format == WebhookEndpoint.Format.WEBHOOK:
            visible_url = f"{url_parts.scheme}://{url_parts.netloc}{url_parts.path}"[:280]
            self.display_url = visible_url + ("?…" if url_parts.query else "")
        else:
            # Whoever knows the whole URL can post to the channel. The last characters tell webhooks apart.
            self.display_url = f"{url_parts.netloc}/…{url[-4:]}"

    def set_secret(self, now: datetime) -> Secret:
        """Set and return a new secret. The previous secret stays valid for one day."""
        secret = generate_secret()
        if self.secret:
            self.old_secret = self.secret
            self.old_secret_until = now + SECRET_OVERLAP_PERIOD
        self.encrypt("secret", secret)
        return secret

    def list_signing_secrets(self, now: datetime) -> tuple[Secret, ...]:
        """Return the active secrets, newest first.

        Raises:
            DecryptionError: No configured key decrypts a secret.
        """
        is_old_valid = self.old_secret_until is not None and self.old_secret_until > now
        names = ("secret", "old_secret") if is_old_valid else ("secret",)
        return tuple(self.decrypt(name) for name in names if getattr(self, name))


class WebhookDelivery(models.Model):
    """Delivery of an event to an endpoint, stored for 30 days. The body never changes.

    `failure_count` counts the failures since the delivery was queued or replayed and determines the next retry delay.
    """

    class State(models.TextChoices):
        PENDING = "pending", gettext_lazy("Pending")
        DELIVERED = "delivered", gettext_lazy("Delivered")
        FAILED = "failed", gettext_lazy("Failed")
        SKIPPED = "skipped", gettext_lazy("Skipped")

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, related_name="deliveries")
    key = models.CharField(max_length=80)
    # Standard Webhooks: receivers recognize a repetition by this ID.
    message_id = models.CharField(max_length=40, default=generate_message_id, unique=True, editable=False)
    # The event is never deleted. Test events have none.
    event = models.ForeignKey("audit.AuditEvent", models.PROTECT, null=True, blank=True, related_name="+")
    event_type = models.CharField(max_length=60)
    about = models.CharField(max_length=120, blank=True)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    failure_count = models.PositiveSmallIntegerField(default=0)
    attempt_count = models.PositiveIntegerField(default=0)
    last_response_summary = models.CharField(max_length=300, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    replayed_at = models.DateTimeField(null=True, blank=True)
    replayed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ("-created_at", "-pk")
        # An event that is processed again creates no second delivery.
        constraints = [models.UniqueConstraint(fields=["endpoint", "key"], name="webhook_delivery_unique_endpoint_key")]
        indexes = [
            # Few of the deliveries of 30 days are pending.
            models.Index(fields=["endpoint", "due_at"], condition=Q(state="pending"), name="webhook_delivery_pending"),
            models.Index(fields=["endpoint", "-created_at"], name="webhook_delivery_newest"),
            models.Index(fields=["created_at"], name="webhook_delivery_expiry"),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {self.message_id}"

    def is_due(self, now: datetime) -> bool:
        """Return whether the next attempt of the delivery is due."""
        return self.state == self.State.PENDING and self.due_at <= now


class WebhookDeliveryAttempt(models.Model):
    """Request of a delivery and its shortened response. Without a response, it has no status."""

    delivery = models.ForeignKey(WebhookDelivery, models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    seconds = models.FloatField()
    status = models.PositiveSmallIntegerField(null=True)
    response_summary = models.CharField(max_length=300)
    sent_headers = models.JSONField(default=dict)
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)

    class Meta:
        ordering = ("-number",)
        constraints = [
            models.UniqueConstraint(fields=["delivery", "number"], name="webhook_attempt_unique_delivery_number")
        ]

    def __str__(self) -> str:
        return f"{self.delivery} {self.number}: {self.response_summary}"
