"""Verification of the audit log from the command line."""

from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from portal.audit.anchors import read_anchors
from portal.audit.models import AuditEvent
from portal.audit.verification import verify_log

TAMPERED_EXIT_CODE, UNVERIFIABLE_EXIT_CODE = 1, 2


class Command(BaseCommand):
    help = (
        "Verifies every seal and link of the audit log and compares it with its anchors. Ends with 0 where all fit, "
        "1 where something was changed or removed, 2 where something cannot be verified."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--anchors", type=Path, metavar="FOLDER", help="compare with a copy of the anchors, such as a backup"
        )
        parser.add_argument(
            "--known-gaps-until", type=date.fromisoformat, default=date.min, metavar="YYYY-MM-DD",
            help="do not report days without an anchor until this one, such as those of an outage",
        )  # fmt: skip

    def handle(self, *args: Any, anchors: Path | None, known_gaps_until: date, **options: Any) -> None:
        folder = anchors or Path(settings.AUDIT_ANCHOR_DIR)
        try:
            counts = self.count_faults(folder, known_gaps_until)
        except (DatabaseError, OSError) as error:
            raise CommandError(f"The audit log cannot be read: {error}", returncode=UNVERIFIABLE_EXIT_CODE) from error
        if counts[True]:
            raise CommandError(f"{counts[True]} places of the audit log were changed.", returncode=TAMPERED_EXIT_CODE)
        if counts[False]:
            raise CommandError(
                f"{counts[False]} places of the audit log cannot be verified.", returncode=UNVERIFIABLE_EXIT_CODE
            )
        self.stdout.write(f"{AuditEvent.objects.count()} events and {len(read_anchors(folder)[0])} anchors verified.")

    def count_faults(self, folder: Path, known_gaps_until: date) -> dict[bool, int]:
        """Print every fault. Return how many are tampering and how many are not."""
        counts = {True: 0, False: 0}
        events = AuditEvent.objects.order_by("stream", "seq").iterator(chunk_size=2000)
        for fault in verify_log(events, folder, timezone.now(), known_gaps_until):
            counts[fault.is_tampering] += 1
            self.stderr.write(str(fault))
        return counts
