"""Providers of the public registry, imported from a file."""

from typing import Unpack

from django.db import models

from portal.core.django_arguments import SaveArguments
from portal.core.name_matching import compute_name_key

MAX_REPOSITORY_LENGTH = 200


class RegistryProvider(models.Model):
    """Registry provider at the time of the import.

    `repository` is the "owner/name" of the source in lower case. `name_key` is used to find similar names.
    """

    registry_id = models.CharField(max_length=20, primary_key=True)
    full_name = models.CharField("full name", max_length=160, db_index=True)
    namespace = models.CharField(max_length=80, db_index=True)
    name = models.CharField(max_length=80)
    name_key = models.CharField(max_length=120, db_index=True, editable=False)
    tier = models.CharField(max_length=20)
    source = models.URLField(max_length=300)
    repository = models.CharField(max_length=MAX_REPOSITORY_LENGTH, db_index=True, editable=False)
    downloads = models.BigIntegerField(default=0)
    description = models.TextField(blank=True)
    warning = models.TextField(blank=True)
    imported_at = models.DateTimeField()

    class Meta:
        ordering = ("full_name",)

    def __str__(self) -> str:
        return self.full_name

    def save(self, **kwargs: Unpack[SaveArguments]) -> None:
        self.derive()
        super().save(**kwargs)

    def derive(self) -> None:
        """Set the derived columns. Bulk operations must call this method."""
        self.name_key = compute_name_key(self.name)
        # No repository on GitHub has more than 140 characters, so a longer path matches none anyway.
        self.repository = get_source_repository(self.source)[:MAX_REPOSITORY_LENGTH]


def get_source_repository(address: str) -> str:
    """Return the "owner/name" of the URL of a provider's source in lower case, or an empty string."""
    # GitHub's names are case-insensitive. In lower case, an index finds them.
    parts = address.lower().rstrip("/").removesuffix(".git").split("/")
    return "/".join(parts[-2:]) if len(parts) >= 2 else ""
