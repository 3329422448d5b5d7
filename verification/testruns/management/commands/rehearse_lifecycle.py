"""`manage.py rehearse_lifecycle EXECUTABLE`: have Terraform make, change and destroy what a provider offers."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from portal.core.cli import text_of, unusable
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.kinds.provider_lifecycle import report, worker
from verification.testruns.kinds.provider_lifecycle.config import Given, Unfit, environment_of, hosts_of, version_of
from verification.testruns.kinds.provider_lifecycle.records import Seen, seen_of
from verification.testruns.kinds.provider_lifecycle.workspace import found_terraform

MOST = 1_000_000
SECONDS = 1800.0


class Command(BaseCommand):
    help = (
        "Has Terraform plan, make, change and destroy what a configuration says, with the provider in the sandbox, and "
        "gives a verdict for each rule. Ends with 0 where nothing fails, 1 where something does, 2 where we could not "
        "tell. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("executable", type=Path, help="called terraform-provider-NAME_v1.2.3")
        parser.add_argument("--config", type=Path, required=True, help="the configuration, as main.tf")
        parser.add_argument("--changed", type=Path, required=True, help="the same with a change that is made in place")
        parser.add_argument("--refused", type=Path, help="a configuration that must not be planned")
        parser.add_argument("--partial", type=Path, help="one whose apply fails when something has been made")
        parser.add_argument("--env-file", type=Path, help="test credentials, NAME=value a line; never printed")
        parser.add_argument("--hosts", default="", help="hosts that the provider may reach, with commas between")
        parser.add_argument("--source", default="", metavar="NAMESPACE/NAME", help="its address; NAME/NAME if left out")
        parser.add_argument("--readable", type=Path, action="append", default=[], metavar="FOLDER",
                            help="a folder that the provider may see, for one that is a script")  # fmt: skip
        parser.add_argument("--unsandboxed", action="store_true",
                            help="run it with your own rights: for a provider of your own")  # fmt: skip
        parser.add_argument("--json", action="store_true", help="everything, as JSON")

    def handle(self, *, executable: Path, **options: Any) -> None:  # type: ignore[override]
        if not executable.is_file():
            raise unusable(f"{executable} is no file.")
        try:
            given = _given(executable.resolve(), options)
            seen = self._seen(given, options)
        except (ValueError, client.SandboxProtocolError) as sentence:
            raise unusable(sentence) from sentence
        self.stdout.write(report.as_json(seen) if options["json"] else report.as_text(seen))
        if report.exit_code(seen):
            sys.exit(report.exit_code(seen))

    def _seen(self, given: Given, options: dict[str, Any]) -> Seen:
        if not given.terraform.name:
            return worker.not_run(given, worker.NO_TERRAFORM)
        if options["unsandboxed"]:
            return worker.alone(given, lambda seen: self._tell(seen.ran[-1].title, seen.ran[-1].line))
        readable = tuple(path.resolve() for path in options["readable"])
        try:
            said = client.run_job(
                "lifecycle", worker.order(given, readable), {"provider": given.executable}, seconds=SECONDS,
                service=settings.SANDBOX_SOCKET, report=lambda what: self._tell(what["ran"]["title"], ""),
            )  # fmt: skip
        except SandboxUnavailable as why:
            return worker.not_run(given, f"Not run: {why}")
        return seen_of(said)

    def _tell(self, title: str, line: str) -> None:
        self.stderr.write(f"{title}{': ' if line else ''}{line}", self.style.NOTICE)


def _given(executable: Path, options: dict[str, Any]) -> Given:
    """Raises Unfit, and CommandError for files that cannot be read."""
    name, version = version_of(executable)
    source = options["source"] or f"{name}/{name}"
    if source.count("/") != 1 or source.rpartition("/")[2] != name:
        raise Unfit(f"The source must be written NAMESPACE/{name}, as the executable is called.")
    texts = {key: text_of(options[key], MOST) for key in ("changed", "refused", "partial")}
    return Given(
        executable, found_terraform() or Path(), source, version, text_of(options["config"], MOST),
        hosts=hosts_of(options["hosts"]), environment=environment_of(text_of(options["env_file"], MOST)), **texts,
    )  # fmt: skip
