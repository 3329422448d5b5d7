"""Command line of the provider acceptance test."""

from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings

from portal.core.cli import build_usage_error, read_text_file
from portal.core.value_types import NamedValues
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.cli import (
    CommandOutput,
    ProgressCallback,
    add_readable_argument,
    check_executable,
    resolve_folders,
)
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
from verification.testruns.rule_results import get_exit_code

HELP = "Plan, create, change and destroy the resources of a configuration with a provider in the sandbox."
MAX_FILE_CHARACTERS = 1_000_000
TIMEOUT_SECONDS = 1800.0


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("executable", type=Path, help="An executable named terraform-provider-NAME_v1.2.3.")
    parser.add_argument("--config", type=Path, required=True, help="The configuration, as main.tf.")
    parser.add_argument("--changed", type=Path, required=True, help="The same configuration with a change in place.")
    parser.add_argument("--refused", type=Path, help="A configuration that the plan must reject.")
    parser.add_argument("--partial", type=Path, help="A configuration whose apply fails after it created something.")
    parser.add_argument("--env-file", type=Path, help="Test credentials, one NAME=value per line. Never printed.")
    parser.add_argument("--hosts", default="", help="Hosts that the provider can reach, separated by commas.")
    parser.add_argument(
        "--source", default="", metavar="NAMESPACE/NAME", help="The provider's source address. Default: NAME/NAME."
    )
    add_readable_argument(parser)
    parser.add_argument(
        "--unsandboxed",
        action="store_true",
        help="Run without a sandbox, with your own permissions. Only for your own providers.",
    )


def run(options: NamedValues, report_progress: ProgressCallback) -> CommandOutput:
    executable = check_executable(options["executable"])
    try:
        records = _run_test(_build_target(executable, options), options, report_progress)
    except (ValueError, client.SandboxProtocolError) as error:
        raise build_usage_error(error) from error
    document = report.build_report(records)
    return CommandOutput(document, report.render_text(records), get_exit_code(document["outcome"]))


def _run_test(
    target: ProviderLifecycleTarget, options: NamedValues, report_progress: ProgressCallback
) -> ProviderLifecycleRecords:
    if not target.terraform.name:
        return worker.build_not_run_records(target, worker.NO_TERRAFORM_MESSAGE)
    if options["unsandboxed"]:
        return worker.run_unsandboxed(
            target, lambda records: report_progress(f"{records.ran[-1].title}: {records.ran[-1].line}")
        )
    try:
        result = client.run_job(
            "lifecycle",
            worker.build_job_input(target, resolve_folders(options["readable"])),
            {"provider": target.executable},
            seconds=TIMEOUT_SECONDS,
            service=settings.SANDBOX_SOCKET,
            report=lambda progress: report_progress(progress["ran"]["title"]),
        )
    except SandboxUnavailable as error:
        return worker.build_not_run_records(target, f"Not run: {error}")
    return load_records(result)


def _build_target(executable: Path, options: NamedValues) -> ProviderLifecycleTarget:
    """Return the target. Raises InvalidConfig, and CommandError for unreadable files."""
    name, version = parse_executable_name(executable)
    source = options["source"] or f"{name}/{name}"
    if source.count("/") != 1 or source.rpartition("/")[2] != name:
        raise InvalidConfig(f"Enter the source as NAMESPACE/{name}, like the executable's name.")
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
