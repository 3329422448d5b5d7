"""Run bin/up for many minutes while its processes are killed, and count what went wrong.

    bin/soak --embedded                           60 minutes
    bin/soak --embedded --minutes 3 --seed 7      fewer, with the same kills again

Torn broker files lie in the data folder from the beginning. Every helper process is killed with SIGKILL at random,
over and over, while pages are requested. Only the web process is spared: it answers the requests.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers.base import free_port
from tests.soak.pages import PageReader
from tests.soak.periodic_runs import PeriodicRunLog

ROOT = Path(__file__).resolve().parents[2]
HELPERS = {"broker": "valkey-server"} | {name: f"portal-{name}" for name in ("worker", "beat", "sweep", "demo")}
READY_SECONDS = 300.0
CALM_SECONDS = 90.0  # without kills at the end, so that what was killed last is back
KILL_EVERY = (10.0, 30.0)  # seconds between two kills, drawn evenly
STOP_SECONDS = 5.0


@dataclass
class Outcome:
    """What was counted, and every expectation that was not met."""

    figures: dict[str, object] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def expect(self, is_met: bool, failure: str) -> None:
        if not is_met:
            self.failures.append(failure)


class Portal:
    """bin/up on a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        environment = os.environ | {"PORTAL_DATA": str(folder), "PORT": str(self.port)}
        self.log = (folder.parent / "up.log").open("w+")
        self.process = subprocess.Popen(
            ["bin/up"], cwd=ROOT, env=environment, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def helpers(self) -> dict[str, int]:
        """The process id of each helper that runs, by its name."""
        found = {}
        for pid in children_of(self.process.pid):
            found |= {name: pid for name, title in HELPERS.items() if title == process_name(pid)}
        return found

    def stop(self) -> float:
        """Press Ctrl-C. Returns the seconds until bin/up has ended."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return time.monotonic() - begin

    def orphans(self) -> list[int]:
        """Processes of this portal that still run."""
        return [pid for pid in all_pids() if f"PORTAL_DATA={self.folder}\0" in environment_of(pid)]


def all_pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")]


def children_of(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def process_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def environment_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return ""


def memory_mb(pid: int) -> float:
    """Memory of a process and of those it started, in MB; what they share counts once."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        text = ""
    kilobytes = re.search(r"^Pss:\s+(\d+) kB$", text, re.MULTILINE)
    return (int(kilobytes[1]) * 1024 / 1e6 if kilobytes else 0) + sum(memory_mb(child) for child in children_of(pid))


def plant_torn_files(folder: Path, draw: random.Random) -> None:
    """Write what a broker that was cut off could leave: an empty message, and a dump and a schedule of random bytes."""
    for name, content in (
        ("queue/messages/1_x.celery.msg", b""),
        ("valkey/dump.rdb", b"REDIS0011" + draw.randbytes(4000)),
        ("beat", draw.randbytes(4000)),
    ):
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(content)


class Killer:
    """Kills one helper after the other, each as often as the others, in an order that the seed decides."""

    def __init__(self, portal: Portal, draw: random.Random) -> None:
        self.portal, self.draw = portal, draw
        self.counts = dict.fromkeys(HELPERS, 0)
        self.restart_seconds: list[float] = []
        self.waiting: list[str] = []

    def run(self, until: float) -> None:
        begin = time.monotonic()
        while True:
            pause = self.draw.uniform(*KILL_EVERY)
            if time.monotonic() + pause > until:
                return
            time.sleep(pause)
            if not self.waiting:
                self.waiting = self.draw.sample(list(HELPERS), len(HELPERS))
            name = self.waiting.pop()
            pid = self.portal.helpers().get(name)
            print(f"{time.monotonic() - begin:6.0f} s  SIGKILL {name} ({pid or 'not running'})", flush=True)
            if pid is not None:
                if name == "broker":
                    plant_torn_files(self.portal.folder, self.draw)
                os.kill(pid, signal.SIGKILL)
                self.counts[name] += 1
                self._wait_for_restart(name, pid)

    def _wait_for_restart(self, name: str, killed: int) -> None:
        begin = time.monotonic()
        while time.monotonic() - begin < 60:
            if self.portal.helpers().get(name, killed) != killed:
                self.restart_seconds.append(time.monotonic() - begin)
                return
            time.sleep(0.1)


def wait_until_ready(portal: Portal, reader: PageReader) -> float:
    begin = time.monotonic()
    while time.monotonic() - begin < READY_SECONDS and portal.process.poll() is None:
        if reader.status("/healthz") == 200 and len(portal.helpers()) == len(HELPERS):
            return time.monotonic() - begin
        time.sleep(0.2)
    portal.log.seek(0)
    sys.exit(f"The portal did not become ready; it printed:\n{portal.log.read()[-3000:]}")


def soak(minutes: float, draw: random.Random, folder: Path) -> Outcome:
    """Run the portal for so many minutes and count."""
    outcome = Outcome()
    data = folder / "data"
    plant_torn_files(data, draw)
    portal = Portal(data)
    try:
        reader = PageReader(portal.url)
        outcome.figures["seconds until ready"] = round(wait_until_ready(portal, reader), 1)
        runs = PeriodicRunLog(data / "portal.sqlite3")
        reader.sign_in()
        memory = memory_mb(portal.process.pid)
        stop = threading.Event()
        load = threading.Thread(target=reader.run, args=(stop,))
        load.start()
        killer = Killer(portal, draw)
        begin = time.monotonic()
        killer.run(begin + minutes * 60)
        time.sleep(max(0.0, begin + minutes * 60 - time.monotonic()))
        time.sleep(CALM_SECONDS)
        stop.set()
        load.join()
        outcome.figures["kills"] = killer.counts
        outcome.figures["slowest restart, s"] = round(max(killer.restart_seconds, default=0), 1)
        outcome.figures["memory at the start and at the end, MB"] = [
            round(memory),
            round(memory_mb(portal.process.pid)),
        ]
        examine(outcome, portal, reader, runs, killer)
    finally:
        seconds = portal.stop()
    outcome.figures["seconds to stop"] = round(seconds, 1)
    outcome.expect(seconds < STOP_SECONDS, f"Ctrl-C took {seconds:.1f} s")
    outcome.expect(portal.process.returncode == 0, f"bin/up ended with {portal.process.returncode}")
    time.sleep(1)
    outcome.expect(not portal.orphans(), f"processes are left: {portal.orphans()}")
    portal.log.seek(0)
    errors = [line for line in portal.log if "Traceback" in line]
    outcome.figures["tracebacks printed"] = len(errors)
    return outcome


def examine(outcome: Outcome, portal: Portal, reader: PageReader, runs: PeriodicRunLog, killer: Killer) -> None:
    """Compare what is there at the end with what should be."""
    running = portal.helpers()
    outcome.figures["requests"] = reader.count
    outcome.figures["requests failed"] = len(reader.failures)
    outcome.figures["response time p50, p99 and slowest, ms"] = reader.percentiles()
    outcome.expect(not reader.failures, f"{len(reader.failures)} requests failed, first {reader.failures[:5]}")
    outcome.expect(set(running) == set(HELPERS), f"not running: {sorted(set(HELPERS) - set(running))}")
    outcome.expect(
        all(count == len(killer.restart_seconds) for count in [sum(killer.counts.values())]), "a restart took a minute"
    )
    outcome.expect(reader.status("/healthz?background") == 200, f"/healthz?background says {reader.text('/healthz')}")
    answers = {path: reader.status(path) for path in reader.paths}
    outcome.expect(set(answers.values()) == {200}, f"pages answer {answers}")
    counted = runs.count()
    outcome.figures["periodic jobs run"] = counted.runs
    outcome.figures["periodic jobs run by job"] = counted.by_job
    outcome.figures["runs cut off by a kill"] = counted.cut_off
    outcome.figures["periodic jobs run twice"] = len(counted.doubles)
    outcome.expect(not counted.doubles, f"run twice: {counted.doubles[:5]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep-log", type=Path, help="copy what bin/up printed to this file")
    asked = parser.parse_args()
    print(f"{asked.minutes:g} minutes, seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="portal-soak-") as folder:
        outcome = soak(asked.minutes, random.Random(asked.seed), Path(folder))
        if asked.keep_log:
            shutil.copy(Path(folder) / "up.log", asked.keep_log)
    for name, value in outcome.figures.items():
        print(f"{name}: {value}")
    for failure in outcome.failures:
        print(f"FAILED: {failure}")
    print("failed" if outcome.failures else "passed")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
