"""Command that rebuilds stage durations from audit events."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.analytics import services


class Command(BaseCommand):
    help = "Rebuild stage durations that differ from the audit events. With --check, only report differences."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="Change nothing and fail if there are differences.")

    def handle(self, *args: object, **options: object) -> None:
        if not options["check"]:
            self.stdout.write(f"Rebuilt integrations: {services.rebuild()}")
        drift = list(services.iterate_drifted())
        self.stdout.write(f"Differences: {len(drift)}")
        if drift:
            raise CommandError(f"Integrations with different stage durations: {', '.join(map(str, drift[:20]))}")
