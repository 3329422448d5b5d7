"""`manage.py rehearse_run_task URL`: play HCP Terraform to a run task's endpoint, and say what it does about it."""

import sys
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from portal.core.cli import text_of, unusable
from verification.sources.http.client import Outbound
from verification.testruns.kinds.run_task import report
from verification.testruns.kinds.run_task.driver import Target, play
from verification.testruns.kinds.run_task.local_server import listening
from verification.testruns.kinds.run_task.protocol import FAILING, PASSING, STAGES
from verification.testruns.kinds.run_task.records import Limits, Seen

MOST = 5_000_000  # bytes of a plan
PORTS = range(65536)


class Command(BaseCommand):
    help = (
        "Sends a run task's endpoint what HCP Terraform would send, takes its results on an address of its own, and "
        "gives a verdict for each rule. Ends with 0 where nothing fails, 1 where something does, 2 where we could "
        "not tell. Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "url", nargs="?", default="", help="the endpoint's address; plain http for this machine only"
        )
        parser.add_argument("--hmac-key-file", type=Path, help="a file with the run task's HMAC key; else unsigned")
        parser.add_argument("--stages", nargs="+", default=["post_plan"], metavar="STAGE", help=f"of "
                            f"{', '.join(STAGES)}, with spaces or commas between; post_plan if left out")  # fmt: skip
        parser.add_argument("--passing-plan", type=Path, help="plan JSON of the run that is to pass")
        parser.add_argument("--failing-plan", type=Path, help="plan JSON of the run that is to fail")
        parser.add_argument("--callback-base", default="", help="our address as the endpoint sees it, where results "
                            "come in through a tunnel or a proxy")  # fmt: skip
        parser.add_argument("--listen", default="127.0.0.1:0", metavar="HOST:PORT", help="where we listen for results")
        parser.add_argument("--minutes", type=float, default=60, help="how long a result is waited for, at most 60")
        parser.add_argument("--silence", type=float, default=10, metavar="MINUTES", help="how long nothing may be "
                            "heard of a run, at most 10 and at most --minutes")  # fmt: skip
        parser.add_argument("--json", action="store_true", help="everything, as JSON")

    def handle(self, *, url: str, **options: Any) -> None:  # type: ignore[override]
        target, (host, _, port) = _target(url, options), options["listen"].rpartition(":")
        if not port.isdecimal() or int(port[:6]) not in PORTS:
            raise unusable("Write --listen as HOST:PORT, such as 127.0.0.1:8700.")
        try:
            with listening(target, host or "127.0.0.1", int(port), options["callback_base"]) as place:
                seen = play(target, place, Outbound(loopback=True), self._tell)
        except OSError as error:
            raise unusable(f"We cannot listen on {options['listen']}: {error.strerror or error}.") from error
        self.stdout.write(report.as_json(seen, url) if options["json"] else report.as_text(seen, url))
        if report.exit_code(seen):
            sys.exit(report.exit_code(seen))

    def _tell(self, seen: Seen) -> None:
        last = seen.exchanges[-1]
        self.stderr.write(f"{last.title}: {last.line}", self.style.NOTICE)


def _target(url: str, options: dict[str, Any]) -> Target:
    stages = _stages(options["stages"])
    if not url:
        raise unusable("Give the endpoint's address, such as https://run.acme.io/run-task.")
    end = max(1.0, min(options["minutes"], 60) * 60)
    passing = replace(PASSING, plan=text_of(options["passing_plan"], MOST) or PASSING.plan)
    failing = replace(FAILING, plan=text_of(options["failing_plan"], MOST) or FAILING.plan)
    silence = max(1.0, min(options["silence"] * 60, end, Limits().silence))
    return Target(url, _key(options["hmac_key_file"]), stages, {"passing": passing, "failing": failing},
                  Limits(end=end, silence=silence))  # fmt: skip


def _stages(given: list[str]) -> tuple[str, ...]:
    """The stages in the platform's order. Raises CommandError with what may be meant."""
    words = [word for each in given for word in each.split(",") if word]
    address = next((word for word in words if "://" in word), "")
    if address:
        raise unusable(f"{address} was read as a stage: write the address first, or the stages with commas.")
    unknown = [word for word in words if word not in STAGES]
    if unknown or not words:
        named = f"“{unknown[0]}” is no stage" if unknown else "No stage is named"
        raise unusable(f"{named}; there are {', '.join(STAGES)}.")
    return tuple(stage for stage in STAGES if stage in words)


def _key(path: Path | None) -> str:
    """The key in a file; blank where none is named. An empty file is a slip, not the wish for unsigned requests."""
    key = text_of(path, MOST).strip()
    if path is not None and not key:
        raise unusable(f"{path} holds no key. Leave --hmac-key-file out to send unsigned requests.")
    return key
