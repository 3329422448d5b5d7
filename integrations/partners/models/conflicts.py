"""Conflicts of interest between reviewers and companies."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from integrations.partners.models.partners import Partner


class ConflictKind(models.TextChoices):
    """Reason why a reviewer can't decide about a company. The portal derives all but the first."""

    MARKED = "marked", gettext_lazy("Worked for this company before")
    FORMER_MEMBER = "former_member", gettext_lazy("Former member of this company")
    EMAIL_DOMAIN = "email_domain", gettext_lazy("Email address at the company's domain")
    OWN_SUBMISSION = "own_submission", gettext_lazy("Own submission")


class ConflictOfInterest(models.Model):
    """Recorded conflict of a reviewer. A removed one also overrides a conflict that the portal derives."""

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="conflicts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="conflicts")
    kind = models.CharField(max_length=20, choices=ConflictKind.choices)
    reason = models.CharField(max_length=300)
    recorded_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("recorded_at", "pk")
        constraints = [models.UniqueConstraint(fields=["partner", "user"], name="conflict_unique")]

    def __str__(self) -> str:
        return f"{self.user} and {self.partner}"
