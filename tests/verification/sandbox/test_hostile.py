"""Tests that misbehaving programs are stopped with their reason and leave nothing behind."""

import os
import shutil
from dataclasses import replace

import pytest

from tests.verification.sandbox.programs import HOSTILE, READABLE, list_processes, write_program
from verification.sandbox.environment import open_environment
from verification.sandbox.types import MEGABYTE, Limits

LIMITS = Limits(seconds=10, memory=80 * MEGABYTE, disk=30 * MEGABYTE, processes=40, output=200_000)
EXPECTED_REASONS = {
    "reads the home folder": "home folder access",
    "reads the home folder of its user and ends": "home folder access",
    "opens the network": "network access",
    "opens the network by name": "network access",
    "opens the network over IPv6": "network access",
    "forks": "too many processes",
    "forks and hides": "too many processes",
    "eats memory": "out of memory",
    "writes 10 GB": "disk full",
    "writes a million files": "disk full",
    "never answers": "timed out",
    "prints without end": "too much output",
}


def list_mounts():
    with open("/proc/self/mounts") as file:
        return [line for line in file if "sandbox-" in line]


@pytest.mark.parametrize("behavior", HOSTILE)
def test_hostile_program_is_stopped_with_its_reason(behavior, tmp_path):
    program = write_program(tmp_path, f"hostile-{os.getpid()}", HOSTILE[behavior])
    free = shutil.disk_usage("/tmp").free
    limits = replace(LIMITS, seconds=1.0) if behavior == "never answers" else LIMITS
    with open_environment(limits, files={program.name: program}, readable=READABLE) as sandbox:
        result = sandbox.run([f"/project/{program.name}"])
    assert (result.reason, result.exit_code) == (EXPECTED_REASONS[behavior], None), result.stderr.decode()
    assert list_processes(program.name) == []
    assert list_mounts() == []
    assert not sandbox.staging.exists()
    assert free - shutil.disk_usage("/tmp").free < 500 * MEGABYTE
    assert result.peak_bytes < 500 * MEGABYTE
