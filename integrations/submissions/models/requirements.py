"""Fulfillment of requirements, and the documents, agreements, meetings, and test accounts submitted for them."""

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from integrations.programs.requirements import Requirement
from integrations.submissions.models.integration import Integration
from integrations.submissions.workflow.next_action import render_action_text
from integrations.submissions.workflow.states import FULFILLED_STATUSES, Status
from portal.core.encrypted_fields import EncryptedField, EncryptedRow
from portal.core.uploads import KIND_LABELS

USER_MODEL = settings.AUTH_USER_MODEL
# In the last days of a waiver, the partner is reminded of its end and can request another one.
WAIVER_RENEWAL_PERIOD = timedelta(days=14)


class RequirementFulfillment(models.Model):
    """State of one requirement for one integration: status, answers, and check results.

    A waiver complements the status and counts until it expires, so its end needs no write. The same is true for age:
    a check result is stale after `valid_until`.
    """

    integration = models.ForeignKey(Integration, models.CASCADE, related_name="fulfillments")
    requirement_id = models.CharField(max_length=40)
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.OPEN)
    data = models.JSONField(default=dict, blank=True)
    summary = models.CharField(max_length=500, blank=True)
    detail = models.JSONField(default=list, blank=True)
    submitted_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    submitted_at = models.DateTimeField(null=True, blank=True)
    retry_at = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    waived_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    waiver_reason = models.CharField(max_length=500, blank=True)
    waiver_expires_at = models.DateTimeField(null=True, blank=True)
    waiver_requested_at = models.DateTimeField(null=True, blank=True)  # until the program decides
    waiver_request_reason = models.CharField(max_length=500, blank=True)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["integration", "requirement_id"], name="requirement_fulfillment_unique_integration_requirement"
            )
        ]
        # find stale results, errors, waiver requests, and what waits for a signature without reading the table
        indexes = [
            models.Index(fields=["submitted_at"], name="fulfillment_error", condition=Q(status=Status.ERROR)),
            models.Index(
                fields=["integration"],
                name="fulfillment_awaiting",
                condition=Q(status=Status.AWAITING_OTHER_PARTY),
            ),
            models.Index(
                fields=["valid_until", "integration"],
                name="fulfillment_valid_until",
                condition=Q(valid_until__isnull=False),
            ),
            models.Index(
                fields=["waiver_expires_at"],
                name="fulfillment_waiver_expires_at",
                condition=Q(waiver_expires_at__isnull=False),
            ),
            models.Index(
                fields=["waiver_requested_at"],
                name="fulfillment_waiver_requested",
                condition=Q(waiver_requested_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.integration} · {self.requirement_id} · {self.status}"

    @property
    def void_reason(self) -> str:
        """Return why a confirmed statement is open again, in the reader's language; blank otherwise."""
        return render_action_text(**self.data["void_reason"]) if "void_reason" in self.data else ""

    @property
    def requirement(self) -> Requirement | None:
        return self.integration.edition.get_requirement(self.requirement_id)

    @property
    def waiver_expires_on(self) -> date | None:
        """Return the last day of the waiver in UTC, which is the day that the reviewer chose."""
        return None if self.waiver_expires_at is None else self.waiver_expires_at.astimezone(UTC).date()

    def is_waived(self, now: datetime) -> bool:
        return self.waiver_expires_at is not None and self.waiver_expires_at > now

    def is_stale(self, now: datetime) -> bool:
        """Return whether the check result is too old to count."""
        return self.valid_until is not None and self.valid_until <= now

    def is_met(self, now: datetime) -> bool:
        # Both end without a write, so every reader has to ask with its own time.
        return self.is_fulfilled(now) or self.is_waived(now)

    def is_fulfilled(self, now: datetime) -> bool:
        """Return whether the requirement is fulfilled without a waiver."""
        return self.status in FULFILLED_STATUSES and not self.is_stale(now)

    def needs_waiver(self, now: datetime) -> bool:
        """Return whether the requirement is open, or soon will be because its waiver ends."""
        return not (self.is_fulfilled(now) or self.is_waived(now + WAIVER_RENEWAL_PERIOD))

    def clear_waiver_request(self) -> None:
        """Forget the request for a waiver, without saving."""
        self.waiver_requested_at = None
        self.waiver_request_reason = ""

    def clear_fulfilled_request(self, now: datetime) -> None:
        """Forget the request for a waiver that the requirement no longer needs, without saving."""
        if not self.needs_waiver(now):
            self.clear_waiver_request()

    def get_display_status(self, now: datetime) -> str:
        """Return the status to display: a valid waiver takes precedence over an unfulfilled status."""
        if self.is_waived(now) and not self.is_fulfilled(now):
            return Status.WAIVED
        return Status.EXPIRED if self.is_stale(now) else self.status


def build_upload_path(document: "Document", _name: str) -> str:
    """Return a random path, so that it can't be guessed and the disk holds no partner names."""
    return f"documents/{document.uuid}"


class Document(models.Model):
    """Uploaded file. Its kind comes from its content, never from its name."""

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    partner = models.ForeignKey("partners.Partner", models.CASCADE, related_name="documents")
    state = models.ForeignKey(RequirementFulfillment, models.CASCADE, null=True, blank=True, related_name="documents")
    file = models.FileField(upload_to=build_upload_path, storage=default_storage)
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=10)
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    uploaded_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    uploaded_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name

    @property
    def kind_label(self) -> str:
        """Return the type of the file in the reader's language."""
        return gettext(KIND_LABELS[self.kind])


class Meeting(models.Model):
    """Review meeting or live demo: one side proposes times, the other accepts one, the program records the items."""

    class State(models.TextChoices):
        PROPOSED = "proposed", gettext_lazy("Proposed")
        SCHEDULED = "scheduled", gettext_lazy("Scheduled")
        COMPLETED = "completed", gettext_lazy("Completed")
        CANCELED = "canceled", gettext_lazy("Canceled")

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey(Integration, models.CASCADE, related_name="meetings")
    requirement_id = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PROPOSED)
    proposed_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_program = models.BooleanField(default=False)
    times = models.JSONField(default=list)
    starts_at = models.DateTimeField(null=True, blank=True)
    minutes = models.PositiveSmallIntegerField(default=45)
    place = models.CharField("location", max_length=300, blank=True)
    items = models.JSONField(default=dict, blank=True)
    # SEQUENCE of the calendar event (RFC 5545), which must rise when the event is moved or canceled.
    sequence = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.integration} · {self.requirement_id} · {self.state}"


class TestCredential(EncryptedRow):
    """Encrypted test account. It ends with the review, or, if permanent, when the partner withdraws it."""

    __test__ = False  # for pytest

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey(Integration, models.CASCADE, related_name="credentials")
    requirement_id = models.CharField(max_length=40)
    label = models.CharField("account name", max_length=120)
    encrypted_value = EncryptedField()
    permanent = models.BooleanField(default=False)
    created_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    rotate_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    end_reason = models.CharField(max_length=120, blank=True)

    def __str__(self) -> str:
        return f"{self.label} of {self.integration}"

    def build_encryption_context(self, name: str) -> str:
        """Return the context that binds the encrypted value to this row; it can't be decrypted in another one."""
        return f"credential:{self.uuid}:{self.integration_id}"


class TestCredentialAccess(models.Model):
    """Record of one use of a test account."""

    __test__ = False  # for pytest

    class Kind(models.TextChoices):
        REVEAL = "reveal", gettext_lazy("Viewed by the reviewer")
        SANDBOX = "sandbox", gettext_lazy("Used in a test run")

    credential = models.ForeignKey(TestCredential, models.CASCADE, related_name="accesses")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    accessed_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=300)
    accessed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.kind} of {self.credential} at {self.accessed_at:%Y-%m-%d %H:%M}"


class EvidenceSnapshot(models.Model):
    """Evidence of all requirements in one review round, by requirement ID.

    It is taken when the partner requests the review, and again when the reviewer requests changes: the next round is
    compared with what the reviewer saw last.
    """

    integration = models.ForeignKey(Integration, models.CASCADE, related_name="evidence_snapshots")
    round = models.PositiveSmallIntegerField()
    evidence = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["integration", "round"], name="evidence_snapshot_unique_integration_round")
        ]

    def __str__(self) -> str:
        return f"{self.integration}, round {self.round}"
