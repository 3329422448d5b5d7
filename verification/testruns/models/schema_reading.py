"""Provider schema inspections."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class SchemaReadingQuerySet(models.QuerySet["SchemaReading"]):
    def open(self) -> "SchemaReadingQuerySet":
        return self.filter(finished_at=None)


class SchemaReading(models.Model):
    """One time that the portal has a provider started and asks it for its schema. At most one is open at a time.

    `version`: blank for the newest, then the one that was read. `requested_by` is None for one of the night's.
    `says`: how far it is. `told`: what the checks are made of, with `not_run` where there was no reading; `results`:
    what each check made of it, the one of the reading itself first, whose outcome is `outcome`.
    """

    integration = models.ForeignKey("submissions.Integration", models.CASCADE, related_name="schema_readings")
    version = models.CharField(max_length=250, blank=True)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    requested_at = models.DateTimeField()
    says = models.CharField(max_length=200, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, blank=True)
    told = models.JSONField(default=dict)
    results = models.JSONField(default=list)

    objects = SchemaReadingQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["integration"], condition=Q(finished_at=None), name="schema_inspection_unique_open"
            )
        ]

    def __str__(self) -> str:
        return f"{self.integration_id} {self.version or 'newest'}"
