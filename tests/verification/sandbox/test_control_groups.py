"""Tests of control groups, in a simulated hierarchy and in the kernel's if available."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.codebase.project_files import ROOT
from verification.sandbox.control_groups import (
    CONTROLLERS,
    ControlGroup,
    become_supervisor,
    find_own_group,
    report_fallback,
)
from verification.sandbox.types import MEGABYTE, ExitReason, Limits

LIMITS = Limits(memory=100 * MEGABYTE, disk=20 * MEGABYTE, processes=40)


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """Return the group that a service manager delegated to the service."""
    group = tmp_path / "system.slice" / "portal-sandbox.service"
    group.mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (group / "cgroup.controllers").write_text("memory pids\n")
    (tmp_path / "membership").write_text("0::/system.slice/portal-sandbox.service\n")
    return group


def test_own_group_is_found_in_the_unified_hierarchy(service: Path, tmp_path: Path) -> None:
    assert find_own_group(tmp_path, tmp_path / "membership") == service
    assert find_own_group(tmp_path, tmp_path / "missing") is None
    (tmp_path / "cgroup.controllers").unlink()
    assert find_own_group(tmp_path, tmp_path / "membership") is None


def test_sandbox_gets_a_group_next_to_the_supervisor(service: Path) -> None:
    assert become_supervisor(service)
    assert (service / "cgroup.subtree_control").read_text() == "+memory +pids"
    group = ControlGroup.create(service / "supervisor", "sandbox-1", LIMITS, 77)
    assert group is not None
    files = {path.name: path.read_text() for path in (service / "sandbox-1").iterdir()}
    assert files == {
        "memory.max": str(120 * MEGABYTE),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "48",
        "cgroup.procs": "77",
    }
    assert (group.find_breach(), group.read_peak()) == (None, 0)


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("memory.events", "low 0\nmax 12\noom 1\noom_kill 3\n", ExitReason.MEMORY),
        ("pids.events", "max 2\n", ExitReason.PROCESSES),
        ("memory.events", "low 0\nmax 12\noom 0\noom_kill 0\n", None),
    ],
)
def test_limit_that_the_kernel_enforced_is_reported(
    file: str, text: str, reason: ExitReason | None, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(text)
    (tmp_path / "memory.peak").write_text("4096\n")
    assert (ControlGroup(tmp_path).find_breach(), ControlGroup(tmp_path).read_peak()) == (reason, 4096)


def test_no_group_is_created_without_delegation(service: Path, caplog: pytest.LogCaptureFixture) -> None:
    report_fallback.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert ControlGroup.create(service / "missing" / "supervisor", "sandbox-1", LIMITS, 77) is None
    assert [record.args for record in caplog.records] == [(f"{service}/missing/sandbox-1: No such file or directory",)]
    caplog.clear()
    assert ControlGroup.create(service, "sandbox-1", LIMITS, 77) is None
    assert ControlGroup.create(None, "sandbox-1", LIMITS, 77) is None
    assert [record.args for record in caplog.records] == [
        ("the service manager has not delegated any to this process",)
    ]
    (service / "cgroup.controllers").write_text("cpu\n")
    assert [become_supervisor(service), become_supervisor(None)] == [False, False]


@pytest.fixture
def kernel_group() -> Iterator[Path]:
    """Yield a kernel control group with both controllers, or skip with the reason."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    roots = [Path(words[1]) for words in mounts if words[2] == "cgroup2"]
    own = find_own_group(roots[0]) if roots else None
    if own is None:
        pytest.skip("the machine has no control groups of version 2")
    if missing := CONTROLLERS - set((own / "cgroup.controllers").read_text().split()):
        pytest.skip(f"the machine has {', '.join(sorted(missing))} in control groups of version 1")
    group = own / f"portal-test-{os.getpid()}"
    try:
        (own / "cgroup.subtree_control").write_text("+memory +pids")
        group.mkdir()
    except OSError as error:
        pytest.skip(f"this process can't create control groups: {error}")
    yield group
    for path in (group / "supervisor", group):
        with suppress(OSError):
            path.rmdir()


SUPERVISOR = """
import json, subprocess, sys
from pathlib import Path
from verification.sandbox.control_groups import ControlGroup, become_supervisor
from verification.sandbox.types import MEGABYTE, Limits
group, results = Path(sys.argv[1]), [become_supervisor(Path(sys.argv[1]))]
for number, program in enumerate(sys.argv[2:]):
    child = subprocess.Popen([sys.executable, "-c", f"input()\\n{program}"], stdin=subprocess.PIPE)
    limits = Limits(memory=60 * MEGABYTE, disk=4 * MEGABYTE, processes=12)
    created_group = ControlGroup.create(group / "supervisor", f"sandbox-{number}", limits, child.pid)
    child.communicate(b"\\n")
    results += [child.returncode, created_group.find_breach(), created_group.read_peak() > MEGABYTE]
    created_group.remove()
    results.append(created_group.path.exists())
print(json.dumps(results))
"""


def test_kernel_enforces_the_limits_of_a_group(kernel_group: Path) -> None:
    programs = ["bytearray(500 << 20)", "import threading\nfor _ in range(90): threading.Thread(target=input).start()"]
    command = [sys.executable, "-c", SUPERVISOR, str(kernel_group), *programs]
    completed_process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert completed_process.returncode == 0, completed_process.stderr
    memory = json.loads(completed_process.stdout)[1:5]
    processes = json.loads(completed_process.stdout)[6:]
    assert memory == [-9, ExitReason.MEMORY, True, False]
    assert processes == [ExitReason.PROCESSES, True, False]
