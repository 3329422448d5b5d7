"""Runs the test suites one after the other and prints how each ended. Called by bin/test."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.fakes.github import install
from tests.servers.base import ServerUnavailableError
from tests.servers.run import UNAVAILABLE, start_servers

NO_TESTS = 5  # pytest's exit code for an empty selection
SLOWEST = ("--durations=30", "--durations-min=2")  # said at the end: the whole must stay under ten minutes
WORKERS = str((os.cpu_count() or 1) + 1)  # one more than processors: many tests wait for a server or a process
PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", WORKERS, "--dist", "worksteal", *SLOWEST)


@dataclass(frozen=True, slots=True)
class Suite:
    """A name and the command that runs it."""

    name: str
    command: tuple[str, ...]


ON_SQLITE = Suite("SQLite", (*PYTEST, "-m", "not journey"))
ON_SERVERS = (
    Suite("PostgreSQL and Valkey", (*PYTEST, "-m", "not journey", "--database-only")),
    Suite("journeys", (*PYTEST, "-m", "journey")),
)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a suite ended: counts, seconds, and why it was not run where it was not."""

    suite: Suite
    code: int
    seconds: float = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    not_run: str = ""
    said: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return self.code in (0, NO_TESTS)

    def __str__(self) -> str:
        if self.not_run:
            return f"{self.suite.name:<22} not run: {self.not_run}"
        counts = f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        return f"{self.suite.name:<22} {counts}, {self.seconds:.0f} s" + (f"  ← {self.trouble}" if self.trouble else "")

    @property
    def trouble(self) -> str:
        if self.is_good:
            return ""
        return "look here" if self.failed else f"ended with code {self.code} before its report"


def run(suite: Suite, environment: dict[str, str] | None = None) -> Ending:
    """Run one suite, whose output goes straight to the terminal."""
    missing = os.environ.get("CHROMIUM_MISSING", "")
    if suite.name == "journeys" and missing:
        return Ending(suite, 0, not_run=missing)
    print(f"\n── {suite.name}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        begin = time.monotonic()
        command = [*suite.command, f"--junitxml={report}"]
        code = subprocess.run(command, stdin=subprocess.DEVNULL, env=environment).returncode
        seconds = time.monotonic() - begin
        passed_count, failed, skipped = _counts(report)
        figures = read_figures(report)
    if code == NO_TESTS:
        return Ending(suite, code, not_run="it holds no tests")
    return Ending(suite, code, seconds, passed_count, failed, skipped, said=figures)


def _counts(report: Path) -> tuple[int, int, int]:
    """Passed, failed (errors included) and skipped tests of a JUnit report."""
    if not report.exists():
        return 0, 0, 0
    total = failed = skipped = 0
    for suite in ElementTree.parse(report).iter("testsuite"):
        total += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped += int(suite.get("skipped", 0))
    return total - failed - skipped, failed, skipped


def read_figures(report: Path) -> tuple[str, ...]:
    """The figures that tests had to tell: their properties called "said"."""
    properties = ElementTree.parse(report).iter("property") if report.exists() else ()
    return tuple(str(each.get("value")) for each in properties if each.get("name") == "said")


def run_on_servers() -> list[Ending]:
    """Run the suites that share one PostgreSQL and one Valkey."""
    try:
        with start_servers() as environment:
            return [run(suite, environment) for suite in ON_SERVERS]
    except ServerUnavailableError as reason:
        return [Ending(suite, UNAVAILABLE, not_run=str(reason)) for suite in ON_SERVERS]


def main() -> int:
    """Run all suites. Returns 0 when every one that could run is good."""
    begin = time.monotonic()
    try:
        install.ensure_node_modules()
    except install.Missing as reason:
        print(f"Tests against GitHub are not run: {reason}")
    endings = [run(ON_SQLITE), *run_on_servers()]
    print("\n── all together")
    for ending in endings:
        print(ending)
        for figure in ending.said:
            print(f"{'':<22} {figure}")
    total, failed = sum(e.passed for e in endings), sum(e.failed for e in endings)
    skipped = sum(e.skipped for e in endings)
    print(f"{total} passed, {failed} failed, {skipped} skipped in {time.monotonic() - begin:.0f} s")
    return 0 if total and all(ending.is_good for ending in endings) else 1


if __name__ == "__main__":
    sys.exit(main())
