"""Is the directory what the integrations say?

`manage.py rebuild_directory` derives every row; --check only compares.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock
from portal.directory.models import Listing
from portal.directory.services import drift, keep, read_again


class Command(BaseCommand):
    help = "Derive every row of the directory from its integration, or compare them. Exits with 1 where --check drifts."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--check", action="store_true", help="compare only, and write nothing")

    def handle(self, *_: Any, check: bool, **__: Any) -> None:
        drifting = 0
        for row in self._listed_once():
            wrong = drift(row, Listing.objects.filter(pk=row.pk).first())
            drifting += bool(wrong)
            if wrong:
                self.stdout.write(f"{row} ({row.uuid}): {', '.join(wrong)}")
            if not check:
                _rebuild(row.pk)
        self.stdout.write(f"drift {drifting}")
        if check and drifting:
            raise CommandError("The directory is not what the integrations say: run listings_rebuild.")

    def _listed_once(self) -> Any:
        rows = Integration.objects.listed_once().select_related("partner").prefetch_related("states").order_by("pk")
        return rows.iterator(chunk_size=500)


def _rebuild(pk: int) -> None:
    """One at a time, so that nobody waits."""
    now = timezone.now()
    with transaction.atomic():
        keep(lock(pk), now)
        read_again(Listing.objects.filter(pk=pk), now)
