"""Evidence as it was at the end of earlier review rounds."""

from django.db import models

from integrations.submissions.models.integration import Integration


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
