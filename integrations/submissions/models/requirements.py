"""What has become of each requirement, and what was handed in for it?"""

from datetime import datetime
from uuid import uuid4

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import models
from django.utils.translation import gettext_lazy

from integrations.programs.schema import Requirement
from integrations.submissions.models.integration import Integration, build_choices
from integrations.submissions.workflow.states import FULFILLED_STATUSES, Status

USER_MODEL = settings.AUTH_USER_MODEL


class RequirementFulfillment(models.Model):
    """One requirement of one integration: its status, what was answered, what the machine found.

    A waiver stands beside the status and counts until it expires, so that its end needs no write. So does age:
    what a machine found is stale from `valid_until` on.
    """

    integration = models.ForeignKey(Integration, models.CASCADE, related_name="fulfillments")
    requirement_id = models.CharField(max_length=40)
    status = models.CharField(max_length=20, choices=build_choices(Status), default=Status.OPEN)
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
    version = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["integration", "requirement_id"], name="requirement_fulfillment_unique_integration_requirement"
            )
        ]

    def __str__(self) -> str:
        return f"{self.integration} · {self.requirement_id} · {self.status}"

    @property
    def requirement(self) -> Requirement | None:
        return self.integration.edition.requirement(self.requirement_id)

    def is_waived(self, now: datetime) -> bool:
        return self.waiver_expires_at is not None and self.waiver_expires_at > now

    def is_stale(self, now: datetime) -> bool:
        """Whether what a machine found is too old to count."""
        return self.valid_until is not None and self.valid_until <= now

    def is_met(self, now: datetime) -> bool:
        return (self.status in FULFILLED_STATUSES and not self.is_stale(now)) or self.is_waived(now)

    def shown(self, now: datetime) -> str:
        """The status that a page shows: a waiver that counts goes before what it covers."""
        if self.is_waived(now) and (self.status not in FULFILLED_STATUSES or self.is_stale(now)):
            return Status.WAIVED
        return Status.EXPIRED if self.is_stale(now) else self.status


def build_upload_path(document: "Document", _name: str) -> str:
    """A random name, so that no address can be guessed and no partner's name reaches the disk."""
    return f"documents/{document.uuid}"


class Document(models.Model):
    """An uploaded file. Its kind comes from its content, never from its name."""

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


class Agreement(models.Model):
    """An agreement between a partner and the program: version, date and signer on both sides."""

    KINDS = [
        ("mnda", gettext_lazy("Mutual non-disclosure agreement")),
        ("tpa", gettext_lazy("Technology Partner Agreement")),
    ]

    partner = models.ForeignKey("partners.Partner", models.CASCADE, related_name="agreements")
    kind = models.CharField(max_length=10, choices=KINDS)
    version = models.CharField("version", max_length=40)
    document = models.ForeignKey(Document, models.SET_NULL, null=True, blank=True, related_name="+")
    partner_signer = models.CharField(max_length=120, blank=True)
    partner_signed_on = models.DateField(null=True, blank=True)
    program_signer = models.CharField(max_length=120, blank=True)
    program_signed_on = models.DateField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["partner", "kind", "version"], name="agreement_unique_partner_kind_version")
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.version} · {self.partner}"  # type: ignore[attr-defined]

    @property
    def is_complete(self) -> bool:
        return bool(self.partner_signed_on and self.program_signed_on)


class Meeting(models.Model):
    """A review or a live demo: times are proposed, one is accepted, items are ticked when it was held."""

    class State(models.TextChoices):
        PROPOSED = "proposed", gettext_lazy("Times proposed")
        SCHEDULED = "scheduled", gettext_lazy("Time agreed")
        COMPLETED = "completed", gettext_lazy("Held")
        CANCELLED = "cancelled", gettext_lazy("Cancelled")

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey(Integration, models.CASCADE, related_name="meetings")
    requirement_id = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PROPOSED)
    proposed_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_program = models.BooleanField(default=False)
    times = models.JSONField(default=list)
    starts_at = models.DateTimeField(null=True, blank=True)
    minutes = models.PositiveSmallIntegerField(default=45)
    place = models.CharField("where (a link or a number)", max_length=300, blank=True)
    items = models.JSONField(default=dict, blank=True)
    sequence = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.integration} · {self.requirement_id} · {self.state}"


class TestCredential(models.Model):
    """A test account, encrypted at rest. A one-off dies with the review, a permanent one with its withdrawal."""

    __test__ = False  # for pytest

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey(Integration, models.CASCADE, related_name="credentials")
    requirement_id = models.CharField(max_length=40)
    label = models.CharField("what it opens", max_length=120)
    encrypted_value = models.BinaryField()
    permanent = models.BooleanField(default=False)
    created_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    rotate_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_why = models.CharField(max_length=120, blank=True)

    def __str__(self) -> str:
        return f"{self.label} of {self.integration}"

    def context(self) -> str:
        """What the sealed value is bound to: moved to another row, it does not open."""
        return f"credential:{self.uuid}:{self.integration_id}"


class TestCredentialAccess(models.Model):
    """Each time a credential was opened: by whom, how and why."""

    __test__ = False  # for pytest

    class How(models.TextChoices):
        REVEAL = "reveal", gettext_lazy("Shown to the reviewer")
        SANDBOX = "sandbox", gettext_lazy("Given to a sandbox run")

    credential = models.ForeignKey(TestCredential, models.CASCADE, related_name="accesses")
    how = models.CharField(max_length=10, choices=How.choices)
    by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=300)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.how} of {self.credential} at {self.at:%Y-%m-%d %H:%M}"
