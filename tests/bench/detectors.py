"""Verdicts and durations of other license detectors. Detectors that aren't installed are left out.

SCANCODE_PYTHON names a Python with scancode-toolkit, which isn't part of the portal's environment. licensee, which
GitHub uses, is found on the PATH. A file counts as allowed if every license that a detector names is on the list.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

Text = tuple[str, str]  # expected verdict and text

SCANCODE = """
import json, sys, time
begin = time.process_time()
from licensedcode.cache import get_index
from licensedcode.detection import detect_licenses
get_index()
cold, rows = time.process_time() - begin, []
for path in json.load(sys.stdin):
    begin = time.process_time()
    found = [d.license_expression_spdx or d.license_expression or "" for d in detect_licenses(location=path)]
    rows.append([" AND ".join(f"({one})" for one in found), time.process_time() - begin])
json.dump([cold, rows], sys.stdout)
"""


@dataclass(frozen=True, slots=True)
class DetectorTiming:
    """Seconds of a cold start, and the expression and seconds of each text."""

    cold: float
    rows: list[tuple[str, float]]


def allows(expression: str, allowed_licenses: Iterable[str]) -> bool:
    """Return whether every license of an expression is on the list, or one of each choice."""
    allowed_names = set(allowed_licenses)
    parts = [part for part in re.split(r"\s+AND\s+|[()]", expression) if part.strip()]
    return bool(parts) and all(allowed_names & {one.strip() for one in part.split(" OR ")} for part in parts)


def run_scancode(paths: list[str]) -> DetectorTiming | None:
    python = os.environ.get("SCANCODE_PYTHON", "")
    if not python:
        return None
    process = subprocess.run(
        [python, "-c", SCANCODE], input=json.dumps(paths), capture_output=True, text=True, check=True
    )
    cold, rows = json.loads(process.stdout)
    return DetectorTiming(cold, [(expression, seconds) for expression, seconds in rows])


def run_licensee(paths: list[str]) -> DetectorTiming | None:
    """Run one process per file, as licensee is used: the time of a file includes the start of the process."""
    tool = shutil.which("licensee")
    if tool is None:
        return None
    rows = []
    for path in paths:
        begin = time.perf_counter()
        process = subprocess.run([tool, "detect", "--json", path], capture_output=True, text=True, check=False)
        licenses = json.loads(process.stdout or "{}").get("licenses", [])
        rows.append((" AND ".join(one.get("spdx_id") or "" for one in licenses), time.perf_counter() - begin))
    return DetectorTiming(0.0, rows)


def compare(texts: list[Text], allowed_licenses: Iterable[str]) -> None:
    """Print a row for each detector."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / str(number) / "LICENSE" for number in range(len(texts))]
        for path, (_, text) in zip(paths, texts, strict=True):
            path.parent.mkdir()
            path.write_text(text, encoding="utf-8", errors="replace")
        for name, detector in (("scancode-toolkit", run_scancode), ("licensee", run_licensee)):
            print(format_row(name, detector([str(path) for path in paths]), texts, allowed_licenses))


def format_row(name: str, timing: DetectorTiming | None, texts: list[Text], allowed_licenses: Iterable[str]) -> str:
    if timing is None:
        return f"{name:<20}not run: not installed"
    verdicts = [allows(expression, allowed_licenses) for expression, _ in timing.rows]
    wrong = sum(is_allowed and expected != "allow" for is_allowed, (expected, _) in zip(verdicts, texts, strict=True))
    times = [seconds * 1000 for _, seconds in timing.rows]
    return (
        f"{name:<20}{median(times):>9.1f} ms per file (median), {sum(times) / len(times):.1f} on average,"
        f" cold start {timing.cold * 1000:.0f} ms, {wrong} false allows of {len(texts)} texts"
    )
