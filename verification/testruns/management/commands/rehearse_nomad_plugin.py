"""`manage.py rehearse_nomad_plugin EXECUTABLE --type driver|device`: ask a plugin what Nomad's agent asks it."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from portal.core.cli import text_of, unusable
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.kinds.nomad_plugin import report, worker
from verification.testruns.kinds.nomad_plugin.config import MOST, config_of
from verification.testruns.kinds.nomad_plugin.driver import Given
from verification.testruns.kinds.nomad_plugin.records import TYPES, Seen, from_dict


class Command(BaseCommand):
    help = (
        "Asks a Nomad plugin in the sandbox what Nomad's agent asks it, and gives a verdict for each rule. Ends with 0 "
        "where nothing fails, 1 where something does, 2 where we could not tell. Needs no database."
    )
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)  # for --version

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("executable", type=Path)
        parser.add_argument("--type", choices=sorted(TYPES), required=True, help="what it is submitted as")
        parser.add_argument("--name", default="", help="what it should call itself")
        parser.add_argument("--version", default="", help="the version of its release, as in 1.4.0")
        parser.add_argument("--config", type=Path, help="its configuration, a JSON object")
        parser.add_argument("--readable", type=Path, action="append", default=[], metavar="FOLDER",
                            help="a folder that the plugin may see, for one that is a script")  # fmt: skip
        parser.add_argument("--json", action="store_true", help="everything, as JSON")

    def handle(self, *, executable: Path, **options: Any) -> None:  # type: ignore[override]
        if not executable.is_file():
            raise unusable(f"{executable} is no file.")
        readable = tuple(path.resolve() for path in options["readable"])
        try:
            config = config_of(text_of(options["config"], MOST))
            version = options["version"]
            seen = self._seen(Given(executable, options["type"], options["name"], version, config, readable))
        except (ValueError, client.SandboxProtocolError) as sentence:
            raise unusable(sentence) from sentence
        self.stdout.write(report.as_json(seen) if options["json"] else report.as_text(seen))
        if report.exit_code(seen):
            sys.exit(report.exit_code(seen))

    def _seen(self, given: Given) -> Seen:
        files = {"plugin": given.executable}
        try:
            said = client.run_job(
                "nomad", worker.order(given), files, service=settings.SANDBOX_SOCKET, report=self._tell
            )
        except SandboxUnavailable as why:
            return worker.not_run(given, f"Not run: {why}")
        return from_dict(said)

    def _tell(self, what: dict[str, Any]) -> None:
        asked = what["seen"]["asked"]
        if asked and not what["seen"]["over"]:
            self.stderr.write(f"{asked[-1]['title']}: {asked[-1]['came']}", self.style.NOTICE)
