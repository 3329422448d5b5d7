"""Models of the monitoring of repositories. Deliveries are stored unchanged."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from portal.core.encrypted_fields import EncryptedField, EncryptedRow


class MonitoredRepository(EncryptedRow):
    """Monitored repository of an integration in support. `refused` counts deliveries without a valid signature.

    `moved_at`: when the integration first moved to this repository, None if its monitoring began with it. `is_hidden`:
    whether it is private or was not visible for more than a day, which only its owner can change.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.OneToOneField("submissions.Integration", models.CASCADE, related_name="monitored_repository")
    repository = models.CharField(max_length=200)
    repository_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    secret = EncryptedField(null=True, blank=True)
    old_secret = EncryptedField(null=True, blank=True)
    old_secret_until = models.DateTimeField(null=True, blank=True)
    hook_id = models.BigIntegerField(null=True, blank=True)
    # The SLA covers issues opened from then on, and after a move from `moved_at` on.
    began_at = models.DateTimeField()
    moved_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    data_up_to = models.DateTimeField()  # until then, our data is complete
    poll_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    etags = models.JSONField(default=dict)
    cursors = models.JSONField(default=dict)
    last_delivery_at = models.DateTimeField(null=True, blank=True)
    trouble = models.CharField(max_length=300, blank=True)
    trouble_since = models.DateTimeField(null=True, blank=True)
    is_hidden = models.BooleanField(default=False)
    missing_since = models.DateTimeField(null=True, blank=True)
    refused = models.PositiveIntegerField(default=0)
    refused_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "monitored repositories"
        indexes = [
            models.Index(fields=["poll_at"], name="monitored_repository_poll_at", condition=Q(poll_at__isnull=False)),
            models.Index(fields=["data_up_to"], name="monitored_repository_data", condition=Q(ended_at=None)),
        ]

    def __str__(self) -> str:
        return f"monitoring of {self.repository}"

    def build_encryption_context(self, name: str) -> str:
        return f"monitored repository {self.uuid} secret"  # the previous secret was the current one


class GitHubDelivery(models.Model):
    """Webhook delivery, stored unchanged and processed later. One row per delivery ID.

    `digest` is the SHA-256 of the body in hexadecimal digits. The bodies of processed deliveries are deleted after a
    retention period, at `forgotten_at`. The digest stays to detect replays.
    """

    monitored_repository = models.ForeignKey(MonitoredRepository, models.CASCADE, related_name="deliveries")
    delivery_id = models.CharField(max_length=80)
    event = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, db_index=True)
    body = models.BinaryField()
    received_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=40, blank=True)
    forgotten_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["monitored_repository", "delivery_id"], name="github_delivery_unique_repository_delivery"
            )
        ]
        indexes = [
            models.Index(fields=["id"], name="github_delivery_unread", condition=Q(read_at=None)),
            models.Index(  # partial, so that inserting unread deliveries doesn't update this index
                fields=["received_at"],
                name="github_delivery_expiry",
                condition=Q(read_at__isnull=False, forgotten_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.delivery_id}"


class LabelPolicy(models.Model):
    """Label policy of an integration, proposed by the partner and accepted by the program.

    Immutable after acceptance. Labels are in lower case; `team` and `bots` hold GitHub IDs. By ID as text,
    `second_accounts` holds the ID of the same person's first account, and `logins` the login when it was proposed.
    """

    class State(models.TextChoices):
        PROPOSED = "proposed", gettext_lazy("Proposed")
        ACCEPTED = "accepted", gettext_lazy("Accepted")
        DECLINED = "declined", gettext_lazy("Declined")

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="label_policies")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PROPOSED)
    critical_labels = models.JSONField(default=list)
    pause_labels = models.JSONField(default=list)
    team = models.JSONField(default=list)
    bots = models.JSONField(default=list)
    second_accounts = models.JSONField(default=dict)
    logins = models.JSONField(default=dict)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    proposed_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("proposed_at", "pk")

    def __str__(self) -> str:
        return f"label policy of {self.integration} {self.proposed_at:%Y-%m-%d}"
