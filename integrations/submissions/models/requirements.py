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


class RequirementState(models.Model):
    """One requirement of one integration: its status, what was answered, what the machine found.

    A waiver stands beside the status and counts until it expires, so that its end needs no write. So does age:
    what a machine found is stale from `fresh_until` on.
    """

    integration = models.ForeignKey(Integration, models.CASCADE, related_name="states")
    requirement_id = models.CharField(max_length=40)
    status = models.CharField(max_length=12, choices=build_choices(Status), default=Status.OPEN)
    data = models.JSONField(default=dict, blank=True)
    summary = models.CharField(max_length=500, blank=True)
    detail = models.JSONField(default=list, blank=True)
    given_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    given_at = models.DateTimeField(null=True, blank=True)
    retry_at = models.DateTimeField(null=True, blank=True)
    fresh_until = models.DateTimeField(null=True, blank=True)
    waived_by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    waiver_reason = models.CharField(max_length=500, blank=True)
    waived_until = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["integration", "requirement_id"], name="one_state_a_requirement")
        ]

    def __str__(self) -> str:
        return f"{self.integration} · {self.requirement_id} · {self.status}"

    @property
    def requirement(self) -> Requirement | None:
        return self.integration.edition.requirement(self.requirement_id)

    def is_waived(self, now: datetime) -> bool:
        return self.waived_until is not None and self.waived_until > now

    def is_stale(self, now: datetime) -> bool:
        """Whether what a machine found is too old to count."""
        return self.fresh_until is not None and self.fresh_until <= now

    def is_met(self, now: datetime) -> bool:
        return (self.status in FULFILLED_STATUSES and not self.is_stale(now)) or self.is_waived(now)

    def shown(self, now: datetime) -> str:
        """The status that a page shows: a waiver that counts goes before what it covers."""
        if self.is_waived(now) and (self.status not in FULFILLED_STATUSES or self.is_stale(now)):
            return Status.WAIVED
        return Status.STALE if self.is_stale(now) else self.status


def build_upload_path(document: "Document", _name: str) -> str:
    """A random name, so that no address can be guessed and no partner's name reaches the disk."""
    return f"documents/{document.uuid}"


class Document(models.Model):
    """An uploaded file. Its kind comes from its content, never from its name."""

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    partner = models.ForeignKey("partners.Partner", models.CASCADE, related_name="documents")
    state = models.ForeignKey(RequirementState, models.CASCADE, null=True, blank=True, related_name="documents")
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
        constraints = [models.UniqueConstraint(fields=["partner", "kind", "version"], name="one_agreement_a_version")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.version} · {self.partner}"  # type: ignore[attr-defined]

    @property
    def is_complete(self) -> bool:
        return bool(self.partner_signed_on and self.program_signed_on)


class Meeting(models.Model):
    """A review or a live demo: times are proposed, one is accepted, items are ticked when it was held."""

    class State(models.TextChoices):
        PROPOSED = "proposed", gettext_lazy("Times proposed")
        AGREED = "agreed", gettext_lazy("Time agreed")
        HELD = "held", gettext_lazy("Held")
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


class Credential(models.Model):
    """A test account, encrypted at rest. A one-off dies with the review, a permanent one with its withdrawal."""

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey(Integration, models.CASCADE, related_name="credentials")
    requirement_id = models.CharField(max_length=40)
    label = models.CharField("what it opens", max_length=120)
    sealed = models.BinaryField()
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


class CredentialUse(models.Model):
    """Each time a credential was opened: by whom, how and why."""

    class How(models.TextChoices):
        REVEAL = "reveal", gettext_lazy("Shown to the reviewer")
        SANDBOX = "sandbox", gettext_lazy("Given to a sandbox run")

    credential = models.ForeignKey(Credential, models.CASCADE, related_name="uses")
    how = models.CharField(max_length=10, choices=How.choices)
    by = models.ForeignKey(USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=300)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.how} of {self.credential} at {self.at:%Y-%m-%d %H:%M}"
