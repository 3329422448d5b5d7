"""Discoveries: addresses that people entered, and what the portal found there."""

from typing import Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils.translation import gettext as _

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Program
from integrations.submissions.models import Integration
from portal.core.errors import ActionRefused
from verification.discovery.addresses import AddressKind


class Discovery(models.Model):
    """Address that a person entered, the data read there, and the integration that was started from it.

    `candidates` are the recognized programs, `facts` the stated values, and `values` the fields of the start form.
    `results` are the check results of the selected program, as verification.checks.execution.serialize_result returns
    them. `problem` is the code of the reason why something wasn't read, and `detail` the source's own message.
    `providers` are those of a namespace, with the fields of verification.discovery.imports.ProviderRow.
    """

    class Problem(models.TextChoices):
        NOT_FOUND = "not_found"
        OUTAGE = "outage"
        PARTIAL = "partial"
        ENDPOINT_STATUS = "endpoint_status"
        ENDPOINT_UNREACHABLE = "endpoint_unreachable"

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    address = models.CharField(max_length=300)
    kind = models.CharField(max_length=20, choices=[(str(kind), str(kind)) for kind in AddressKind])
    name = models.CharField(max_length=300)
    program_key = models.CharField(max_length=40, blank=True)
    candidates = models.JSONField(default=list)
    facts = models.JSONField(default=list)
    values = models.JSONField(default=dict)
    providers = models.JSONField(default=list)
    results = models.JSONField(default=list)
    problem = models.CharField(max_length=30, choices=Problem.choices, blank=True)
    detail = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(db_index=True)
    read_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    integration = models.OneToOneField(Integration, models.SET_NULL, null=True, blank=True, related_name="discovery")

    class Meta:
        verbose_name_plural = "discoveries"
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return self.address

    @property
    def asks_for_signature(self) -> bool:
        """Return whether the endpoint may have refused the verification request because it is unsigned."""
        # HashiCorp's scaffolding for run tasks refuses unsigned requests with 401.
        return self.problem == self.Problem.ENDPOINT_STATUS and self.detail[:3] in {"401", "403"}

    @property
    def is_namespace(self) -> bool:
        return self.kind == AddressKind.NAMESPACE

    def lock(self) -> Self:
        """Return the locked row. Raises ActionRefused if another program was selected after this object was loaded."""
        # PostgreSQL can't lock the nullable side of the join, the integration.
        rows = type(self).objects.select_for_update(of=("self",)).select_related("integration")
        locked = rows.get(pk=self.pk)
        # The form was checked against the program that the page showed.
        if locked.program_key != self.program_key:
            raise ActionRefused(_("Another program was selected. Reload the page, then try again."), "conflict")
        return locked

    @property
    def program(self) -> Program | None:
        return PROGRAMS.get(self.program_key)
