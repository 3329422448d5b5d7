"""Command that runs a test on local software, without a database."""

import json
import sys
from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from portal.core.terminal import sanitize
from verification.testruns.kinds.base import TestKind
from verification.testruns.registry import KINDS


class Command(BaseCommand):
    help = (
        "Test a run task endpoint, a provider, or a Nomad plugin, and print a result for each rule. Exit codes, also "
        "with --json: 0 nothing failed, 1 something failed, 2 unknown. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parsers = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
        for kind in KINDS.values():
            help_text = kind.texts.command_help
            kind_parser = parsers.add_parser(kind.slug, help=help_text, description=help_text)
            kind_parser.set_defaults(definition=kind)
            kind.add_arguments(kind_parser)
            kind_parser.add_argument("--json", action="store_true", help="Print everything as JSON.")

    def handle(self, *, definition: TestKind, **options: object) -> None:
        output = definition.run_command(
            options, lambda message: self.stderr.write(sanitize(message), self.style.NOTICE)
        )
        text = json.dumps(output.report, indent=2, ensure_ascii=False) if options["json"] else output.text
        self.stdout.write(text)
        if output.exit_code:
            sys.exit(output.exit_code)
