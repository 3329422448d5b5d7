"""Is the directory what the integrations say?

`manage.py rebuild_directory` derives every row; --check only compares.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock_integration
from portal.directory.models import Listing
from portal.directory.services import find_drift, refresh_listing, refresh_metrics


class Command(BaseCommand):
    help = "Derive every row of the directory from its integration, or compare them. Exits with 1 where --check drifts."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--check", action="store_true", help="compare only, and write nothing")

    def handle(self, *_: Any, check: bool, **__: Any) -> None:
        drift_count = 0
        for row in self._iterate_integrations():
            drifting_columns = find_drift(row, Listing.objects.filter(pk=row.pk).first())
            drift_count += bool(drifting_columns)
            if drifting_columns:
                self.stdout.write(f"{row} ({row.uuid}): {', '.join(drifting_columns)}")
            if not check:
                _rebuild(row.pk)
        self.stdout.write(f"drift {drift_count}")
        if check and drift_count:
            raise CommandError("The directory is not what the integrations say: run listings_rebuild.")

    def _iterate_integrations(self) -> Any:
        rows = (
            Integration.objects.listed_once().select_related("partner").prefetch_related("fulfillments").order_by("pk")
        )
        return rows.iterator(chunk_size=500)


def _rebuild(pk: int) -> None:
    """One at a time, so that nobody waits."""
    now = timezone.now()
    with transaction.atomic():
        refresh_listing(lock_integration(pk), now)
        refresh_metrics(Listing.objects.filter(pk=pk), now)
