"""Check results that a partner's CI reports."""

from uuid import uuid4

from django.db import models
from django.db.models import Q


class CiCheckReport(models.Model):
    """Check result that a partner's CI reports. It is never the portal's own result.

    `sampled` holds why the portal verifies the report, blank if it doesn't; `disagreements` lists the differences that
    it found, as {key, reported, found, summary}.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="ci_check_reports")
    reported_by = models.CharField(max_length=150)
    commit = models.CharField(max_length=64)
    version = models.CharField(max_length=60, blank=True)
    outcome = models.CharField(max_length=10)
    results = models.JSONField(default=list)
    at = models.DateTimeField()
    sampled = models.CharField(max_length=120, blank=True)
    compared_at = models.DateTimeField(null=True)
    disagreements = models.JSONField(default=list)

    class Meta:
        ordering = ("-pk",)
        indexes = [
            models.Index(
                fields=["id"], name="ci_check_report_to_compare", condition=Q(compared_at=None) & ~Q(sampled="")
            )
        ]

    def __str__(self) -> str:
        return f"reported by {self.reported_by} of {self.integration}: {self.outcome}"
