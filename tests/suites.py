"""Runs the test suites and prints their results. Called by bin/test.

SQLite's suite runs beside those that need servers, because each alone leaves processors idle: while it starts, at its
end, and while a browser waits for a page. The output of each is printed as a whole.
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree

from tests.fakes.github import install
from tests.servers.base import ServerUnavailableError
from tests.servers.run import UNAVAILABLE, start_servers
from tests.servers.template import ensure_template

FIGURE_PROPERTY = "figure"  # name of the property with which a test adds a figure to the summary
NO_TESTS = 5  # pytest's exit code for an empty selection
SLOWEST = ("--durations=30", "--durations-min=2")  # listed at the end: all suites together must stay under ten minutes
# Two suites run at once, each with one process more than its half of the processors: many tests wait for a server.
WORKERS = str((os.cpu_count() or 1) // 2 + 1)
PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", WORKERS, "--dist", "worksteal", *SLOWEST)


@dataclass(frozen=True, slots=True)
class Suite:
    """A name and the command that runs it."""

    name: str
    command: tuple[str, ...]

    def extend(self, *arguments: str) -> "Suite":
        """Return the suite with further arguments."""
        return replace(self, command=(*self.command, *arguments))


ON_SQLITE = Suite("SQLite", (*PYTEST, "-m", "not journey"))
ON_POSTGRES = Suite("PostgreSQL and Valkey", (*PYTEST, "-m", "not journey", "--database-only"))
# Named by its folder, because collecting the other tests takes each process five seconds
JOURNEYS = Suite("journeys", (*PYTEST, "tests/journeys"))


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """Result of a suite: exit code, counts, and seconds, or why it was not run."""

    suite: Suite
    code: int
    seconds: float = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    not_run: str = ""
    figures: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return self.code in (0, NO_TESTS)

    def __str__(self) -> str:
        if self.not_run:
            return f"{self.suite.name:<22} not run: {self.not_run}"
        counts = f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        return f"{self.suite.name:<22} {counts}, {self.seconds:.0f} s" + (f"  ← {self.problem}" if self.problem else "")

    @property
    def problem(self) -> str:
        if self.is_good:
            return ""
        return "failed" if self.failed else f"ended with code {self.code} before its report"


def run(suite: Suite, output: TextIO, environment: dict[str, str] | None = None) -> SuiteResult:
    """Run one suite, which writes to `output`."""
    missing = os.environ.get("CHROMIUM_MISSING", "")
    if suite.name == "journeys" and missing:
        return SuiteResult(suite, 0, not_run=missing)
    print(f"\n── {suite.name}", file=output, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        begin = time.monotonic()
        command = [*suite.command, f"--junitxml={report}"]
        code = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment
        ).returncode
        seconds = time.monotonic() - begin
        passed_count, failed, skipped = _count_tests(report)
        figures = read_figures(report)
    if code == NO_TESTS:
        return SuiteResult(suite, code, not_run="it holds no tests")
    return SuiteResult(suite, code, seconds, passed_count, failed, skipped, figures=figures)


def _count_tests(report: Path) -> tuple[int, int, int]:
    """Return the passed, failed (including errors), and skipped tests of a JUnit report."""
    if not report.exists():
        return 0, 0, 0
    total = failed = skipped = 0
    for suite in ElementTree.parse(report).iter("testsuite"):
        total += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped += int(suite.get("skipped", 0))
    return total - failed - skipped, failed, skipped


def read_figures(report: Path) -> tuple[str, ...]:
    """Return the figures that tests recorded as properties."""
    properties = ElementTree.parse(report).iter("property") if report.exists() else ()
    return tuple(str(each.get("value")) for each in properties if each.get("name") == FIGURE_PROPERTY)


def write_at_once(path: Path, text: str) -> None:
    """Write a file so that readers see it whole or not at all."""
    own_file = path.with_name(f"{path.name}.{os.getpid()}")
    own_file.write_text(text, "utf-8")
    own_file.replace(path)


def run_all() -> list[SuiteResult]:
    """Run SQLite's suite beside the others. PostgreSQL's collects only the files that SQLite's named: half of them."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as threads:
        database_files = Path(folder) / "database_files"
        output = Path(folder) / "output"
        output.touch()
        on_sqlite = threads.submit(run, ON_SQLITE.extend(f"--list-database-files={database_files}"), sys.stdout)
        on_servers = threads.submit(run_on_servers, output, database_files)
        results = [on_sqlite.result()]
        print_while_running(output, on_servers)
        return [*results, *on_servers.result()]


def run_on_servers(output: Path, database_files: Path) -> list[SuiteResult]:
    """Run the suites that share one PostgreSQL and one Valkey, one after the other."""
    try:
        with (
            start_servers() as environment,
            ThreadPoolExecutor() as threads,
            output.open("w", encoding="utf-8") as file,
        ):
            threads.submit(ensure_template, environment["DATABASE_URL"])  # while the first suite collects its tests
            journeys = run(JOURNEYS, file, environment)
            files = database_files.read_text("utf-8").splitlines() if database_files.exists() else []
            return [run(ON_POSTGRES.extend(*files), file, environment), journeys]
    except ServerUnavailableError as reason:
        return [SuiteResult(suite, UNAVAILABLE, not_run=str(reason)) for suite in (ON_POSTGRES, JOURNEYS)]


def print_while_running(output: Path, future: Future[list[SuiteResult]]) -> None:
    """Print what the file holds and what is added to it until the work is done."""
    with output.open(encoding="utf-8", errors="replace") as file:
        while not future.done():
            print(file.read(), end="", flush=True)
            wait([future], timeout=0.5)
        print(file.read(), end="", flush=True)


def main() -> int:
    """Run all suites. Return 0 if every suite that could run passed."""
    begin = time.monotonic()
    try:
        install.ensure_node_modules()
    except install.GitHubUnavailableError as reason:
        print(f"Tests against GitHub are not run: {reason}")
    results = run_all()
    print("\n── all together")
    for result in results:
        print(result)
        for figure in result.figures:
            print(f"{'':<22} {figure}")
    passed = sum(result.passed for result in results)
    failed = sum(result.failed for result in results)
    skipped = sum(result.skipped for result in results)
    print(f"{passed} passed, {failed} failed, {skipped} skipped in {time.monotonic() - begin:.0f} s")
    return 0 if passed and all(result.is_good for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
