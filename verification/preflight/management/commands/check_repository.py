"""Command that runs the portal's checks on a repository."""

import argparse
import sys

from django.core.management.base import BaseCommand, CommandError, CommandParser

from integrations.programs.registry import PROGRAMS
from integrations.programs.selectors import get_edition_in_force
from verification.preflight import cli, output
from verification.preflight.report import EXIT_USAGE


class Command(BaseCommand):
    help = (
        "Run the portal's checks on a repository. Exit codes: 0 if nothing must be fixed, 1 if the partner must fix "
        "something, 2 for invalid arguments, 3 if a check could not be completed."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--program", required=True, choices=sorted(PROGRAMS), help="program whose checks are run")
        cli.add_arguments(parser)
        parser.add_argument("--release", default="", metavar="X.Y.Z", help="release to check")
        cli.add_format_argument(parser)

    def handle(self, *, repository: str, **options: object) -> None:
        selection = {name: options[name] for name in ("program", "category", "only")}
        selection["edition"] = options["edition"] or get_edition_in_force(str(options["program"])).date
        # No folder: partners check their own with portal-preflight.
        arguments = argparse.Namespace(repository=repository, version=options["release"], path=None, **selection)
        try:
            report = cli.run_preflight(
                arguments, report_progress=lambda line: self.stderr.write(line, self.style.NOTICE)
            )
        except cli.USAGE_ERRORS as error:
            raise CommandError(str(error), returncode=EXIT_USAGE) from error
        use_color = self.stdout.isatty() and not options["no_color"]
        self.stdout.write(output.format_report(report, str(options["format"]), use_color))
        if report.exit_code:
            sys.exit(report.exit_code)
