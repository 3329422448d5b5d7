"""Tests of the verdicts on release archives, hostile ones included."""

import io
import os
import struct
import tracemalloc
import zipfile

import pytest
from hypothesis import given, strategies as st

from tests.verification.releases.artifacts import archive_cases, zip64_cases
from tests.verification.releases.artifacts.archive_cases import PROGRAM, Entry, build_archive
from tests.verification.releases.release_registry import ELF
from verification.outcomes import Outcome
from verification.releases.artifacts import archives, executables, unzipping
from verification.releases.artifacts.remarks import get_outcome

VALID = archive_cases.VALID | zip64_cases.VALID
HOSTILE = archive_cases.HOSTILE | zip64_cases.HOSTILE
NO_BINARY = "provider binary not found: could not find executable file starting with terraform-provider-rocket"


def verify_archive(data):
    return archives.inspect_archive(io.BytesIO(data), len(data), "rocket", PROGRAM)


@pytest.mark.parametrize("name", VALID)
def test_valid_archive_is_accepted_with_its_remarks(name):
    build, expected = VALID[name]
    verdict = verify_archive(build())
    assert {remark.key for remark in verdict.remarks} == expected
    assert get_outcome(verdict.remarks) in (Outcome.PASS, Outcome.WARN)
    assert verdict.terraform.accepts is True
    assert verdict.program.startswith(PROGRAM)
    assert verdict.platform == executables.ExecutablePlatform("ELF", "amd64")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archive_fails_with_its_remark(name):
    build, expected = HOSTILE[name]
    verdict = verify_archive(build())
    faults = [remark.key for remark in verdict.remarks if remark.outcome == Outcome.FAIL]
    assert expected in faults
    assert all(remark.text.endswith(".") and remark.text.isprintable() for remark in verdict.remarks)


def test_there_are_at_least_60_hostile_archives():
    assert len(HOSTILE) >= 60


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("not an archive: text", "zip: not a valid zip file"),
        ("no members", "empty archive: "),
        ("two dots", "entry contains '..': ../evil"),
        ("two dots inside", "entry contains '..': a/../../evil"),
        ("other checksum", "zip: checksum error"),
        ("no program", NO_BINARY),
        ("bytes before the archive", ""),
        ("same name", ""),
        ("no version", ""),
        ("ZIP64 end record of another length", ""),
        ("ZIP64 end record elsewhere", "zip: not a valid zip file"),
        ("ZIP64 with more members", "zip: not a valid zip file"),
        ("ZIP64 with a huge directory", "zip: not a valid zip file"),
        ("ZIP64 on two disks", "zip: not a valid zip file"),
        ("other version", ""),
        ("bomb", None),
        ("encrypted", ""),
        ("name with many folders", "terraform-provider"),
        ("many names with many folders", ""),
    ],
)
def test_terraforms_verdict_is_predicted(name, message):
    terraform_verdict = verify_archive(HOSTILE[name][0]()).terraform
    if message is None:
        assert terraform_verdict.accepts is None
    else:
        assert (terraform_verdict.accepts, terraform_verdict.message) == (message == "", message)


@pytest.mark.parametrize(
    ("names", "accepts"),
    [
        (("a", "b/c"), True),
        (("a", "a"), True),
        (("b/", "b/c", "b/d/"), True),
        (("a", "a.b", "a-b/c"), True),
        (("a", "a/b"), False),
        (("a/b", "a"), False),
        (("a/", "a"), False),
        (("a", "a.b", "a/./b"), False),
        (("./",), True),
        ((".",), False),
    ],
)
def test_path_that_is_a_file_and_a_folder_is_refused_by_terraform(names, accepts):
    entries = (Entry(name.encode(), b"" if name.endswith("/") else b"x") for name in names)
    assert verify_archive(build_archive(Entry(PROGRAM.encode()), *entries)).terraform.accepts is accepts


def test_archives_are_verified_in_8_mib_without_unpacking(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    archive_files = [build() for build, _ in (*VALID.values(), *HOSTILE.values())]
    tracemalloc.start()
    try:
        for data in archive_files:
            verify_archive(data)
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024 * 1024
    finally:
        tracemalloc.stop()
    assert os.listdir(tmp_path) == []


@given(st.integers(0, 400), st.binary(min_size=1, max_size=8))
def test_changed_archive_passes_only_with_the_program(position, change):
    """Any changed archive is verified without an error, and one that passes contains the program."""
    good = VALID["with text files"][0]()
    data = good[:position] + change + good[position + len(change) :]
    verdict = verify_archive(data)
    if get_outcome(verdict.remarks) != Outcome.FAIL:
        assert verdict.program.startswith(PROGRAM)


@pytest.mark.parametrize("tail", [249, 250, 251])
def test_member_that_ends_shortly_after_a_piece_is_unpacked(tail):
    """The decompressor holds the last bytes of one of these back when it has consumed all of its input."""
    content = (bytes(range(7)) * 40_000)[: unzipping.CHUNK_BYTES + tail]
    verdict = verify_archive(build_archive(Entry(PROGRAM.encode()), Entry(b"data", content)))
    assert (verdict.remarks, verdict.terraform.accepts) == ((), True)


def test_long_directory_is_not_read_to_its_end():
    data = build_archive(Entry(b"a"))
    start = data.index(b"PK\x01\x02")
    directory = data[start:-22] * 100_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 100_000 % 65536, 100_000 % 65536, len(directory), start, 0)
    assert verify_archive(data[:start] + directory + end).terraform.accepts is None


def test_archive_with_more_than_65535_members_is_not_called_damaged():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive_file:
        for number in range(65_600):
            archive_file.writestr(zipfile.ZipInfo(str(number)), b"")
    verdict = verify_archive(buffer.getvalue())
    assert [(remark.key, "65600" in remark.text) for remark in verdict.remarks] == [("members", True)]
    assert (verdict.terraform.accepts, verdict.terraform.message) == (False, NO_BINARY)


def test_members_that_share_their_bytes_are_not_read_without_limit():
    empty_blocks = b"\0\0\0\xff\xff" * 20_000 + b"\3\0"
    data = build_archive(*(Entry(b"%d" % n, b"", body=empty_blocks, start=0) for n in range(20)))
    assert unzipping.unpack_archive(io.BytesIO(data), len(data), "rocket", 1_000_000).terraform.accepts is None


MACH = b"\xcf\xfa\xed\xfe\x07\x00\x00\x01"
PE = b"MZ" + bytes(58) + b"\x40\0\0\0PE\0\0\x64\x86"
ARM64 = ELF[:18] + b"\xb7\x00" + ELF[20:]
S390X = b"\x7fELF\x02\x02\x01" + bytes(9) + b"\x00\x02\x00\x16" + bytes(44)


@pytest.mark.parametrize(
    ("head", "os", "arch", "expected"),
    [
        (ELF, "linux", "amd64", []),
        (ELF, "freebsd", "amd64", []),
        (ELF, "linux", "arm64", ["other_machine"]),
        (ELF, "windows", "amd64", ["other_system"]),
        (ELF, "darwin", "amd64", ["other_system"]),
        (ARM64, "linux", "arm64", []),
        (S390X, "linux", "s390x", []),
        (S390X, "linux", "amd64", ["other_machine"]),
        (MACH, "darwin", "amd64", []),
        (MACH, "darwin", "arm64", ["other_machine"]),
        (b"\xca\xfe\xba\xbe\0\0\0\2", "darwin", "arm64", []),
        (PE, "windows", "amd64", []),
        (PE, "windows", "386", ["other_machine"]),
        (PE, "linux", "amd64", ["other_system"]),
        (b"MZ", "windows", "amd64", ["no_executable"]),
        (b"#!/bin/sh\n", "linux", "amd64", ["no_executable"]),
        (b"", "linux", "amd64", ["no_executable"]),
    ],
)
def test_program_of_another_platform_is_reported(head, os, arch, expected):
    assert [remark.key for remark in executables.list_remarks(executables.read_platform(head), os, arch)] == expected


def test_valid_archives_are_readable_by_python():
    for name, (build, _) in VALID.items():
        with zipfile.ZipFile(io.BytesIO(build())) as archive_file:
            if name != "sizes in a data descriptor":
                assert archive_file.testzip() is None
