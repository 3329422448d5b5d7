"""Models of the escalations app."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class Escalation(models.Model):
    """Notification that passes from one program recipient to the next until one of them responds.

    `due_at`: for an action, its due date; for breaches, when they were reported. `next_at`: when the next step runs.
    `notified_addresses`: email addresses in the order of notification.
    """

    class Kind(models.TextChoices):
        BREACHES = "breaches", gettext_lazy("Breaches")
        ACTION = "action", gettext_lazy("Action of the program")

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="escalations")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    event = models.ForeignKey("audit.AuditEvent", models.PROTECT, null=True, blank=True, related_name="+")
    due_at = models.DateTimeField()
    began_at = models.DateTimeField()
    next_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    notified_addresses = models.JSONField(default=list)

    class Meta:
        constraints = [
            # Runs can overlap, and each of them may start the same escalation.
            models.UniqueConstraint(
                fields=["integration", "kind", "due_at"], name="escalation_unique_integration_kind_due_at"
            )
        ]
        indexes = [models.Index(fields=["next_at"], name="escalation_next_at", condition=Q(next_at__isnull=False))]

    def __str__(self) -> str:
        return f"{self.kind} of {self.integration}"
