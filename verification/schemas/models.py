"""Models of the schemas app: one compressed schema per provider version."""

from django.conf import settings
from django.db import models


class ProviderSchema(models.Model):
    """Schema of a provider version.

    `body`: gzipped JSON of one provider in Terraform's format; `digest`: SHA-256 of the uncompressed JSON, in hex.
    `source` is the provider's address in the schema. `submitted_by` is None if the portal read it.
    """

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="schemas")
    version = models.CharField(max_length=250)
    source = models.CharField(max_length=300)
    digest = models.CharField(max_length=64)
    body = models.BinaryField()
    resources = models.PositiveIntegerField()
    data_sources = models.PositiveIntegerField()
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    submitted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["integration", "version"], name="provider_schema_unique_integration_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.version}"

    @property
    def uncompressed_bytes(self) -> int:
        """Return the size of the uncompressed JSON, which is at the end of a gzip file."""
        return int.from_bytes(bytes(self.body)[-4:], "little")
