"""Models of SLA clocks. Events are stored unchanged. Issues and clocks are projections of deliveries and events."""

from datetime import datetime
from uuid import uuid4

from django.db import models
from django.db.models import Q

from integrations.sla.engine.types import (
    OPEN_STATES,
    URGENT_STATES,
    Actor,
    ClockStatus,
    IssueEventKind,
    Severity,
    TimelineEvent,
    build_choices,
)
from integrations.sla.issue_names import format_issue_name
from integrations.sla.models.monitoring import MonitoredRepository

HAS_TARGET = Q(is_committed=True) | Q(ideal_due_at__isnull=False)
# Other clocks are never updated again and would stay open forever.
IS_MONITORED = Q(monitored_repository__ended_at=None, issue__ended_at=None)


class SupportIssue(models.Model):
    """Issue of a monitored repository, as projected.

    `calendar`, `policy`, the program's `edition`, and `team`, the GitHub IDs linked by the company's members, are those
    of the issue's opening. `disputed` is the subject of an open dispute, which projections don't change. `ended_at` is
    set while the portal monitors the repository without this issue: support ended and began again after its opening, or
    the integration moved to another repository.
    """

    class DisputeSubject(models.TextChoices):
        SEVERITY = "severity"
        BREACH = "breach"

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    monitored_repository = models.ForeignKey(MonitoredRepository, models.CASCADE, related_name="issues")
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
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-opened_at", "-pk")
        constraints = [
            models.UniqueConstraint(
                fields=["monitored_repository", "github_id"], name="support_issue_unique_repository_github_id"
            )
        ]
        indexes = [
            models.Index(
                fields=["disputed_at"], name="support_issue_disputed_at", condition=Q(disputed_at__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return format_issue_name(self.monitored_repository.repository, self.number, self.url, self.ended_at)

    @property
    def monitoring_ended_at(self) -> datetime | None:
        """Return since when the issue is no longer monitored, None while it is."""
        return self.ended_at or self.monitored_repository.ended_at


class SupportIssueEvent(models.Model):
    """Append-only event of an issue, see `engine.types.TimelineEvent`. `source` is webhook, poll, or portal."""

    issue = models.ForeignKey(SupportIssue, models.CASCADE, related_name="events")
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=20, choices=build_choices(IssueEventKind))
    at = models.DateTimeField()
    seen_at = models.DateTimeField()
    source = models.CharField(max_length=10)
    actor_id = models.BigIntegerField(default=0)
    actor = models.CharField(max_length=254, blank=True)  # login on GitHub, or name or email address of a reviewer
    actor_type = models.CharField(max_length=20, blank=True)
    association = models.CharField(max_length=30, blank=True)
    text = models.TextField(blank=True)
    label = models.CharField(max_length=100, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        ordering = ("at", "pk")
        # Webhooks and polls report the same event under the same key, in any order and repeatedly.
        constraints = [models.UniqueConstraint(fields=["issue", "key"], name="support_issue_event_unique_issue_key")]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%Y-%m-%d %H:%M}"

    @classmethod
    def from_timeline(cls, issue_id: int, event: TimelineEvent, source: str, now: datetime) -> "SupportIssueEvent":
        """Return an unsaved row for an event of the engine."""
        return cls(
            issue_id=issue_id,
            key=event.key,
            kind=event.kind,
            at=event.at,
            seen_at=now,
            source=source,
            actor_id=event.actor.id,
            actor=event.actor.login,
            actor_type=event.actor.type,
            association=event.actor.association,
            text=event.text,
            label=event.label,
            data=dict(event.data),
        )

    def to_timeline(self) -> TimelineEvent:
        """Return the row as an event of the engine."""
        actor = Actor(self.actor_id, self.actor, self.actor_type or "User", self.association or "NONE")
        return TimelineEvent(self.key, IssueEventKind(self.kind), self.at, actor, self.text, self.label, self.data)


class SlaClock(models.Model):
    """One of an issue's two SLA clocks.

    `next_at` is the time of the next warning or the due date. Only running committed clocks have one. `warned` is the
    highest share of a sent warning: 0, 50, 75, or 90. `ideal_due_at` is the due date of a target without breaches.
    """

    issue = models.ForeignKey(SupportIssue, models.CASCADE, related_name="clocks")
    monitored_repository = models.ForeignKey(MonitoredRepository, models.CASCADE, related_name="clocks")
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
            # Most clocks have stopped and are never checked again.
            models.Index(fields=["next_at"], name="sla_clock_next_at", condition=Q(next_at__isnull=False)),
            models.Index(fields=["integration", "state"], name="sla_clock_integration_state"),
            # the orders of lists: most urgent first, and last stopped first
            models.Index(
                fields=["due_at", "id"], name="sla_clock_open", condition=HAS_TARGET & Q(state__in=OPEN_STATES)
            ),
            models.Index(fields=["-stopped_at", "due_at"], name="sla_clock_stopped", condition=HAS_TARGET),
            models.Index(
                # The urgent issues of the home page.
                fields=["warn75_at"],
                name="sla_clock_urgent",
                condition=Q(is_committed=True, state__in=URGENT_STATES),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.target_type} {self.issue}"


class SlaBreach(models.Model):
    """Missed SLA target. Never deleted, but retracted once, by late events or by the decision `outcome`."""

    # Breaches are evidence for compliance decisions, so no deletion may cascade to them.
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
            # A retracted breach can be recorded again, for example if the event that disproved it was forged.
            models.UniqueConstraint(
                fields=["clock", "due_at"], condition=Q(retracted_at=None), name="sla_breach_unique_clock_due_at"
            )
        ]
        indexes = [models.Index(fields=["integration", "due_at"], name="sla_breach_integration_due_at")]

    def __str__(self) -> str:
        return f"breach of {self.clock} due {self.due_at:%Y-%m-%d %H:%M}"


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
