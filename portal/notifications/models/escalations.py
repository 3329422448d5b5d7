"""Escalations of unanswered notifications."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class Escalation(models.Model):
    """News that goes from one of the program to the next until somebody answers.

    `notified_addresses`: addresses, in their order.

    `due_at`: of a turn, when it was due; of breaches, when they were told. `next_at` is the due column of the chain.
    """

    class Kind(models.TextChoices):
        BREACHES = "breaches", gettext_lazy("Breaches")
        TURN = "turn", gettext_lazy("The program's own turn")

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
            models.UniqueConstraint(
                fields=["integration", "kind", "due_at"], name="escalation_unique_integration_kind_due_at"
            )
        ]
        indexes = [models.Index(fields=["next_at"], name="escalation_next_at", condition=Q(next_at__isnull=False))]

    def __str__(self) -> str:
        return f"{self.kind} of {self.integration}"
