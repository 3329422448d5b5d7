"""Tests of the executable's selection and verification."""

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.github.server import GitHub, Repo
from verification.checks.types import Subject
from verification.sources import Sources
from verification.testruns import releases
from verification.testruns.releases import UnverifiedReleaseError
from verification.testruns.terraform_cli import get_platform

pytestmark = pytest.mark.github
NAME = "acme/nomad-driver-rocket"
ARCHIVE = f"nomad-driver-rocket_1.1.0_{get_platform()}.zip"
SUBJECT = Subject("nomad", "2021-04", "Nomad", "Rocket", NAME)
PROGRAM = b"\x7fELF rocket"


def build_zip(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive_file:
        for name, data in members.items():
            archive_file.writestr(name, data)
    return file.getvalue()


def build_damaged_zip(compression: int) -> bytes:
    """Return an archive whose compressed program is damaged."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive_file:
        archive_file.writestr("rocket", PROGRAM)
        start = archive_file.getinfo("rocket").header_offset + 30 + len("rocket")
    content = bytearray(file.getvalue())
    content[start + 9 : start + 20] = bytes(11)
    return bytes(content)


GOOD = build_zip(**{"nomad-driver-rocket": PROGRAM, "LICENSE": b"MPL", "README.md": b"# Rocket"})


def fetch_release(github: GitHub, folder: Path, files: dict[str, bytes], version: str = "1.1.0") -> bytes:
    github.seed(Repo(NAME))
    number = github.create_release(NAME, "v1.1.0")
    for name, content in files.items():
        github.upload_asset(NAME, number, "v1.1.0", name, content)
    return releases.fetch_nomad_plugin(
        replace(SUBJECT, tag=f"v{version}" if version else ""), Sources(), folder
    ).read_bytes()


def build_checksums(name: str, content: bytes) -> bytes:
    return f"{hashlib.sha256(content).hexdigest()}  {name}\n".encode()


def test_program_is_extracted_from_the_archive(github: GitHub, tmp_path: Path) -> None:
    checksum_file = {"nomad-driver-rocket_1.1.0_SHA256SUMS": build_checksums(ARCHIVE, GOOD)}
    assert fetch_release(github, tmp_path, {ARCHIVE: GOOD, **checksum_file}) == PROGRAM


def test_uncompressed_program_of_the_newest_release_is_fetched(github: GitHub, tmp_path: Path) -> None:
    assert fetch_release(github, tmp_path, {f"rocket-{get_platform().replace('_', '-')}": PROGRAM}, "") == PROGRAM


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, f"The release v1.1.0 has no file for {get_platform()}."),
        (
            {"rocket_plan9_386.zip": GOOD},
            f"The release v1.1.0 has no file for {get_platform()}.",
        ),
        (
            {ARCHIVE: GOOD, "SHA256SUMS": build_checksums(ARCHIVE, b"other")},
            f"SHA256SUMS lists a different checksum for {ARCHIVE}, so we don't start the file.",
        ),
        (
            {ARCHIVE: GOOD, "checksums.txt": build_checksums("other.zip", GOOD)},
            f"checksums.txt doesn't list {ARCHIVE}, so we don't start the file.",
        ),
        ({ARCHIVE: b"PK, or so it says"}, f"{ARCHIVE} can't be unpacked, so we don't start it."),
        *(
            ({ARCHIVE: build_damaged_zip(each)}, f"{ARCHIVE} can't be unpacked, so we don't start it.")
            for each in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
        ),
        (
            {ARCHIVE: build_zip(LICENSE=b"MPL")},
            f"{ARCHIVE} contains no programs. It must contain exactly one.",
        ),
        (
            {ARCHIVE: build_zip(one=PROGRAM, two=PROGRAM)},
            f"{ARCHIVE} contains 2 programs. It must contain exactly one.",
        ),
    ],
)
def test_unusable_release_is_refused_with_a_reason(
    github: GitHub, tmp_path: Path, files: dict[str, bytes], expected: str
) -> None:
    with pytest.raises(UnverifiedReleaseError) as refusal:
        fetch_release(github, tmp_path, files)
    assert str(refusal.value) == expected


def test_missing_release_is_refused(github: GitHub, tmp_path: Path) -> None:
    with pytest.raises(UnverifiedReleaseError, match=r"GitHub has no release 9\.9\.9\. Publish it"):
        fetch_release(github, tmp_path, {}, "9.9.9")
