import io
import os
import tracemalloc

import pytest
from hypothesis import given, strategies as st

from tests.verification.releases.artifacts.zips import ELF, GOOD, HOSTILE, PROGRAM, Entry, archive
from verification.outcomes import Outcome
from verification.releases.artifacts import archives, executables
from verification.releases.artifacts.remarks import outcome_of

NO_BINARY = "provider binary not found: could not find executable file starting with terraform-provider-rocket"


def judge_archive(data):
    return archives.judge(io.BytesIO(data), len(data), "rocket", PROGRAM)


@pytest.mark.parametrize("name", GOOD)
def test_good_archive(name):
    make, expected = GOOD[name]
    verdict = judge_archive(make())
    assert {remark.key for remark in verdict.remarks} == expected
    assert outcome_of(verdict.remarks) in (Outcome.PASS, Outcome.WARN)
    assert verdict.terraform.accepts is True
    assert verdict.program.startswith(PROGRAM)
    assert verdict.head == ELF


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archive(name):
    make, expected = HOSTILE[name]
    verdict = judge_archive(make())
    faults = [remark.key for remark in verdict.remarks if remark.outcome == Outcome.FAIL]
    assert expected in faults
    assert all(remark.text.endswith(".") and remark.text.isprintable() for remark in verdict.remarks)


def test_table_is_long_enough():
    assert len(HOSTILE) >= 60


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no archive: text", "zip: not a valid zip file"),
        ("no members", "empty archive: "),
        ("two dots", "entry contains '..': ../evil"),
        ("two dots inside", "entry contains '..': a/../../evil"),
        ("other checksum", "zip: checksum error"),
        ("no program", NO_BINARY),
        ("bytes in front", ""),
        ("same name", ""),
        ("no version", ""),
        ("other version", ""),
        ("bomb", None),
        ("encrypted", ""),
        ("name of many folders", "terraform-provider"),
        ("many names of many folders", ""),
    ],
)
def test_what_terraform_would_say(name, message):
    terraform_verdict = judge_archive(HOSTILE[name][0]()).terraform
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
def test_path_is_a_file_or_a_folder(names, accepts):
    entries = (Entry(name.encode(), b"" if name.endswith("/") else b"x") for name in names)
    assert judge_archive(archive(Entry(PROGRAM.encode()), *entries)).terraform.accepts is accepts


def test_nothing_is_unpacked_and_memory_stays_flat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    all_archives = [make() for make, _ in (*GOOD.values(), *HOSTILE.values())]
    tracemalloc.start()
    try:
        for data in all_archives:
            judge_archive(data)
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024 * 1024
    finally:
        tracemalloc.stop()
    assert os.listdir(tmp_path) == []


@given(st.integers(0, 400), st.binary(min_size=1, max_size=8))
def test_changed_archive_is_judged(at, change):
    """Any changed archive gets a verdict, and an archive that passes contains the program."""
    good = GOOD["with texts"][0]()
    data = good[:at] + change + good[at + len(change) :]
    verdict = judge_archive(data)
    if outcome_of(verdict.remarks) != Outcome.FAIL:
        assert verdict.program.startswith(PROGRAM)


MACH, PE = b"\xcf\xfa\xed\xfe\x07\x00\x00\x01", b"MZ" + bytes(58) + b"\x40\0\0\0PE\0\0\x64\x86"
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
def test_program_fits_its_platform(head, os, arch, expected):
    assert [remark.key for remark in executables.remarks(head, os, arch)] == expected


def test_zips_are_what_python_reads():
    """The archives of the table are real."""
    import zipfile

    for name, (make, _) in GOOD.items():
        with zipfile.ZipFile(io.BytesIO(make())) as archive_file:
            if name != "sizes behind the bytes":
                assert archive_file.testzip() is None
