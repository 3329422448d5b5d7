"""Start of bin/up on an empty folder, then on its data: seconds, processes, memory, and CPU seconds.

The first start creates the database and the demo data, but installs no packages. The import of the project is measured
in separate processes. `--empty` leaves the demo data out.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.portal.runtime.running_portal import RunningPortal, run_portal

TICK = os.sysconf("SC_CLK_TCK")
CPU_FIELDS = slice(11, 15)  # utime, stime, and those of the ended children, after the name in /proc/PID/stat
START_SECONDS = 1800.0  # finds a hang; a busy machine takes many minutes
SETTLE_SECONDS = 15.0
MAX_PROCESSES = 6
MAX_PSS_MB = 450
MAX_CPU_SECONDS = 10
MAX_IMPORT_SECONDS = 1.2
MAX_PAGE_SECONDS = 5
MAX_FIRST_START_SECONDS = 45
IMPORT_RUNS = 3
IMPORT_CODE = """
import time
import django
from django.urls import get_resolver
django.setup()
get_resolver().url_patterns
print(time.process_time())
"""


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """CPU seconds and proportional memory of one process."""

    name: str
    cpu_seconds: float
    pss_mb: float


def read_usage(pid: int, name: str) -> ProcessUsage:
    """Return what a process has used so far, with its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    pss_kb = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return ProcessUsage(name, sum(map(int, fields[CPU_FIELDS])) / TICK, pss_kb / 1024)


def read_usages(portal: RunningPortal) -> list[ProcessUsage]:
    """Return the usage of each process of a portal."""
    return [read_usage(pid, name) for pid, name in portal.processes().items()]


def measure_import(data: Path) -> float:
    """Return the fewest CPU seconds that a new process takes to import the project with all URLs."""
    environment = {"PATH": os.environ["PATH"], "PORTAL_DATA": str(data), "DJANGO_SETTINGS_MODULE": "portal.settings"}
    command = [sys.executable, "-c", IMPORT_CODE]
    return min(float(subprocess.check_output(command, env=environment)) for _ in range(IMPORT_RUNS))


def wait_for_first_page(portal: RunningPortal) -> float:
    """Return the seconds until the home page answers."""
    begin = time.perf_counter()
    portal.wait_until(lambda: bool(portal.read("/")) or portal.process.poll() is not None, START_SECONDS)
    seconds = time.perf_counter() - begin
    assert portal.process.poll() is None, portal.output
    return seconds


def main() -> int:
    """Run the benchmark. Return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="bin/bench start", description=__doc__)
    parser.add_argument("--empty", action="store_true", help="Leave the demo data out.")
    words = ["--empty"] if parser.parse_args().empty else []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "portal" / "data"
        data.parent.mkdir()
        with run_portal(data, *words) as first:
            first_seconds = wait_for_first_page(first)
            first.wait_until_ready()
            first.stop()
        import_seconds = measure_import(data)
        with run_portal(data, *words) as portal:
            page_seconds = wait_for_first_page(portal)
            page_cpu = sum(each.cpu_seconds for each in read_usages(portal))
            time.sleep(SETTLE_SECONDS)
            usages = read_usages(portal)
            portal.stop()
    for each in usages:
        print(f"{each.name:<16} {each.pss_mb:4.0f} MB PSS, {each.cpu_seconds:5.2f} CPU s")
    cpu = sum(each.cpu_seconds for each in usages)
    pss = sum(each.pss_mb for each in usages)
    targets = {
        f"first start: page after {first_seconds:.1f} s (target ≤ {MAX_FIRST_START_SECONDS})": (
            first_seconds <= MAX_FIRST_START_SECONDS
        ),
        f"second start: page after {page_seconds:.1f} s (target ≤ {MAX_PAGE_SECONDS}) and {page_cpu:.1f} CPU s": (
            page_seconds <= MAX_PAGE_SECONDS
        ),
        f"{SETTLE_SECONDS:.0f} s later: {cpu:.1f} CPU s (target ≤ {MAX_CPU_SECONDS})": cpu <= MAX_CPU_SECONDS,
        f"{len(usages)} processes (target ≤ {MAX_PROCESSES})": len(usages) <= MAX_PROCESSES,
        f"{pss:.0f} MB PSS (target ≤ {MAX_PSS_MB})": pss <= MAX_PSS_MB,
        f"import with URLs: {import_seconds:.2f} CPU s (target ≤ {MAX_IMPORT_SECONDS})": (
            import_seconds <= MAX_IMPORT_SECONDS
        ),
    }
    for figure, is_met in targets.items():
        print(f"{figure} {'met' if is_met else 'missed'}")
    return 0 if all(targets.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
