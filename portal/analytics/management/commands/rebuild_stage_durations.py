"""Compares the times in stages that the program office reads from with the history, and makes them again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.analytics import services


class Command(BaseCommand):
    help = "Makes the kept passages again where they differ from the events; with --check only says where."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing, fail where something differs")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["check"]:
            self.stdout.write(f"rebuilt {services.rebuild()}")
        drift = [key for batch in services.iterate_batches() for key in services.find_drifted(list(batch))]
        self.stdout.write(f"drift {len(drift)}")
        if drift:
            raise CommandError(f"Differing integrations: {', '.join(map(str, drift[:20]))}")
