"""Drafts: saved form input that has not been submitted. Colleagues can continue them."""

from datetime import datetime, timedelta
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Program
from integrations.submissions.models.integration import Integration


class IntegrationDraft(models.Model):
    """Saved input of a form: the form of a new integration, or, with `integration`, the form of one requirement."""

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    partner = models.ForeignKey("partners.Partner", models.CASCADE, related_name="drafts")
    program_key = models.CharField(max_length=40)
    integration = models.ForeignKey(Integration, models.CASCADE, null=True, blank=True, related_name="drafts")
    requirement_id = models.CharField(max_length=40, blank=True)
    data = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=0)
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    saved_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-saved_at",)
        constraints = [
            models.UniqueConstraint(
                fields=["integration", "requirement_id"],
                # Colleagues continue the same draft of a form, so that no one's input is lost.
                condition=Q(sent_at=None, integration__isnull=False),
                name="integration_draft_unique_integration_requirement",
            )
        ]

    def __str__(self) -> str:
        return f"draft of {self.partner}: {self.data.get('name') or self.requirement_id or self.program_key}"

    @property
    def title(self) -> str:
        """Return the name of the integration, or what identifies it without one."""
        return str(self.data.get("name") or self.data.get("repository_address") or self.program.name)

    @property
    def undo_until(self) -> datetime | None:
        """Return when the period to restore a deleted draft ends, or None if the draft can't be restored."""
        # A submitted draft has an integration. Only a deleted one can come back.
        if self.sent_at is None or self.integration_id is not None:
            return None
        end = self.sent_at + timedelta(minutes=settings.UNDO_MINUTES)
        return end if end > timezone.now() else None

    @property
    def program(self) -> Program:
        return PROGRAMS[self.program_key]
