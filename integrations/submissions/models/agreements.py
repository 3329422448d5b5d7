"""Agreements of a partner with the program, and the signatures of both sides."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from integrations.submissions.models.requirements import Document
from integrations.submissions.workflow.states import ResponsibleParty


class Agreement(models.Model):
    """Version of an agreement between a partner and the program, with the exact text that both sides accept.

    The text and the name of the partner are stored, because the name and the document can change later.
    """

    KINDS = [
        ("mnda", gettext_lazy("Mutual non-disclosure agreement")),
        ("tpa", gettext_lazy("Technology Partner Agreement")),
    ]

    class Method(models.TextChoices):
        PORTAL = "portal", gettext_lazy("Signed in the portal")
        UPLOAD = "upload", gettext_lazy("Signed PDF")

    partner = models.ForeignKey("partners.Partner", models.CASCADE, related_name="agreements")
    kind = models.CharField(max_length=10, choices=KINDS)
    version = models.CharField("version", max_length=40)
    partner_name = models.CharField(max_length=120)
    text = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True)
    method = models.CharField(max_length=10, choices=Method.choices, default=Method.PORTAL)
    document = models.ForeignKey(Document, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, blank=True)
    rejected_at = models.DateTimeField(null=True, blank=True)
    rejection_reason = models.CharField(max_length=400, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["partner", "kind", "version"],
                # A rejected PDF is kept, and the same version is signed again.
                condition=models.Q(rejected_at=None),
                name="agreement_unique_partner_kind_version",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.version} · {self.partner}"

    @property
    def is_complete(self) -> bool:
        return self.completed_at is not None

    @property
    def has_pdf(self) -> bool:
        """Return whether the portal can render the signed text."""
        return bool(self.pk and self.text) and self.method == self.Method.PORTAL

    @property
    def awaits_confirmation(self) -> bool:
        """Return whether the program must confirm or reject the uploaded PDF."""
        return self.method == self.Method.UPLOAD and not (self.completed_at or self.rejected_at)

    def get_signature(self, side: str) -> "AgreementSignature | None":
        """Return the signature of one side. An agreement that isn't saved has none."""
        # Not filtered: lists prefetch the signatures, and a filter would query them again for each row.
        signatures = self.signatures.all() if self.pk else ()
        return next((signature for signature in signatures if signature.side == side), None)

    @property
    def partner_signature(self) -> "AgreementSignature | None":
        return self.get_signature(ResponsibleParty.PARTNER)

    @property
    def program_signature(self) -> "AgreementSignature | None":
        return self.get_signature(ResponsibleParty.PROGRAM)


class AgreementSignature(models.Model):
    """Signature of one side: the person, the name and title as typed, and the statement about the authority to sign."""

    SIDES = [
        (str(ResponsibleParty.PARTNER), gettext_lazy("Company")),
        (str(ResponsibleParty.PROGRAM), gettext_lazy("Program")),
    ]

    agreement = models.ForeignKey(Agreement, models.CASCADE, related_name="signatures")
    side = models.CharField(max_length=10, choices=SIDES)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    signer = models.CharField(max_length=254)  # the email address of a reviewer without a name
    title = models.CharField(max_length=120, blank=True)
    statement = models.CharField(max_length=400, blank=True)
    signed_at = models.DateTimeField()
    zone = models.CharField(max_length=64, default="UTC")  # the signer's time zone

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agreement", "side"], name="agreement_signature_unique_agreement_side")
        ]

    def __str__(self) -> str:
        return f"{self.signer} · {self.agreement}"
