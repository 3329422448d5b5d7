"""Tests of the committed system call filters, rebuilt where libseccomp is the same and interpreted everywhere."""

import ctypes.util
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.codebase.project_files import ROOT
from tests.verification.sandbox.attacks.attack import NUMBERS
from verification.sandbox.environment import FILTERS

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW = 0x7FFF0000
EPERM = 0x00050001
ENOSYS = 0x00050026
KILL = 0x00000000
BUILT_WITH = (2, 5, 4)  # another release may order the same filter differently
ALLOWED_CALL_NUMBERS = {  # of calls that every program needs
    "x86_64": {"read": 0, "mmap": 9, "openat": 257, "execve": 59, "futex": 202, "exit_group": 231, "connect": 42},
    "aarch64": {"read": 63, "mmap": 222, "openat": 56, "execve": 221, "futex": 98, "exit_group": 94, "connect": 203},
}
SOCKET = {"x86_64": 41, "aarch64": 198}
SOCKETS = {
    (1, 1, 0): ALLOW,
    (2, 1, 0): ALLOW,
    (10, 1 | 0o2000000, 6): ALLOW,
    (2, 2 | 0o4000, 17): ALLOW,
    (16, 3, 0): EPERM,
    (17, 3, 0): EPERM,
    (40, 1, 0): EPERM,
    (2, 3, 1): EPERM,
    (2, 1, 262): EPERM,
}


def decide(machine: str, number: int, *arguments: int, architecture: int = 0) -> int:
    """Return the filter's decision on a call by interpreting the few instructions that libseccomp uses."""
    program = [struct.unpack("HBBI", code) for (code,) in struct.iter_unpack("8s", read_filter(machine))]
    values = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, architecture or MACHINES[machine], 0, *values)
    at = accumulator = 0
    while True:
        operation, if_true, if_false, value = program[at]
        at += 1
        if operation == 0x06:
            return value
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif operation == 0x54:
            accumulator &= value
        elif operation == 0x05:
            at += value
        else:
            tests = {0x15: accumulator == value, 0x25: accumulator > value, 0x35: accumulator >= value}
            at += if_true if tests[operation] else if_false


def read_filter(machine: str) -> bytes:
    return (FILTERS / f"{machine}.bpf").read_bytes()


@pytest.mark.skipif(ctypes.util.find_library("seccomp") is None, reason="no libseccomp on this machine")
def test_filters_are_built_from_the_list(tmp_path: Path) -> None:
    version = subprocess.run([sys.executable, "-c", VERSION], capture_output=True, text=True, check=True).stdout
    if version.strip() != repr(BUILT_WITH):
        pytest.skip(f"libseccomp is {version.strip()} here, the filters are built with {BUILT_WITH}")
    subprocess.run([sys.executable, ROOT / "bin" / "build-syscall-filters", tmp_path], check=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        f"{machine}.bpf": read_filter(machine) for machine in MACHINES
    }


VERSION = """
import ctypes, ctypes.util
class Version(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in ("major", "minor", "micro")]
library = ctypes.CDLL(ctypes.util.find_library("seccomp"))
library.seccomp_version.restype = ctypes.POINTER(Version)
version = library.seccomp_version().contents
print((version.major, version.minor, version.micro))
"""


@pytest.mark.parametrize("machine", MACHINES)
def test_filter_allows_what_programs_need_and_refuses_the_rest(machine: str) -> None:
    assert {name: decide(machine, number) for name, number in ALLOWED_CALL_NUMBERS[machine].items()} == dict.fromkeys(
        ALLOWED_CALL_NUMBERS[machine], ALLOW
    )
    unknown = dict.fromkeys(("clone3", "inotify_init1", "inotify_add_watch"), ENOSYS)
    expected_actions = dict.fromkeys(NUMBERS[machine], EPERM) | {"clone": ALLOW} | unknown
    assert {name: decide(machine, number) for name, number in NUMBERS[machine].items()} == expected_actions
    assert [decide(machine, number) for number in (463, 500, 999)] == [EPERM] * 3


@pytest.mark.parametrize("machine", MACHINES)
def test_filter_decides_by_arguments(machine: str) -> None:
    clone = NUMBERS[machine]["clone"]
    assert decide(machine, clone, 0x003D0F00) == ALLOW  # a thread
    assert [decide(machine, clone, flag | 17) for flag in (0x10000000, 0x20000, 0x40000000)] == [EPERM] * 3
    assert {kind: decide(machine, SOCKET[machine], *kind) for kind in SOCKETS} == SOCKETS


@pytest.mark.parametrize("machine", MACHINES)
def test_filter_kills_programs_of_another_architecture(machine: str) -> None:
    other = next(value for name, value in MACHINES.items() if name != machine)
    assert decide(machine, 0, architecture=other) == KILL
