"""Command that runs a test on local software, without a database."""

import json
import sys
from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from verification.testruns.kinds.nomad_plugin import cli as nomad_plugin
from verification.testruns.kinds.provider_lifecycle import cli as provider_lifecycle
from verification.testruns.kinds.provider_schema import cli as provider_schema
from verification.testruns.kinds.run_task import cli as run_task

KINDS = {
    "run-task": run_task,
    "provider-lifecycle": provider_lifecycle,
    "nomad-plugin": nomad_plugin,
    "provider-schema": provider_schema,
}


class Command(BaseCommand):
    help = (
        "Test a run task endpoint, a provider, or a Nomad plugin, and print a result for each rule. Exit codes: 0 "
        "nothing failed, 1 something failed, 2 unknown. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
        for name, module in KINDS.items():
            kind_parser = kinds.add_parser(name, help=module.HELP, description=module.HELP)
            module.add_arguments(kind_parser)
            kind_parser.add_argument("--json", action="store_true", help="Print everything as JSON.")

    def handle(self, *, kind: str, **options: object) -> None:  # type: ignore[override]
        output = KINDS[kind].run(options, lambda message: self.stderr.write(message, self.style.NOTICE))
        text = json.dumps(output.report, indent=2, ensure_ascii=False) if options["json"] else output.text
        self.stdout.write(text)
        if output.exit_code:
            sys.exit(output.exit_code)
