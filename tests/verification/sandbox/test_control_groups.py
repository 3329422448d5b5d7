"""Control groups, on a folder that stands in for the kernel's: a test may not change those of the machine."""

from pathlib import Path

import pytest

from verification.sandbox.control_groups import ControlGroup, become_supervisor, find_own_group
from verification.sandbox.types import MEGABYTE, ExitReason, Limits

LIMITS = Limits(memory=100 * MEGABYTE, disk=20 * MEGABYTE, processes=40)


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """The group that a service manager has given to the service."""
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


def test_sandbox_gets_a_group_beside_the_supervisor(service: Path) -> None:
    assert become_supervisor(service)
    assert (service / "cgroup.subtree_control").read_text() == "+memory +pids"
    group = ControlGroup.create(service / "supervisor", "sandbox-1", LIMITS, 77)
    assert group is not None
    files = {path.name: path.read_text() for path in (service / "sandbox-1").iterdir()}
    assert files == {
        "memory.max": str(120 * MEGABYTE), "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "48",
        "cgroup.procs": "77",
    }  # fmt: skip
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


def test_without_delegation_there_are_no_groups(service: Path) -> None:
    assert ControlGroup.create(service, "sandbox-1", LIMITS, 77) is None
    assert ControlGroup.create(None, "sandbox-1", LIMITS, 77) is None
    (service / "cgroup.controllers").write_text("cpu\n")
    assert [become_supervisor(service), become_supervisor(None)] == [False, False]
