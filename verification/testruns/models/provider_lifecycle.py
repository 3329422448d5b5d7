"""Model of provider acceptance tests."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from verification.testruns.models.run_task import RunTaskRehearsalQuerySet


class LifecycleRehearsal(models.Model):
    """A rehearsal of one version of a provider. At most one is open for each integration.

    `base`, `changed`, `refused` and `partial` are configurations, the last two may be blank. `encrypted_environment`:
    credentials, forgotten when it ends; `names`: how they are called; `account`: one that the company keeps with us,
    used instead. `seen`: what was seen, secrets struck out; `verdicts`: plain data, judged anew with each step.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="lifecycle_rehearsals")
    version = models.CharField(max_length=100)
    base = models.TextField()
    changed = models.TextField()
    refused = models.TextField(blank=True)
    partial = models.TextField(blank=True)
    hosts = models.JSONField(default=list)
    encrypted_environment = models.BinaryField(default=b"")
    names = models.JSONField(default=list)
    account = models.UUIDField(null=True, blank=True)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    requested_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, blank=True)
    seen = models.JSONField(default=dict)
    verdicts = models.JSONField(default=list)

    objects = RunTaskRehearsalQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(fields=["integration"], condition=Q(finished_at=None), name="one_open_lifecycle")
        ]

    def __str__(self) -> str:
        return f"lifecycle of {self.version}"

    def context(self) -> str:
        """What the sealed credentials are bound to."""
        return f"lifecycle rehearsal {self.uuid}"
