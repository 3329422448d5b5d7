"""Command that runs the provider acceptance test on a local executable."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from portal.core.cli import build_usage_error, read_text_file
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.kinds.provider_lifecycle import report, worker
from verification.testruns.kinds.provider_lifecycle.config import (
    InvalidConfig,
    ProviderLifecycleTarget,
    parse_environment,
    parse_executable_name,
    parse_hosts,
)
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords, load_records
from verification.testruns.kinds.provider_lifecycle.workspace import find_terraform

MAX_FILE_CHARACTERS = 1_000_000
TIMEOUT_SECONDS = 1800.0


class Command(BaseCommand):
    help = (
        "Plan, create, change and destroy the resources of a configuration with the provider in the sandbox, "
        "and print a result for each rule. Exit codes: 0 nothing failed, 1 something failed, 2 unknown. Needs "
        "no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("executable", type=Path, help="An executable named terraform-provider-NAME_v1.2.3.")
        parser.add_argument("--config", type=Path, required=True, help="The configuration, as main.tf.")
        parser.add_argument(
            "--changed", type=Path, required=True, help="The same configuration with a change in place."
        )
        parser.add_argument("--refused", type=Path, help="A configuration that the plan must reject.")
        parser.add_argument(
            "--partial", type=Path, help="A configuration whose apply fails after it created something."
        )
        parser.add_argument("--env-file", type=Path, help="Test credentials, one NAME=value per line. Never printed.")
        parser.add_argument("--hosts", default="", help="Hosts that the provider can reach, separated by commas.")
        parser.add_argument(
            "--source", default="", metavar="NAMESPACE/NAME", help="The provider's source address. Default: NAME/NAME."
        )
        parser.add_argument(
            "--readable",
            type=Path,
            action="append",
            default=[],
            metavar="FOLDER",
            help="A folder that the provider can read, for providers that are scripts.",
        )
        parser.add_argument(
            "--unsandboxed",
            action="store_true",
            help=("Run without a sandbox, with your own permissions. Only for your own providers."),
        )
        parser.add_argument("--json", action="store_true", help="Print everything as JSON.")

    def handle(self, *, executable: Path, **options: Any) -> None:  # type: ignore[override]
        if not executable.is_file():
            raise build_usage_error(f"{executable} isn't a file.")
        try:
            target = _build_target(executable.resolve(), options)
            records = self._run_test(target, options)
        except (ValueError, client.SandboxProtocolError) as error:
            raise build_usage_error(error) from error
        self.stdout.write(report.render_json(records) if options["json"] else report.render_text(records))
        if report.get_exit_code(records):
            sys.exit(report.get_exit_code(records))

    def _run_test(self, target: ProviderLifecycleTarget, options: dict[str, Any]) -> ProviderLifecycleRecords:
        if not target.terraform.name:
            return worker.build_not_run_records(target, worker.NO_TERRAFORM_MESSAGE)
        if options["unsandboxed"]:
            return worker.run_unsandboxed(
                target, lambda records: self._report_progress(records.ran[-1].title, records.ran[-1].line)
            )
        readable = tuple(path.resolve() for path in options["readable"])
        try:
            result = client.run_job(
                "lifecycle",
                worker.build_job_input(target, readable),
                {"provider": target.executable},
                seconds=TIMEOUT_SECONDS,
                service=settings.SANDBOX_SOCKET,
                report=lambda progress: self._report_progress(progress["ran"]["title"], ""),
            )
        except SandboxUnavailable as error:
            return worker.build_not_run_records(target, f"Not run: {error}")
        return load_records(result)

    def _report_progress(self, title: str, line: str) -> None:
        self.stderr.write(f"{title}{': ' if line else ''}{line}", self.style.NOTICE)


def _build_target(executable: Path, options: dict[str, Any]) -> ProviderLifecycleTarget:
    """Raises Unfit, and CommandError for files that cannot be read."""
    name, version = parse_executable_name(executable)
    source = options["source"] or f"{name}/{name}"
    if source.count("/") != 1 or source.rpartition("/")[2] != name:
        raise InvalidConfig(f"The source must be written NAMESPACE/{name}, as the executable is called.")
    texts = {key: read_text_file(options[key], MAX_FILE_CHARACTERS) for key in ("changed", "refused", "partial")}
    return ProviderLifecycleTarget(
        executable,
        find_terraform() or Path(),
        source,
        version,
        read_text_file(options["config"], MAX_FILE_CHARACTERS),
        hosts=parse_hosts(options["hosts"]),
        environment=parse_environment(read_text_file(options["env_file"], MAX_FILE_CHARACTERS)),
        **texts,
    )
