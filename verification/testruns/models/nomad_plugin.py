"""Model of Nomad plugin tests."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from verification.testruns.models.run_task import RunTaskRehearsalQuerySet


class NomadRehearsal(models.Model):
    """A rehearsal of one version of a plugin. At most one is open for each integration.

    `type`: driver or device. `config`: JSON, as it was written. `seen`: what was seen; `verdicts`: plain data, judged
    anew with each question.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="nomad_rehearsals")
    type = models.CharField(max_length=10)
    name = models.CharField(max_length=100, blank=True)
    version = models.CharField(max_length=100)
    config = models.TextField(blank=True)
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
            models.UniqueConstraint(fields=["integration"], condition=Q(finished_at=None), name="one_open_nomad")
        ]

    def __str__(self) -> str:
        return f"{self.type} plugin {self.version}"
