"""Measures memory and time that hostile inputs need, in a separate process.

`measure_cost("archives", good, jobs)` runs the jobs there and returns their cost. Memory is the peak of the whole
process, including native libraries, without the memory that a good job needs.
"""

import base64
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.codebase.project_files import ROOT
from tests.verification.releases.artifacts.archive_cases import PROGRAM
from verification.releases.artifacts import archives, checksums, signatures
from verification.releases.artifacts.remarks import get_outcome
from verification.sources.errors import SourceError
from verification.sources.http.client import JSON, OutboundClient

MEGABYTE = 1024 * 1024
CLEAR_REFS = Path("/proc/self/clear_refs")
NOW = 1_793_491_200.0  # 1 November 2026


@dataclass(frozen=True)
class Cost:
    """Cost of jobs: peak MiB above the start, seconds of the slowest job, and files and threads left open."""

    names: dict[str, str]
    megabytes: float
    slowest: float
    files: int
    threads: int


def verify_archive(path: str) -> str:
    with open(path, "rb") as file:
        return str(get_outcome(archives.inspect_archive(file, os.path.getsize(path), "rocket", PROGRAM).remarks))


def verify_checksums(text: str) -> str:
    data = base64.b64decode(text)
    checksums.compare_with_registry(data, "a.zip", "0" * 64)
    checksums.predict_terraform_parsing(data)
    return str(get_outcome(checksums.list_remarks(data, ("a.zip",))))


def verify_release_signature(parts: list[str]) -> str:
    data, signature_bytes, *keys = map(base64.b64decode, parts)
    return str(signatures.verify_signature(data, signature_bytes, keys, now=NOW).kind)


def fetch_from_server(address: str) -> str:
    try:
        OutboundClient(loopback=True).get(address, replace(JSON, limit=MEGABYTE, seconds=0.5))
    except SourceError as refusal:
        return type(refusal).__name__
    return "read"


JOBS_BY_KIND: dict[str, Callable[[Any], str]] = {
    "archives": verify_archive,
    "sums": verify_checksums,
    "signatures": verify_release_signature,
    "servers": fetch_from_server,
}


def read_memory(kind: str) -> float:
    """Return the MiB of this process: VmRSS now, VmHWM at its peak since `reset_peak`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(kind)) / 1024


def reset_peak() -> None:
    """Reset the peak, which otherwise includes the memory of the parent at the fork."""
    CLEAR_REFS.write_text("5")


def count_open_files_and_threads() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), threading.active_count()


def run_jobs(kind: str, good: Any, jobs: dict[str, Any]) -> Cost:
    """Run a good job first, so that modules are loaded, then measure the others."""
    run = JOBS_BY_KIND[kind]
    names = {}
    slowest = 0.0
    run(good)
    reset_peak()
    before = read_memory("VmRSS")
    open_before = count_open_files_and_threads()
    for name, job in jobs.items():
        begin = time.monotonic()
        names[name] = run(job)
        slowest = max(slowest, time.monotonic() - begin)
    files, threads = (after - then for after, then in zip(count_open_files_and_threads(), open_before, strict=True))
    return Cost(names, read_memory("VmHWM") - before, slowest, files, threads)


def measure_cost(kind: str, good: Any, jobs: dict[str, Any]) -> Cost:
    """Run the jobs in a separate process and return their cost."""
    if not CLEAR_REFS.exists():
        pytest.skip("this system doesn't report the peak memory of a process")
    command = [sys.executable, "-m", "tests.verification.hostile_inputs.resource_use", kind]
    job_input = json.dumps([good, jobs])
    process = subprocess.run(command, cwd=ROOT, input=job_input, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stderr[-2000:]
    return Cost(**json.loads(process.stdout))


if __name__ == "__main__":
    print(json.dumps(asdict(run_jobs(sys.argv[1], *json.loads(sys.stdin.read())))))
