"""Models of run task tests: tests, requests and callbacks."""

from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q


class RunTaskRehearsalQuerySet(models.QuerySet[Any]):
    def open(self) -> "RunTaskRehearsalQuerySet":
        return self.filter(finished_at=None)


class RunTaskRehearsal(models.Model):
    """A rehearsal of one endpoint. At most one is open for each integration.

    `encrypted_hmac_key`: the HMAC key, forgotten when it ends; `signed`: whether there is one. `scenarios`: what the
    passing and the failing run look like. `verdicts` and `effects` are plain data, judged anew with each step.
    `outcome`: the worst of them, once it has ended.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="run_task_rehearsals")
    url = models.CharField(max_length=2048)
    stages = models.JSONField(default=list)
    scenarios = models.JSONField(default=dict)
    encrypted_hmac_key = models.BinaryField(default=b"")
    signed = models.BooleanField()
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    requested_at = models.DateTimeField()
    settle_until = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, blank=True)
    verdicts = models.JSONField(default=list)
    effects = models.JSONField(default=list)

    objects = RunTaskRehearsalQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["integration"], condition=Q(finished_at=None), name="run_task_test_unique_open"
            )
        ]

    def __str__(self) -> str:
        return f"rehearsal of {self.url}"

    def context(self) -> str:
        """What the sealed key is bound to."""
        return f"run task rehearsal {self.uuid}"


class RunTaskRequest(models.Model):
    """One request of a rehearsal and the place where its results come in. `token_hash`: of a token for it alone.

    `exchange`: what was sent and what came back, empty while the request is on its way.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    rehearsal = models.ForeignKey(RunTaskRehearsal, models.CASCADE, related_name="requests")
    act = models.CharField(max_length=40)
    token_hash = models.CharField(max_length=64)
    sent_at = models.DateTimeField()
    exchange = models.JSONField(default=dict)

    class Meta:
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["rehearsal", "act"], name="run_task_request_unique_step")]

    def __str__(self) -> str:
        return f"{self.act} of {self.rehearsal_id}"


class RunTaskCallback(models.Model):
    """Something that called at a request's place: append-only. `is_final`: it was taken as the run's result."""

    request = models.ForeignKey(RunTaskRequest, models.CASCADE, related_name="callbacks")
    at = models.DateTimeField()
    is_final = models.BooleanField(default=False)
    seen = models.JSONField(default=dict)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["request"], condition=Q(is_final=True), name="run_task_callback_unique_final"
            )
        ]

    def __str__(self) -> str:
        return f"callback of {self.request_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TypeError("Callbacks are append-only.")
        super().save(*args, **kwargs)
