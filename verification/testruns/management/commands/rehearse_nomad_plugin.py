"""Command that runs the Nomad plugin test on a local executable."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from portal.core.cli import build_usage_error, read_text_file
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.kinds.nomad_plugin import report, worker
from verification.testruns.kinds.nomad_plugin.config import MAX_CONFIG_CHARACTERS, parse_config
from verification.testruns.kinds.nomad_plugin.driver import NomadPluginTarget
from verification.testruns.kinds.nomad_plugin.records import PLUGIN_TYPE_NUMBERS, NomadPluginRecords, load_records


class Command(BaseCommand):
    help = (
        "Call a Nomad plugin in the sandbox as Nomad's agent does, and print a result for each rule. Exit "
        "codes: 0 nothing failed, 1 something failed, 2 unknown. Needs no database."
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)  # for --version

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("executable", type=Path)
        parser.add_argument(
            "--type", choices=sorted(PLUGIN_TYPE_NUMBERS), required=True, help="The submitted plugin type."
        )
        parser.add_argument("--name", default="", help="The expected plugin name.")
        parser.add_argument("--version", default="", help="The released version. For example, 1.4.0.")
        parser.add_argument("--config", type=Path, help="The plugin's configuration as a JSON object.")
        parser.add_argument("--readable", type=Path, action="append", default=[], metavar="FOLDER",
                            help="A folder that the plugin can read, for plugins that are scripts.")  # fmt: skip
        parser.add_argument("--json", action="store_true", help="Print everything as JSON.")

    def handle(self, *, executable: Path, **options: Any) -> None:  # type: ignore[override]
        if not executable.is_file():
            raise build_usage_error(f"{executable} isn't a file.")
        readable = tuple(path.resolve() for path in options["readable"])
        try:
            config = parse_config(read_text_file(options["config"], MAX_CONFIG_CHARACTERS))
            version = options["version"]
            records = self._run_test(
                NomadPluginTarget(executable, options["type"], options["name"], version, config, readable)
            )
        except (ValueError, client.SandboxProtocolError) as error:
            raise build_usage_error(error) from error
        self.stdout.write(report.render_json(records) if options["json"] else report.render_text(records))
        if report.get_exit_code(records):
            sys.exit(report.get_exit_code(records))

    def _run_test(self, target: NomadPluginTarget) -> NomadPluginRecords:
        files = {"plugin": target.executable}
        try:
            result = client.run_job(
                "nomad",
                worker.build_job_input(target),
                files,
                service=settings.SANDBOX_SOCKET,
                report=self._report_progress,
            )
        except SandboxUnavailable as error:
            return worker.build_not_run_records(target, f"Not run: {error}")
        return load_records(result)

    def _report_progress(self, progress: dict[str, Any]) -> None:
        calls = progress["seen"]["asked"]
        if calls and not progress["seen"]["over"]:
            self.stderr.write(f"{calls[-1]['title']}: {calls[-1]['came']}", self.style.NOTICE)
