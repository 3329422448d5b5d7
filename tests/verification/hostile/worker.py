"""Measures memory and time that hostile inputs take of a worker, inside a process of its own.

`measured("archives", good, jobs)` runs the jobs there and says what they took and what was left behind. Memory is the
whole process's at its highest, with what libraries in other languages take; what the good job loads is not counted.
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

from tests.house.source import ROOT
from tests.verification.releases.artifacts.zips import PROGRAM
from verification.releases.artifacts import archives, checksums, signatures
from verification.releases.artifacts.remarks import outcome_of
from verification.sources.errors import SourceError
from verification.sources.http.client import JSON, OutboundClient

MEGABYTE = 1024 * 1024
CLEAR = Path("/proc/self/clear_refs")
NOW = 1_793_491_200.0  # 1 November 2026


@dataclass(frozen=True)
class Cost:
    """What the jobs took: MiB at the highest above what there was, the slowest job in seconds, what stayed open."""

    names: dict[str, str]
    megabytes: float
    slowest: float
    files: int
    threads: int


def archive(path: str) -> str:
    with open(path, "rb") as file:
        return str(outcome_of(archives.judge(file, os.path.getsize(path), "rocket", PROGRAM).remarks))


def document(text: str) -> str:
    data = base64.b64decode(text)
    checksums.terraform_matches(data, "a.zip", "0" * 64)
    checksums.predict_terraform_parsing(data)
    return str(outcome_of(checksums.remarks(data, ("a.zip",))))


def signature(parts: list[str]) -> str:
    data, signature_bytes, *keys = map(base64.b64decode, parts)
    return str(signatures.judge(data, signature_bytes, keys, now=NOW).kind)


def server(address: str) -> str:
    try:
        OutboundClient(loopback=True).get(address, replace(JSON, limit=MEGABYTE, seconds=0.5))
    except SourceError as refusal:
        return type(refusal).__name__
    return "read"


KINDS: dict[str, Callable[[Any], str]] = {
    "archives": archive,
    "sums": document,
    "signatures": signature,
    "servers": server,
}


def memory(kind: str) -> float:
    """MiB of the process: VmRSS now, VmHWM at its highest since forget()."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(kind)) / 1024


def forget() -> None:
    """Begin again with the highest: what the parent had at the fork would count otherwise."""
    CLEAR.write_text("5")


def left_open() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), threading.active_count()


def work(kind: str, good: Any, jobs: dict[str, Any]) -> Cost:
    """Runs a good job to load what it loads, then the others with the meter on."""
    run, names, slowest = KINDS[kind], {}, 0.0
    run(good)
    forget()
    before, open_before = memory("VmRSS"), left_open()
    for name, job in jobs.items():
        begin = time.monotonic()
        names[name] = run(job)
        slowest = max(slowest, time.monotonic() - begin)
    files, threads = (after - then for after, then in zip(left_open(), open_before, strict=True))
    return Cost(names, memory("VmHWM") - before, slowest, files, threads)


def measure_cost(kind: str, good: Any, jobs: dict[str, Any]) -> Cost:
    """What the jobs took, in a process of their own."""
    if not CLEAR.exists():
        pytest.skip("this system does not tell a process its highest use of memory")
    command = [sys.executable, "-m", "tests.verification.hostile.worker", kind]
    job_input = json.dumps([good, jobs])
    process = subprocess.run(command, cwd=ROOT, input=job_input, capture_output=True, text=True, timeout=120)
    assert process.returncode == 0, process.stderr[-2000:]
    return Cost(**json.loads(process.stdout))


if __name__ == "__main__":
    print(json.dumps(asdict(work(sys.argv[1], *json.loads(sys.stdin.read())))))
