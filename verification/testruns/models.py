"""Models of the testruns app: test runs, and the requests and callbacks of run task tests."""

from typing import Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from portal.core.encrypted_fields import EncryptedField, EncryptedRow


class TestRunQuerySet(models.QuerySet["TestRun"]):
    def open(self) -> Self:
        return self.filter(finished_at=None)

    def without_large_fields(self) -> Self:
        return self.defer("inputs", "encrypted_secrets", "records")


class TestRun(EncryptedRow):
    """One execution of partner software. At most one of each kind is open for an integration.

    `version`: of the software, blank if unknown. `inputs`: parameters without secrets. `encrypted_secrets`: deleted at
    the end. `records`: what the test observed, redacted. `results`: one per rule, evaluated again after each step.
    """

    __test__ = False  # pytest collects classes named Test…

    class Kind(models.TextChoices):
        RUN_TASK = "run_task"
        PROVIDER_LIFECYCLE = "provider_lifecycle"
        NOMAD_PLUGIN = "nomad_plugin"
        PROVIDER_SCHEMA = "provider_schema"

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="test_runs")
    kind = models.CharField(max_length=20, choices=Kind)
    version = models.CharField(max_length=250, blank=True)
    inputs = models.JSONField(default=dict)
    encrypted_secrets = EncryptedField(default=b"")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    requested_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, blank=True)
    records = models.JSONField(default=dict)
    results = models.JSONField(default=list)

    objects = TestRunQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        constraints = [
            # Two requests at the same moment both see no open run, so the database decides.
            models.UniqueConstraint(
                fields=["integration", "kind"], condition=Q(finished_at=None), name="test_run_unique_open"
            )
        ]
        indexes = [models.Index(fields=["kind", "finished_at"], name="test_run_finished")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"

    @property
    def subject(self) -> str:
        """The tested URL or version."""
        return str(self.inputs.get("url", self.version))

    @property
    def is_running(self) -> bool:
        return self.finished_at is None

    def build_encryption_context(self, name: str) -> str:
        """Return what the encrypted secrets are bound to."""
        # Secrets that are copied into another row can't be decrypted there.
        return f"test run {self.uuid}"


class RunTaskRequest(models.Model):
    """A request to a run task and the target of its callbacks. `token_hash`: of the token for this request.

    `exchange`: request and response, empty until the response arrives.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    test_run = models.ForeignKey(TestRun, models.CASCADE, related_name="requests")
    step = models.CharField(max_length=40)
    token_hash = models.CharField(max_length=64)
    sent_at = models.DateTimeField()
    exchange = models.JSONField(default=dict)

    class Meta:
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["test_run", "step"], name="run_task_request_unique_step")]

    def __str__(self) -> str:
        return f"{self.step} of {self.test_run_id}"


class RunTaskCallback(models.Model):
    """A callback of a run task, append-only. `is_final`: it is the run's result."""

    request = models.ForeignKey(RunTaskRequest, models.CASCADE, related_name="callbacks")
    at = models.DateTimeField()
    is_final = models.BooleanField(default=False)
    record = models.JSONField(default=dict)

    class Meta:
        ordering = ("pk",)
        constraints = [
            # The platform accepts only one final result, even if two arrive at the same moment.
            models.UniqueConstraint(
                fields=["request"], condition=Q(is_final=True), name="run_task_callback_unique_final"
            )
        ]

    def __str__(self) -> str:
        return f"callback of {self.request_id}"

    def save(self, *args: object, **kwargs: object) -> None:
        if self.pk is not None:
            raise TypeError("Callbacks are append-only.")
        super().save(*args, **kwargs)
