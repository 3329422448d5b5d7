"""Tests of host users: one for each open environment if the supervisor is root."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.codebase.project_files import ROOT
from verification.sandbox import host_users
from verification.sandbox.environment import open_environment
from verification.sandbox.types import Limits, SandboxUnavailable

LIMITS = Limits(seconds=20)
NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a program as another user")
# What a program could do to a process of the host after escaping its namespaces: signal it, trace it, read its memory,
# and open its files.
PROBE_SCRIPT = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
process, user = map(int, sys.argv[1:])
os.setgroups([])
os.setresgid(user, user, user)
os.setresuid(user, user, user)
def trace():
    if libc.ptrace(0x4206, process, 0, 0) < 0:  # PTRACE_SEIZE
        raise OSError(ctypes.get_errno(), "ptrace")
for action in (
    lambda: os.kill(process, 0),
    trace,
    lambda: open(f"/proc/{process}/mem", "rb").close(),
    lambda: os.listdir(f"/proc/{process}/fd"),
):
    try:
        action()
        print("reached")
    except PermissionError:
        print("refused")
"""


def probe_process(process_id, host_user):
    """Return what a program of this host user can do to a process."""
    command = [sys.executable, "-IS", "-c", PROBE_SCRIPT, str(process_id), str(host_user)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@NEEDS_ROOT
def test_program_cannot_reach_processes_of_another_environment():
    with open_environment(LIMITS) as first, open_environment(LIMITS) as second:
        assert first.host_user != second.host_user
        process = second.start(["/bin/sleep", "60"])
        status = Path(f"/proc/{process._bubblewrap.process.pid}/status").read_text().split("Uid:")[1].split()
        assert status[:4] == [str(second.host_user)] * 4
        for process_id in (process._bubblewrap.process.pid, process._bubblewrap.child):
            assert probe_process(process_id, first.host_user) == ["refused"] * 4
            assert (
                probe_process(process_id, second.host_user)[0] == "reached"
            )  # its own user can signal it, so the other refusals are no accident
        os.kill(process._bubblewrap.process.pid, signal.SIGKILL)
        process.stop()


@NEEDS_ROOT
def test_files_of_one_environment_belong_to_its_user():
    with open_environment(LIMITS, files={"main.tf": b""}) as sandbox:
        sandbox.run(["/bin/touch", "created"])
        owners = {os.stat(name, dir_fd=sandbox.storage).st_uid for name in ("project/main.tf", "project/created")}
        assert owners == {sandbox.host_user}


@NEEDS_ROOT
def test_host_user_is_released_by_its_environment_and_by_a_killed_supervisor(monkeypatch, tmp_path):
    monkeypatch.setattr(host_users, "LOCK_FOLDER", tmp_path / "locks")
    monkeypatch.setenv(host_users.RANGE_VARIABLE, "60801-60801")
    with open_environment(LIMITS) as sandbox:
        assert sandbox.host_user == 60801
        with pytest.raises(SandboxUnavailable, match="every host user of 60801-60801 is in use"), ExitStack() as stack:
            stack.enter_context(open_environment(LIMITS))
    script = (
        "import sys, pathlib\nfrom verification.sandbox import host_users\n"
        f"host_users.LOCK_FOLDER = pathlib.Path({str(tmp_path / 'locks')!r})\n"
        "with host_users.reserve_host_user() as user: print(user, flush=True); input()"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as supervisor:
        assert supervisor.stdout.readline() == b"60801\n"
        supervisor.kill()
    with host_users.reserve_host_user() as user:
        assert user == 60801


def test_supervisor_without_root_has_only_its_own_user(monkeypatch):
    if os.geteuid() == 0:
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with host_users.reserve_host_user() as first, host_users.reserve_host_user() as second:
        assert first == second == host_users.OWN_USER


@pytest.mark.parametrize("text", ["", "60800", "0-5", "9-8", "a-b", "1-2-3", "1-4294967295"])
def test_invalid_range_is_refused_before_the_service_starts(text, tmp_path):
    command = [sys.executable, "-m", "verification.sandbox.server", str(tmp_path / "socket"), f"--host-users={text}"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert process.returncode == 2
    assert "--host-users" in process.stderr
    assert not (tmp_path / "socket").exists()
