"""What mail is there, and what became of it? A rendered message and its fate."""

from datetime import datetime
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from integrations.models import Event, Integration
from portal.api.models import ApiToken, CheckReport, KeptAnswer
from portal.hooks.models import Endpoint, EndpointAttempt, EndpointMessage
from portal.notifications.models import CalendarFeed, Wish
from portal.office.models import Passage, SavedView
from portal.public.models import Listing, ListingChange
from portal.reports.models import ReportCopy, ReportWish, Snapshot

__all__ = [
    "ApiToken",
    "CalendarFeed",
    "CheckReport",
    "Email",
    "Endpoint",
    "EndpointAttempt",
    "EndpointMessage",
    "Escalation",
    "KeptAnswer",
    "Listing",
    "ListingChange",
    "Passage",
    "PeriodicRun",
    "ReportCopy",
    "ReportWish",
    "SavedView",
    "Snapshot",
    "Wish",
]


class Email(models.Model):
    """One mail to one address, as it will be sent. Its key is unique: the same news twice is one mail."""

    class State(models.TextChoices):
        HELD = "held", gettext_lazy("Waits for its moment")
        QUEUED = "queued", gettext_lazy("To be sent")
        SENDING = "sending", gettext_lazy("Being sent")
        SENT = "sent", gettext_lazy("Accepted by the mail server")
        KEPT = "kept", gettext_lazy("Not sent: no mail server was set up")
        CANCELLED = "cancelled", gettext_lazy("Cancelled before it left")
        FAILED = "failed", gettext_lazy("Given up")
        GATHERED = "gathered", gettext_lazy("Waits for a digest")
        TOLD = "told", gettext_lazy("Told in a digest")
        SHOWN = "shown", gettext_lazy("Shown in the portal alone, as its receiver chose")
        SILENCED = "silenced", gettext_lazy("Not told, as its receiver chose")

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
    digest = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="parts")
    passed_on_at = models.DateTimeField(null=True, blank=True)  # given up, and the next one was told

    class Meta:
        ordering = ("-created_at", "-pk")
        indexes = [
            models.Index(fields=["id"], condition=Q(state="failed", passed_on_at=None), name="mails_to_pass_on"),
            models.Index(fields=["created_at"], condition=Q(state="kept"), name="mails_kept"),
            models.Index(fields=["due_at", "person"], condition=Q(state="gathered"), name="mails_for_a_digest"),
            models.Index(
                fields=["due_at"], condition=Q(state__in=["held", "queued", "sending"]), name="mails_not_yet_sent"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} to {self.to}"


class Escalation(models.Model):
    """News that goes from one of the program to the next until somebody answers. `told`: addresses, in their order.

    `due_at`: of a turn, when it was due; of breaches, when they were told. `next_at` is the due column of the chain.
    """

    class Kind(models.TextChoices):
        BREACHES = "breaches", gettext_lazy("Breaches")
        TURN = "turn", gettext_lazy("The program's own turn")

    integration = models.ForeignKey(Integration, models.CASCADE, related_name="escalations")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    event = models.ForeignKey(Event, models.PROTECT, null=True, blank=True, related_name="+")
    due_at = models.DateTimeField()
    began_at = models.DateTimeField()
    next_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    told = models.JSONField(default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["integration", "kind", "due_at"], name="one_chain_a_due_moment")]
        indexes = [models.Index(fields=["next_at"], name="chains_due", condition=Q(next_at__isnull=False))]

    def __str__(self) -> str:
        return f"{self.kind} of {self.integration}"


class PeriodicRun(models.Model):
    """The last run of a periodic job; `finished_at` is that of the last run that ended without an error."""

    name = models.CharField(max_length=40, primary_key=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name}, started at {self.started_at:%Y-%m-%d %H:%M:%S}"

    def is_cut_off(self, now: datetime) -> bool:
        """Return whether the process of the last run died: it neither gave its lease back nor renewed it."""
        return self.lease_expires_at is not None and self.lease_expires_at <= now
