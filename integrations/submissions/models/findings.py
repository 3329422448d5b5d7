"""Findings, review messages, read markers, and introductions."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.submissions.models.integration import Integration
from integrations.submissions.workflow.states import ReviewState, Stage
from portal.accounts.requests import AnyUser
from portal.audit.models import AuditEvent

USER_MODEL = settings.AUTH_USER_MODEL
STAGES_AFTER_APPROVAL = frozenset({Stage.RELEASE, Stage.SUPPORT})


class Finding(models.Model):
    """Reviewer's remark on a requirement: open, then resolved by the partner, then verified.

    An optional finding blocks neither the partner's next request for a review nor the approval.
    An automatic finding (no `raised_by`, but a `due_at`) states that a fulfilled requirement no longer is.
    """

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("Open")
        RESOLVED = "resolved", gettext_lazy("Resolved")
        VERIFIED = "verified", gettext_lazy("Verified")

    class Severity(models.TextChoices):
        BLOCKING = "blocking", gettext_lazy("Blocking")
        OPTIONAL = "optional", gettext_lazy("Optional")

    integration = models.ForeignKey(Integration, models.CASCADE, related_name="findings")
    number = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField()
    requirement_id = models.CharField(max_length=40)
    text = models.TextField(max_length=4000)
    severity = models.CharField(max_length=10, choices=Severity.choices, default=Severity.BLOCKING)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    raised_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    raised_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(max_length=4000, blank=True)
    answer_url = models.URLField("link to the change", max_length=500, blank=True)
    resolved_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    resolved_at = models.DateTimeField(null=True, blank=True)
    verified_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    verified_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["integration", "number"], name="finding_unique_integration_number"),
            models.UniqueConstraint(
                # A check that fails every night opens one finding, not one each night.
                fields=["integration", "requirement_id"],
                condition=~Q(due_at=None) & ~Q(state="verified"),
                name="finding_unique_unverified_automatic",
            ),
        ]

    def __str__(self) -> str:
        return f"Finding {self.number} of {self.integration}"

    @property
    def is_visible_to_partner(self) -> bool:
        """Return whether the partner can see the finding: findings stay hidden until the reviewer requests changes.

        The approval also sends the optional findings of its round. Automatic findings are visible immediately.
        """
        integration = self.integration
        if self.due_at is not None:
            return True
        # What the partner could see before the end stays visible.
        stage = integration.stage if integration.is_open else integration.stage_before_end
        # No request for changes follows in which they could be sent.
        if self.severity == self.Severity.OPTIONAL and stage in STAGES_AFTER_APPROVAL:
            return True
        # A round ends with the request for changes that sends its findings.
        return self.round < integration.review_round or integration.review_state == ReviewState.CHANGES

    @property
    def is_editable(self) -> bool:
        """Return whether reviewers can change the finding: a person raised it, and the partner can't see it."""
        return self.due_at is None and not self.is_visible_to_partner

    @property
    def thread(self) -> list[AuditEvent]:
        """Return the replies, reopenings, and earlier responses, oldest first."""
        events = [event for event in self.integration.finding_events if event.data.get("finding") == self.number]
        # The finding itself shows the current response. Only earlier ones belong to the thread.
        responses = [event for event in events if event.event_type == "finding.resolved"]
        current = responses[-1:] if self.answer else []
        return [event for event in events if event.event_type != "finding.verified" and event not in current]


class ReviewMessage(models.Model):
    """Message in the thread. `internal`: a note that the partner never sees."""

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
    """Number of the last event of an integration that a user has read."""

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


class IntroductionQuerySet(models.QuerySet["Introduction"]):
    """Named filters of introductions."""

    def visible_to(self, user: AnyUser) -> "IntroductionQuerySet":
        """Return introductions of the integrations that a user can see."""
        # For program staff, PostgreSQL would read the IDs of all integrations, so nothing is filtered for them.
        if permissions.is_program_staff(user):
            return self
        partners = list(permissions.get_roles(user))
        return self.filter(Q(requester__partner__in=partners) | Q(recipient__partner__in=partners))


class Introduction(models.Model):
    """One partner's request to contact another one. Each learns the other's name only if both agree."""

    class State(models.TextChoices):
        ASKED = "asked", gettext_lazy("Requested")
        AGREED = "agreed", gettext_lazy("Accepted")
        DECLINED = "declined", gettext_lazy("Declined")

    requester = models.ForeignKey(Integration, models.CASCADE, related_name="introductions_requested")
    recipient = models.ForeignKey(Integration, models.CASCADE, related_name="introductions_received")
    message = models.CharField(max_length=1000, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    asked_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField()
    decided_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = IntroductionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["requester", "recipient"], name="introduction_unique_pair")]

    def __str__(self) -> str:
        return f"{self.requester} to {self.recipient}"
