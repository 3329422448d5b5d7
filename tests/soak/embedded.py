"""Run bin/up for many minutes while its processes are killed, and count what went wrong.

    bin/soak --embedded                           60 minutes
    bin/soak --embedded --minutes 3 --seed 7      a shorter run with reproducible kills
    bin/soak --embedded --without-broker          as on a platform without a broker

The data folder contains damaged broker files at the start. Helper processes are killed with SIGKILL at random times
while pages are requested. The web process is not killed, because it answers the requests.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from portal.runtime.valkey import find_server
from tests.soak.embedded_portal import Portal, measure_memory_mb
from tests.soak.pages import PageReader
from tests.soak.periodic_runs import PeriodicRunLog, RunSummary

JOB_PROCESSES = {"worker", "run_jobs"}  # killing these interrupts jobs
LEASE_TAKEN_MESSAGE = "ended after its next run had started"  # logged by a process whose run another one replaced
SECONDS_WITHOUT_KILLS = 90.0  # without kills at the end, so that all helpers are running again
KILL_EVERY = (10.0, 30.0)  # seconds between two kills, uniformly distributed
# Longer than a busy machine takes, because these limits only find hangs. The figures show the actual times.
READY_SECONDS = 1800.0
RESTART_SECONDS = 300.0
RECOVERY_SECONDS = 300.0
STOP_SECONDS = 30.0


@dataclass
class Outcome:
    """Figures and failures of a run."""

    figures: dict[str, object] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def expect(self, is_met: bool, failure: str) -> None:
        if not is_met:
            self.failures.append(failure)


def write_damaged_files(folder: Path, draw: random.Random) -> None:
    """Write files as an interrupted broker could leave them: an empty message, and a random dump and schedule."""
    for name, content in (
        ("queue/messages/1_x.celery.msg", b""),
        ("valkey/dump.rdb", b"REDIS0011" + draw.randbytes(4000)),
        ("beat", draw.randbytes(4000)),
    ):
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(content)


@dataclass(frozen=True, slots=True)
class Kill:
    """Kill of a helper."""

    name: str
    killed_at: datetime


class Killer:
    """Kills helpers, each equally often, in an order that depends on the seed."""

    def __init__(self, portal: Portal, draw: random.Random) -> None:
        self.portal = portal
        self.draw = draw
        self.kills: list[Kill] = []
        self.restart_seconds: list[float] = []
        self.missing: list[str] = []  # helpers that did not run when their kill was due
        self.waiting: list[str] = []

    @property
    def counts(self) -> dict[str, int]:
        """Return how often each helper was killed."""
        return {name: sum(kill.name == name for kill in self.kills) for name in self.portal.titles}

    def run(self, until: float) -> None:
        begin = time.monotonic()
        while True:
            pause = self.draw.uniform(*KILL_EVERY)
            if time.monotonic() + pause > until:
                return
            time.sleep(pause)
            if not self.waiting:
                self.waiting = self.draw.sample(list(self.portal.titles), len(self.portal.titles))
            name = self.waiting.pop()
            pid = self.portal.list_helpers().get(name)
            print(f"{time.monotonic() - begin:6.0f} s  SIGKILL {name} ({pid or 'not running'})", flush=True)
            if pid is None:
                self.missing.append(name)
                continue
            if name == "broker":
                write_damaged_files(self.portal.folder, self.draw)
            self.kills.append(Kill(name, datetime.now(UTC)))
            os.kill(pid, signal.SIGKILL)
            self._wait_for_restart(name, pid)

    def _wait_for_restart(self, name: str, killed_pid: int) -> None:
        begin = time.monotonic()
        while time.monotonic() - begin < RESTART_SECONDS:
            if self.portal.list_helpers().get(name, killed_pid) != killed_pid:
                self.restart_seconds.append(time.monotonic() - begin)
                return
            time.sleep(0.1)


def wait_until_ready(portal: Portal, reader: PageReader) -> float:
    begin = time.monotonic()
    while time.monotonic() - begin < READY_SECONDS and portal.process.poll() is None:
        if reader.fetch_status("/healthz") == 200 and portal.list_helpers().keys() == portal.titles.keys():
            return time.monotonic() - begin
        time.sleep(0.2)
    portal.log.seek(0)
    sys.exit(f"The portal did not become ready; it printed:\n{portal.log.read()[-3000:]}")


def soak(minutes: float, draw: random.Random, folder: Path, *, has_broker: bool) -> Outcome:
    """Run the portal for a number of minutes and count failures."""
    outcome = Outcome()
    data = folder / "data"
    write_damaged_files(data, draw)
    portal = Portal(data, has_broker=has_broker)
    try:
        reader = PageReader(portal.url)
        outcome.figures["seconds until ready"] = round(wait_until_ready(portal, reader), 1)
        runs = PeriodicRunLog(data / "portal.sqlite3")
        reader.sign_in()
        memory = measure_memory_mb(portal.process.pid)
        stop = threading.Event()
        load = threading.Thread(target=reader.run, args=(stop,))
        load.start()
        killer = Killer(portal, draw)
        begin = time.monotonic()
        killer.run(begin + minutes * 60)
        time.sleep(max(0.0, begin + minutes * 60 - time.monotonic()))
        time.sleep(SECONDS_WITHOUT_KILLS)
        stop.set()
        load.join()
        outcome.figures["kills"] = killer.counts
        outcome.figures["slowest restart, s"] = round(max(killer.restart_seconds, default=0), 1)
        outcome.figures["memory at the start and at the end, MB"] = [
            round(memory),
            round(measure_memory_mb(portal.process.pid)),
        ]
        examine(outcome, portal, reader, runs, killer)
    finally:
        seconds = portal.stop()
    outcome.figures["seconds to stop"] = round(seconds, 1)
    outcome.expect(seconds < STOP_SECONDS, f"Ctrl-C took {seconds:.1f} s")
    outcome.expect(portal.process.returncode == 0, f"bin/up ended with {portal.process.returncode}")
    time.sleep(1)
    outcome.expect(not portal.list_orphans(), f"processes are left: {portal.list_orphans()}")
    count_lines(outcome, portal)
    return outcome


def count_lines(outcome: Outcome, portal: Portal) -> None:
    """Count the messages of bin/up."""
    portal.log.seek(0)
    lines = portal.log.readlines()
    outcome.figures["tracebacks printed"] = sum("Traceback" in line for line in lines)
    replaced_runs = [line.strip() for line in lines if LEASE_TAKEN_MESSAGE in line]
    outcome.expect(not replaced_runs, f"still running after the next run began: {replaced_runs[:5]}")


def examine(outcome: Outcome, portal: Portal, reader: PageReader, runs: PeriodicRunLog, killer: Killer) -> None:
    """Compare the state at the end with the expected one."""
    running = portal.list_helpers()
    outcome.figures["requests"] = reader.count
    outcome.figures["requests failed"] = len(reader.failures)
    outcome.figures["response time p50, p99 and slowest, ms"] = reader.percentiles()
    outcome.expect(not reader.failures, f"{len(reader.failures)} requests failed, first {reader.failures[:5]}")
    missing = sorted(portal.titles.keys() - running.keys())
    outcome.expect(not missing, f"not running: {missing}")
    outcome.expect(not killer.missing, f"not running when their kill was due: {killer.missing}")
    outcome.expect(
        len(killer.kills) == len(killer.restart_seconds), f"a restart took more than {RESTART_SECONDS:.0f} s"
    )
    outcome.expect(wait_for_recovery(reader), f"/healthz?background says {reader.fetch_text('/healthz')}")
    answers = {path: reader.fetch_status(path) for path in reader.paths}
    outcome.expect(set(answers.values()) == {200}, f"pages answer {answers}")
    examine_runs(outcome, runs.summarize(), killer.kills)


def wait_for_recovery(reader: PageReader) -> bool:
    """Wait until background work is on time. Return whether it was within RECOVERY_SECONDS."""
    until = time.monotonic() + RECOVERY_SECONDS
    while reader.fetch_status("/healthz?background") != 200:
        if time.monotonic() > until:
            return False
        time.sleep(1)
    return True


def examine_runs(outcome: Outcome, summary: RunSummary, kills: Sequence[Kill]) -> None:
    """Expect no periodic job to have run twice, and every run that did not end to match a kill."""
    unmatched = summary.find_unmatched(kill.killed_at for kill in kills if kill.name in JOB_PROCESSES)
    outcome.figures["periodic jobs run"] = summary.runs
    outcome.figures["periodic jobs run by job"] = summary.by_job
    outcome.figures["runs that ended"] = summary.ends
    outcome.figures["runs interrupted by a kill"] = len(summary.interrupted_runs) - len(unmatched)
    outcome.figures["periodic jobs run twice"] = len(summary.doubles)
    outcome.expect(not unmatched, f"interrupted without a kill: {unmatched[:5]}")
    outcome.expect(not summary.doubles, f"run twice: {summary.doubles[:5]}")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="bin/soak --embedded", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60, help="duration of the kills")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="seed of the kills")
    parser.add_argument("--keep-log", type=Path, help="copy what bin/up printed to this file")
    parser.add_argument("--without-broker", action="store_true", help="hide the broker from bin/up")
    arguments = parser.parse_args()
    has_broker = find_server() is not None and not arguments.without_broker
    broker = "with" if has_broker else "without"
    print(f"{arguments.minutes:g} minutes, seed {arguments.seed}, {broker} a broker", flush=True)
    with tempfile.TemporaryDirectory(prefix="portal-soak-") as folder:
        outcome = soak(arguments.minutes, random.Random(arguments.seed), Path(folder), has_broker=has_broker)
        if arguments.keep_log:
            shutil.copy(Path(folder) / "up.log", arguments.keep_log)
    for name, value in outcome.figures.items():
        print(f"{name}: {value}")
    for failure in outcome.failures:
        print(f"FAILED: {failure}")
    print("failed" if outcome.failures else "passed")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
