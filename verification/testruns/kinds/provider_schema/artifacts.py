"""Executables of verified releases for provider schema inspections."""

import os
import shutil
import zipfile
from pathlib import Path

from verification.checks.rules.release import read_report
from verification.checks.types import Subject
from verification.outcomes import Outcome, Result
from verification.releases import Report
from verification.releases.inspection import Platform
from verification.sources import Sources
from verification.sources.errors import SourceUnavailableError
from verification.sources.http.client import ARCHIVE

AUTHENTICITY_CHECKS = ("release.checksums", "release.signature", "release.key", "release.archive")
GOOD_OUTCOMES = (Outcome.PASS, Outcome.WARN)
PLATFORM_BY_MACHINE = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}
MAX_PROGRAM_BYTES = 2 * 1024**3


class UnverifiedReleaseError(Exception):
    """The release must not be started. The message says why and is safe to display."""


def get_platform() -> str:
    """Return the platform of this worker in the registry's notation."""
    return PLATFORM_BY_MACHINE.get(os.uname().machine, "")


def verify_release(subject: Subject, sources: Sources) -> tuple[Report, Platform]:
    """Return the verified release and its package for this machine.

    Raises:
        UnverifiedReleaseError: The release failed verification.
        SourceError: A source is unavailable.
    """
    if not (subject.namespace and subject.provider):
        raise UnverifiedReleaseError("Enter the repository URL first.")
    report = read_report(subject, sources)
    for check in report.checks:
        if check.id in AUTHENTICITY_CHECKS:
            _require_good_outcome(check.title, check.result)
    platform = report.release.platform(get_platform())
    if platform is None or platform.archive is None or platform.archive_reply is None:
        raise UnverifiedReleaseError(
            f"The release has no package for {get_platform() or 'this machine'}, the platform of our worker."
        )
    return report, platform


def _require_good_outcome(title: str, result: Result) -> None:
    if result.outcome == Outcome.ERROR:
        raise SourceUnavailableError(result.summary)
    if result.outcome not in GOOD_OUTCOMES:
        raise UnverifiedReleaseError(f"The release didn't pass “{title}”, so we don't start it. {result.summary}")


def fetch_executable(platform: Platform, sources: Sources, folder: Path) -> Path:
    """Download the verified executable again and compare its checksum.

    Raises:
        UnverifiedReleaseError: The bytes differ from the verified ones.
        SourceError: A source is unavailable or refuses the request.
    """
    reply, archive = platform.archive_reply, platform.archive
    assert reply is not None
    assert archive is not None
    path = folder / "archive.zip"
    with path.open("wb") as file:
        answer = sources.web.download(reply.address, ARCHIVE, file)
    if reply.answer is None or answer.sha256 != reply.answer.sha256:
        raise UnverifiedReleaseError("The archive has changed since we verified its signature, so we don't start it.")
    if not archive.program:
        raise UnverifiedReleaseError("The archive contains no program that Terraform would start.")
    executable = folder / "provider"
    with zipfile.ZipFile(path) as archive_file, executable.open("wb") as file:
        if archive_file.getinfo(archive.program).file_size > MAX_PROGRAM_BYTES:
            raise UnverifiedReleaseError("The program is larger than 2 GiB, so we don't start it.")
        with archive_file.open(archive.program) as member:
            shutil.copyfileobj(member, file, 1024 * 1024)
    path.unlink()
    return executable
