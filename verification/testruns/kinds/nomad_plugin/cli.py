"""Command line of the Nomad plugin test."""

from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings

from portal.core.cli import build_usage_error, read_text_file
from portal.core.value_types import JsonObject, NamedValues
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.testruns.cli import (
    CommandOutput,
    ProgressCallback,
    add_readable_argument,
    check_executable,
    resolve_folders,
)
from verification.testruns.kinds.nomad_plugin import report, worker
from verification.testruns.kinds.nomad_plugin.config import MAX_CONFIG_CHARACTERS, parse_config
from verification.testruns.kinds.nomad_plugin.driver import NomadPluginTarget
from verification.testruns.kinds.nomad_plugin.records import PLUGIN_TYPE_NUMBERS, NomadPluginRecords, load_records
from verification.testruns.rule_results import get_exit_code

HELP = "Call a Nomad plugin in the sandbox as Nomad's agent does."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("executable", type=Path)
    parser.add_argument("--type", choices=sorted(PLUGIN_TYPE_NUMBERS), required=True, help="The submitted plugin type.")
    parser.add_argument("--name", default="", help="The expected plugin name.")
    parser.add_argument("--version", default="", help="The released version. For example, 1.4.0.")
    parser.add_argument("--config", type=Path, help="The plugin's configuration as a JSON object.")
    add_readable_argument(parser)


def run(options: NamedValues, report_progress: ProgressCallback) -> CommandOutput:
    executable = check_executable(options["executable"])
    try:
        config = parse_config(read_text_file(options["config"], MAX_CONFIG_CHARACTERS))
        readable = resolve_folders(options["readable"])
        target = NomadPluginTarget(executable, options["type"], options["name"], options["version"], config, readable)
        records = _run_in_sandbox(target, report_progress)
    except (ValueError, client.SandboxProtocolError) as error:
        raise build_usage_error(error) from error
    document = report.build_report(records)
    return CommandOutput(document, report.render_text(records), get_exit_code(document["outcome"]))


def _run_in_sandbox(target: NomadPluginTarget, report_progress: ProgressCallback) -> NomadPluginRecords:
    def report_call(progress: JsonObject) -> None:
        calls = progress["seen"]["asked"]
        if calls and not progress["seen"]["over"]:
            report_progress(f"{calls[-1]['title']}: {calls[-1]['came']}")

    job_input, files = worker.build_job_input(target), {"plugin": target.executable}
    try:
        result = client.run_job("nomad", job_input, files, service=settings.SANDBOX_SOCKET, report=report_call)
    except SandboxUnavailable as error:
        return worker.build_not_run_records(target, f"Not run: {error}")
    return load_records(result)
