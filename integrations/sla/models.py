"""Models of SLA monitoring. Deliveries and events are stored unchanged, issues and clocks are projections of them."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from integrations.sla.engine.types import (
    OPEN_STATES,
    URGENT_STATES,
    ClockStatus,
    IssueEventKind,
    Severity,
    build_choices,
)
from portal.core.encrypted_fields import EncryptedField, EncryptedRow

HAS_TARGET = Q(is_committed=True) | Q(ideal_due_at__isnull=False)


class MonitoredRepository(EncryptedRow):
    """Monitored repository of an integration in support. `refused` counts deliveries without a valid signature."""

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.OneToOneField("submissions.Integration", models.CASCADE, related_name="watch")
    repository = models.CharField(max_length=200)
    repository_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    secret = EncryptedField(null=True, blank=True)
    old_secret = EncryptedField(null=True, blank=True)
    old_secret_until = models.DateTimeField(null=True, blank=True)
    hook_id = models.BigIntegerField(null=True, blank=True)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    data_up_to = models.DateTimeField()  # until then, our data is complete
    poll_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    etags = models.JSONField(default=dict)
    cursors = models.JSONField(default=dict)
    last_delivery_at = models.DateTimeField(null=True, blank=True)
    trouble = models.CharField(max_length=300, blank=True)
    trouble_since = models.DateTimeField(null=True, blank=True)
    missing_since = models.DateTimeField(null=True, blank=True)
    refused = models.PositiveIntegerField(default=0)
    refused_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["poll_at"], name="monitored_repository_poll_at", condition=Q(poll_at__isnull=False))
        ]

    def __str__(self) -> str:
        return f"monitoring of {self.repository}"

    def build_encryption_context(self, name: str) -> str:
        return f"watch {self.uuid} secret"  # the previous secret was the current one


class GitHubDelivery(models.Model):
    """Webhook delivery, stored unchanged and processed later. One row per delivery ID.

    `digest` is the SHA-256 of the body in hexadecimal digits. The bodies of processed deliveries are deleted after a
    retention period, at `forgotten_at`. The digest stays to detect replays.
    """

    watch = models.ForeignKey(MonitoredRepository, models.CASCADE, related_name="deliveries")
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
            models.UniqueConstraint(fields=["watch", "delivery_id"], name="github_delivery_unique_repository_delivery")
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


class SupportIssue(models.Model):
    """Issue of a monitored repository, as projected.

    `calendar`, `policy`, the program's `edition`, and `team`, the GitHub IDs linked by the company's members, are those
    of the issue's opening. `disputed` is the subject of an open dispute, which projections don't change.
    """

    class DisputeSubject(models.TextChoices):
        SEVERITY = "severity", "The severity"
        BREACH = "breach", "The breach"

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    watch = models.ForeignKey(MonitoredRepository, models.CASCADE, related_name="issues")
    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="issues")
    calendar = models.ForeignKey("partners.PartnerCalendar", models.PROTECT, null=True, blank=True, related_name="+")
    policy = models.ForeignKey("LabelPolicy", models.PROTECT, null=True, blank=True, related_name="+")
    edition = models.CharField(max_length=10)
    team = models.JSONField(default=list, db_default=[])
    github_id = models.BigIntegerField()
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=300)
    url = models.URLField(max_length=400)
    author = models.CharField(max_length=100)
    opened_at = models.DateTimeField()
    is_open = models.BooleanField(default=True)
    severity = models.CharField(max_length=10, choices=build_choices(Severity), default=Severity.OTHER)
    last_commenter_role = models.CharField(max_length=10, blank=True)
    last_commented_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField()
    projected_at = models.DateTimeField(null=True, blank=True)
    disputed = models.CharField(max_length=10, choices=DisputeSubject.choices, blank=True, default="", db_default="")
    disputed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-opened_at", "-pk")
        constraints = [
            models.UniqueConstraint(fields=["watch", "github_id"], name="support_issue_unique_repository_github_id")
        ]
        indexes = [
            models.Index(
                fields=["disputed_at"], name="support_issue_disputed_at", condition=Q(disputed_at__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return f"{self.watch.repository}#{self.number}"


class SupportIssueEvent(models.Model):
    """Append-only event of an issue, see `engine.types.TimelineEvent`. `source` is webhook, poll, or portal."""

    issue = models.ForeignKey(SupportIssue, models.CASCADE, related_name="events")
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=20, choices=build_choices(IssueEventKind))
    at = models.DateTimeField()
    seen_at = models.DateTimeField()
    source = models.CharField(max_length=10)
    actor_id = models.BigIntegerField(default=0)
    actor = models.CharField(max_length=100, blank=True)
    actor_type = models.CharField(max_length=20, blank=True)
    association = models.CharField(max_length=30, blank=True)
    text = models.TextField(blank=True)
    label = models.CharField(max_length=100, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        ordering = ("at", "pk")
        constraints = [models.UniqueConstraint(fields=["issue", "key"], name="support_issue_event_unique_issue_key")]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%Y-%m-%d %H:%M}"


class SlaClock(models.Model):
    """One of an issue's two SLA clocks.

    `next_at` is the time of the next warning or the due date. Only running committed clocks have one. `warned` is the
    highest share of a sent warning: 0, 50, 75, or 90. `ideal_due_at` is the due date of a target without breaches.
    """

    issue = models.ForeignKey(SupportIssue, models.CASCADE, related_name="clocks")
    watch = models.ForeignKey(MonitoredRepository, models.CASCADE, related_name="clocks")
    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="clocks")
    target_type = models.CharField(max_length=10)
    is_committed = models.BooleanField()
    severity = models.CharField(max_length=10, choices=build_choices(Severity))
    state = models.CharField(max_length=16, choices=build_choices(ClockStatus))
    started_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, blank=True)
    ideal_due_at = models.DateTimeField(null=True, blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True)
    warn50_at = models.DateTimeField(null=True, blank=True)
    warn75_at = models.DateTimeField(null=True, blank=True)
    warn90_at = models.DateTimeField(null=True, blank=True)
    warned = models.PositiveSmallIntegerField(default=0)
    breached_at = models.DateTimeField(null=True, blank=True)
    next_at = models.DateTimeField(null=True, blank=True)
    counted_seconds = models.BigIntegerField(default=0)
    paused_seconds = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issue", "target_type"], name="sla_clock_unique_issue_target_type")
        ]
        indexes = [
            models.Index(fields=["next_at"], name="sla_clock_next_at", condition=Q(next_at__isnull=False)),
            models.Index(fields=["integration", "state"], name="sla_clock_integration_state"),
            # the orders of lists: most urgent first, and last stopped first
            models.Index(
                fields=["due_at", "id"], name="sla_clock_open", condition=HAS_TARGET & Q(state__in=OPEN_STATES)
            ),
            models.Index(fields=["-stopped_at", "due_at"], name="sla_clock_stopped", condition=HAS_TARGET),
            models.Index(
                fields=["warn75_at"],
                name="sla_clock_urgent",
                condition=Q(is_committed=True, state__in=URGENT_STATES),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.target_type} {self.issue}"


class SlaBreach(models.Model):
    """Missed SLA target. Never deleted, but retracted once, by late events or by the decision `outcome`."""

    clock = models.ForeignKey(SlaClock, models.PROTECT, related_name="breaches")
    issue = models.ForeignKey(SupportIssue, models.PROTECT, related_name="breaches")
    integration = models.ForeignKey("submissions.Integration", models.PROTECT, related_name="breaches")
    target_type = models.CharField(max_length=10)
    severity = models.CharField(max_length=10, choices=build_choices(Severity))
    due_at = models.DateTimeField()
    found_at = models.DateTimeField()
    retracted_at = models.DateTimeField(null=True, blank=True)
    retraction_reason = models.CharField(max_length=300, blank=True)
    outcome = models.CharField(max_length=10, blank=True)  # a BreachOutcome: the due date is not recorded again

    class Meta:
        ordering = ("-due_at", "-pk")
        constraints = [
            models.UniqueConstraint(
                fields=["clock", "due_at"], condition=Q(retracted_at=None), name="sla_breach_unique_clock_due_at"
            )
        ]
        indexes = [models.Index(fields=["integration", "due_at"], name="sla_breach_integration_due_at")]

    def __str__(self) -> str:
        return f"breach of {self.clock} due {self.due_at:%Y-%m-%d %H:%M}"


class SlaClockEvent(models.Model):
    """Append-only log of a clock's warnings, breaches, and retractions."""

    clock = models.ForeignKey(SlaClock, models.PROTECT, related_name="events")
    kind = models.CharField(max_length=12)
    share = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    at = models.DateTimeField()

    class Meta:
        ordering = ("at", "pk")

    def __str__(self) -> str:
        return f"{self.kind} {self.at:%Y-%m-%d %H:%M}"


class Alert(models.Model):
    """Pending notification of a warning, breach, or retraction. The unique key prevents duplicates."""

    key = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=12)
    clock = models.ForeignKey(SlaClock, models.PROTECT, related_name="alerts")
    integration = models.ForeignKey("submissions.Integration", models.PROTECT, related_name="alerts")
    share = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    created_at = models.DateTimeField()
    not_before = models.DateTimeField()
    notified_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["not_before"], name="alert_not_before", condition=Q(notified_at=None))]

    def __str__(self) -> str:
        return self.key


class LabelPolicy(models.Model):
    """Label policy of an integration, proposed by the partner and accepted by the program.

    Immutable after acceptance. Labels are in lower case; `team` and `bots` hold GitHub IDs. By ID as text,
    `second_accounts` holds the ID of the same person's first account, and `logins` the login when it was proposed.
    """

    class State(models.TextChoices):
        PROPOSED = "proposed", "Proposed"
        ACCEPTED = "accepted", "Accepted"
        DECLINED = "declined", "Declined"

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
