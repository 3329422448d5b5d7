"""Command line of the run task test."""

from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path

from portal.core.cli import build_usage_error, read_text_file
from portal.core.value_types import NamedValues
from verification.sources.http.client import OutboundClient
from verification.testruns.cli import CommandOutput, ProgressCallback
from verification.testruns.kinds.run_task import report
from verification.testruns.kinds.run_task.driver import RunTaskTarget, run_test
from verification.testruns.kinds.run_task.local_server import open_callback_server
from verification.testruns.kinds.run_task.protocol import FAILING, PASSING, STAGES
from verification.testruns.kinds.run_task.records import RunTaskLimits, RunTaskRecords
from verification.testruns.rule_results import get_exit_code

HELP = "Send a run task's endpoint the requests of HCP Terraform, and receive its results on a local address."
MAX_PLAN_BYTES = 5_000_000
PORT_RANGE = range(65536)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "url", nargs="?", default="", help="The endpoint's URL. Plain HTTP works for this machine only."
    )
    parser.add_argument(
        "--hmac-key-file", type=Path, help="A file with the run task's HMAC key. Default: unsigned requests."
    )
    parser.add_argument(
        "--stages",
        nargs="+",
        default=["post_plan"],
        metavar="STAGE",
        help=f"Stages: {', '.join(STAGES)}. Separate them with spaces or commas. Default: post_plan.",
    )
    parser.add_argument("--passing-plan", type=Path, help="The plan of the passing run, as JSON.")
    parser.add_argument("--failing-plan", type=Path, help="The plan of the failing run, as JSON.")
    parser.add_argument(
        "--callback-base",
        default="",
        help="Our URL as the endpoint sees it, if results arrive through a tunnel or a proxy.",
    )
    parser.add_argument(
        "--listen", default="127.0.0.1:0", metavar="HOST:PORT", help="The local address that receives results."
    )
    parser.add_argument("--minutes", type=float, default=60, help="Minutes to wait for a result, at most 60.")
    parser.add_argument(
        "--silence",
        type=float,
        default=10,
        metavar="MINUTES",
        help="Minutes without an update that are allowed, at most 10 and at most --minutes.",
    )


def run(options: NamedValues, report_progress: ProgressCallback) -> CommandOutput:
    def report_exchange(records: RunTaskRecords) -> None:
        report_progress(f"{records.exchanges[-1].title}: {records.exchanges[-1].line}")

    url = options["url"]
    target, (host, _, port) = _build_target(url, options), options["listen"].rpartition(":")
    if not port.isdecimal() or int(port[:6]) not in PORT_RANGE:
        raise build_usage_error("Write --listen as HOST:PORT. For example, 127.0.0.1:8700.")
    try:
        with open_callback_server(target, host or "127.0.0.1", int(port), options["callback_base"]) as receiver:
            records = run_test(target, receiver, OutboundClient(loopback=True), report_exchange)
    except OSError as error:
        raise build_usage_error(f"Can't listen on {options['listen']}: {error.strerror or error}.") from error
    document = report.build_report(records, url)
    return CommandOutput(document, report.render_text(records, url), get_exit_code(document["outcome"]))


def _build_target(url: str, options: NamedValues) -> RunTaskTarget:
    stages = _parse_stages(options["stages"])
    if not url:
        raise build_usage_error("Enter the endpoint's URL. For example, https://run.acme.io/run-task.")
    end_seconds = max(1.0, min(options["minutes"], 60) * 60)
    silence_seconds = max(1.0, min(options["silence"] * 60, end_seconds, RunTaskLimits().silence_seconds))
    scenarios = {
        "passing": replace(PASSING, plan=read_text_file(options["passing_plan"], MAX_PLAN_BYTES) or PASSING.plan),
        "failing": replace(FAILING, plan=read_text_file(options["failing_plan"], MAX_PLAN_BYTES) or FAILING.plan),
    }
    limits = RunTaskLimits(end=end_seconds, silence_seconds=silence_seconds)
    return RunTaskTarget(url, _read_key(options["hmac_key_file"]), stages, scenarios, limits)


def _parse_stages(arguments: list[str]) -> tuple[str, ...]:
    """Return the stages in the platform's order. Raises CommandError."""
    words = [word for each in arguments for word in each.split(",") if word]
    url = next((word for word in words if "://" in word), "")
    if url:
        raise build_usage_error(f"{url} was read as a stage. Write the URL first, or separate the stages with commas.")
    unknown = [word for word in words if word not in STAGES]
    if unknown or not words:
        problem = f"“{unknown[0]}” isn't a stage" if unknown else "No stage selected"
        raise build_usage_error(f"{problem}. The stages are {', '.join(STAGES)}.")
    return tuple(stage for stage in STAGES if stage in words)


def _read_key(path: Path | None) -> str:
    """Return the key in a file, blank without a file. An empty file is an error."""
    key = read_text_file(path, MAX_PLAN_BYTES).strip()
    if path is not None and not key:
        raise build_usage_error(f"{path} is empty. Omit --hmac-key-file to send unsigned requests.")
    return key
