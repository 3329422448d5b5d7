"""Command that rebuilds the directory from the integrations or compares them with --check."""

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock_integration
from portal.directory.models import Listing
from portal.directory.services import find_drift, refresh_listing, refresh_metrics


class Command(BaseCommand):
    help = "Rebuild the directory from the integrations. With --check, compare only and exit with 1 on differences."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="Compare without writing.")

    def handle(self, *_: object, check: bool, **__: object) -> None:
        drift_count = 0
        rows = Integration.objects.filter_released().select_related("partner").prefetch_related("fulfillments")
        for row in rows.order_by("pk").iterator(chunk_size=500):
            drifting_columns = find_drift(row, Listing.all_objects.filter(pk=row.pk).first())
            drift_count += bool(drifting_columns)
            if drifting_columns:
                self.stdout.write(f"{row} ({row.uuid}): {', '.join(drifting_columns)}")
            if not check:
                _rebuild(row.pk)
        self.stdout.write(f"Differences: {drift_count}")
        if check and drift_count:
            raise CommandError("The directory differs from the integrations. Run manage.py rebuild_directory.")


def _rebuild(pk: int) -> None:
    """Rebuild one listing in its own transaction, to keep locks short."""
    now = timezone.now()
    with transaction.atomic():
        refresh_listing(lock_integration(pk), now)
        refresh_metrics(Listing.all_objects.filter(pk=pk), now)
