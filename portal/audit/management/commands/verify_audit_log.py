"""Command that verifies the audit log."""

from argparse import ArgumentTypeError
from datetime import date
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from portal.audit.anchors import read_anchors
from portal.audit.models import AuditEvent
from portal.audit.verification import verify_log, verify_since_anchor

# Different codes, so that a monitor can tell a manipulation from a missing key or folder.
TAMPERED_EXIT_CODE = 1
UNVERIFIABLE_EXIT_CODE = 2


def parse_day(text: str) -> date:
    """Return the date of an argument. Raises ArgumentTypeError."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"Enter a date such as 2026-04-14, not “{text}”.") from None


class Command(BaseCommand):
    help = (
        "Verify every seal and link of the audit log and compare the log with its anchors. Exit codes: 0 if all "
        "match, 1 if something was changed or removed, 2 if something cannot be verified."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--anchors", type=Path, metavar="FOLDER", help="Folder with the anchors to compare, such as a backup."
        )
        only_one = parser.add_mutually_exclusive_group()  # gaps are only searched for in the whole log
        only_one.add_argument(
            "--known-gaps-until",
            type=parse_day,
            default=date.min,
            metavar="YYYY-MM-DD",
            help="Don't report days without an anchor up to this date, such as days of an outage.",
        )
        only_one.add_argument(
            "--since-anchor",
            action="store_true",
            help="Verify all anchors, but only the events since the newest one, which is faster for a long log.",
        )

    def handle(
        self, *args: object, anchors: Path | None, known_gaps_until: date, since_anchor: bool, **options: object
    ) -> None:
        if anchors is not None and not anchors.is_dir():
            raise CommandError(f"The folder {anchors} doesn't exist.", returncode=UNVERIFIABLE_EXIT_CODE)
        folder = anchors or Path(settings.AUDIT_ANCHOR_DIR)
        try:
            counts = self.count_faults(folder, known_gaps_until, since_anchor=since_anchor)
        except (DatabaseError, OSError) as error:
            raise CommandError(f"Cannot read the audit log: {error}", returncode=UNVERIFIABLE_EXIT_CODE) from error
        if counts[True]:
            raise CommandError(f"Changed entries in the audit log: {counts[True]}.", returncode=TAMPERED_EXIT_CODE)
        if counts[False]:
            raise CommandError(
                f"Entries in the audit log that cannot be verified: {counts[False]}.", returncode=UNVERIFIABLE_EXIT_CODE
            )
        if since_anchor:
            self.stdout.write("All anchors and the events since the newest one were verified.")
            return
        anchor_count = len(read_anchors(folder)[0])
        self.stdout.write(f"Verified events: {AuditEvent.objects.count():,}. Verified anchors: {anchor_count:,}.")

    def count_faults(self, folder: Path, known_gaps_until: date, *, since_anchor: bool) -> dict[bool, int]:
        """Print every fault. Return the counts by `is_tampering`."""
        counts = {True: 0, False: 0}
        now = timezone.now()
        if since_anchor:
            faults = verify_since_anchor(folder, now)
        else:
            # The log grows forever, so it is never in memory as a whole.
            events = AuditEvent.objects.order_by("stream", "seq").iterator(chunk_size=2000)
            faults = verify_log(events, folder, now, known_gaps_until)
        for fault in faults:
            counts[fault.is_tampering] += 1
            self.stderr.write(str(fault))
        return counts
