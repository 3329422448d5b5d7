"""Command that runs the run task test on an endpoint."""

import sys
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from portal.core.cli import build_usage_error, read_text_file
from verification.sources.http.client import OutboundClient
from verification.testruns.kinds.run_task import report
from verification.testruns.kinds.run_task.driver import RunTaskTarget, run_test
from verification.testruns.kinds.run_task.local_server import open_callback_server
from verification.testruns.kinds.run_task.protocol import FAILING, PASSING, STAGES
from verification.testruns.kinds.run_task.records import RunTaskLimits, RunTaskRecords

MAX_PLAN_BYTES = 5_000_000  # bytes of a plan
PORT_RANGE = range(65536)


class Command(BaseCommand):
    help = (
        "Send a run task's endpoint the requests of HCP Terraform, receive its results on a local address, and "
        "print a result for each rule. Exit codes: 0 nothing failed, 1 something failed, 2 unknown. Needs no "
        "database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "url", nargs="?", default="", help="The endpoint's URL. Plain HTTP works for this machine only."
        )
        parser.add_argument(
            "--hmac-key-file", type=Path, help="A file with the run task's HMAC key. Default: unsigned requests."
        )
        parser.add_argument("--stages", nargs="+", default=["post_plan"], metavar="STAGE", help=f"of "
                            f"{', '.join(STAGES)}, with spaces or commas between; post_plan if left out")  # fmt: skip
        parser.add_argument("--passing-plan", type=Path, help="The plan of the passing run, as JSON.")
        parser.add_argument("--failing-plan", type=Path, help="The plan of the failing run, as JSON.")
        parser.add_argument("--callback-base", default="", help="our address as the endpoint sees it, where results "
                            "come in through a tunnel or a proxy")  # fmt: skip
        parser.add_argument(
            "--listen", default="127.0.0.1:0", metavar="HOST:PORT", help="The local address that receives results."
        )
        parser.add_argument("--minutes", type=float, default=60, help="Minutes to wait for a result, at most 60.")
        parser.add_argument("--silence", type=float, default=10, metavar="MINUTES", help="how long nothing may be "
                            "heard of a run, at most 10 and at most --minutes")  # fmt: skip
        parser.add_argument("--json", action="store_true", help="Print everything as JSON.")

    def handle(self, *, url: str, **options: Any) -> None:  # type: ignore[override]
        target, (host, _, port) = _build_target(url, options), options["listen"].rpartition(":")
        if not port.isdecimal() or int(port[:6]) not in PORT_RANGE:
            raise build_usage_error("Write --listen as HOST:PORT. For example, 127.0.0.1:8700.")
        try:
            with open_callback_server(target, host or "127.0.0.1", int(port), options["callback_base"]) as receiver:
                records = run_test(target, receiver, OutboundClient(loopback=True), self._report_progress)
        except OSError as error:
            raise build_usage_error(f"Can't listen on {options['listen']}: {error.strerror or error}.") from error
        self.stdout.write(report.render_json(records, url) if options["json"] else report.render_text(records, url))
        if report.get_exit_code(records):
            sys.exit(report.get_exit_code(records))

    def _report_progress(self, records: RunTaskRecords) -> None:
        last = records.exchanges[-1]
        self.stderr.write(f"{last.title}: {last.line}", self.style.NOTICE)


def _build_target(url: str, options: dict[str, Any]) -> RunTaskTarget:
    stages = _parse_stages(options["stages"])
    if not url:
        raise build_usage_error("Enter the endpoint's URL. For example, https://run.acme.io/run-task.")
    end_seconds = max(1.0, min(options["minutes"], 60) * 60)
    passing = replace(PASSING, plan=read_text_file(options["passing_plan"], MAX_PLAN_BYTES) or PASSING.plan)
    failing = replace(FAILING, plan=read_text_file(options["failing_plan"], MAX_PLAN_BYTES) or FAILING.plan)
    silence_seconds = max(1.0, min(options["silence"] * 60, end_seconds, RunTaskLimits().silence_seconds))
    return RunTaskTarget(url, _read_key(options["hmac_key_file"]), stages, {"passing": passing, "failing": failing},
                  RunTaskLimits(end=end_seconds, silence_seconds=silence_seconds))  # fmt: skip


def _parse_stages(arguments: list[str]) -> tuple[str, ...]:
    """The stages in the platform's order. Raises CommandError with what may be meant."""
    words = [word for each in arguments for word in each.split(",") if word]
    address = next((word for word in words if "://" in word), "")
    if address:
        raise build_usage_error(f"{address} was read as a stage: write the address first, or the stages with commas.")
    unknown = [word for word in words if word not in STAGES]
    if unknown or not words:
        problem = f"“{unknown[0]}” is no stage" if unknown else "No stage selected"
        raise build_usage_error(f"{problem}; there are {', '.join(STAGES)}.")
    return tuple(stage for stage in STAGES if stage in words)


def _read_key(path: Path | None) -> str:
    """The key in a file; blank where none is named. An empty file is a slip, not the wish for unsigned requests."""
    key = read_text_file(path, MAX_PLAN_BYTES).strip()
    if path is not None and not key:
        raise build_usage_error(f"{path} is empty. Omit --hmac-key-file to send unsigned requests.")
    return key
