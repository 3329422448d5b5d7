"""Verifications of partners: what proved that a company is real."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from integrations.partners.models.partners import Partner


class VerificationMethod(models.TextChoices):
    """What proves that a company is real."""

    DNS = "dns", gettext_lazy("DNS record")
    EMAIL = "email", gettext_lazy("Email address")
    GITHUB = "github", gettext_lazy("GitHub organization")
    DECISION = "decision", gettext_lazy("Decision of the program")


DOMAIN_METHODS = (VerificationMethod.DNS, VerificationMethod.EMAIL)


class PartnerVerification(models.Model):
    """Proof that a partner is real.

    Attributes:
        subject: The proven domain or GitHub organization. Blank for a decision.
        verified_by: The person who has the address, started the check, or decided.
    """

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="verifications")
    method = models.CharField(max_length=10, choices=VerificationMethod.choices)
    subject = models.CharField(max_length=253, blank=True)
    verified_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    verified_at = models.DateTimeField()

    class Meta:
        ordering = ("verified_at", "pk")
        constraints = [
            models.UniqueConstraint(fields=["partner", "method", "subject"], name="partner_verification_unique")
        ]

    def __str__(self) -> str:
        return f"{self.partner} · {self.method} · {self.subject}"
