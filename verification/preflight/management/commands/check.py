"""`manage.py check OWNER/NAME --program KEY`: the portal's checks on a repository. Without --program: Django's own."""

import argparse
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import check as django_check

from integrations.programs.registry import PROGRAMS
from verification.preflight import cli, output


class Command(django_check.Command):
    help = (
        "Runs the portal's checks on a repository: check OWNER/NAME --program KEY. Ends with 0 where all pass, "
        "1 where the partner must fix something, 2 where we could not tell. Without --program it is Django's own "
        "command, which checks the project for common problems."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        group = parser.add_argument_group("checks of a repository")
        group.add_argument("--program", choices=sorted(PROGRAMS), help="whose checks are run")
        group.add_argument("--edition", default="", metavar="YYYY-MM", help="of the program; the newest if left out")
        group.add_argument("--category", default="", metavar="KEY", help="of the program; checks of all if left out")
        group.add_argument("--only", action="append", default=[], metavar="CHECK", help="only this check")
        group.add_argument("--release", default="", metavar="X.Y.Z", help="the release to look at")
        group.add_argument("--json", action="store_true", help="the results as JSON")

    def handle(self, *app_labels: Any, **options: Any) -> None:
        if options["program"]:
            self.run_portal_checks(app_labels, options)
        elif any("/" in label for label in app_labels):
            raise CommandError(f"Name the program with --program: {', '.join(sorted(PROGRAMS))}.")
        else:
            super().handle(*app_labels, **options)

    def run_portal_checks(self, repositories: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Run the checks and end with their number."""
        if len(repositories) != 1:
            raise CommandError("Name one repository as OWNER/NAME.")
        selection = {name: options[name] for name in ("program", "edition", "category", "only")}
        arguments = argparse.Namespace(repository=repositories[0], version=options["release"], path=None, **selection)
        try:
            report = cli.run_preflight(
                arguments, report_progress=lambda line: self.stderr.write(line, self.style.NOTICE)
            )
        except cli.PreflightUsageError as refusal:
            raise CommandError(str(refusal)) from refusal
        use_color = self.stdout.isatty() and not options["no_color"]
        self.stdout.write(output.format_json(report) if options["json"] else output.format_text(report, use_color))
        if report.exit_code:
            sys.exit(report.exit_code)
