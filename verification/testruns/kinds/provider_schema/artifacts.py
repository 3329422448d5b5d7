"""Which executable is started? The one of a release that passed the checks of its authenticity, and no other byte."""

import os
import shutil
import zipfile
from pathlib import Path

from verification.checks.rules.release import report_of
from verification.checks.types import Subject
from verification.outcomes import Outcome, Result
from verification.releases import Report
from verification.releases.inspection import Platform
from verification.sources import Sources
from verification.sources.errors import Unavailable
from verification.sources.http.client import ARCHIVE

AUTHENTIC = ("release.checksums", "release.signature", "release.key", "release.archive")
GOOD = (Outcome.PASS, Outcome.WARN)
MACHINES = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}
MOST = 2 * 1024**3


class NotAuthentic(Exception):
    """The release may not be started. The text is a sentence that says why."""


def here() -> str:
    """The platform that this worker runs, in the registry's words."""
    return MACHINES.get(os.uname().machine, "")


def authentic(subject: Subject, sources: Sources) -> tuple[Report, Platform]:
    """The release with its package for this machine. Raises NotAuthentic, and Unavailable after an outage."""
    if not (subject.namespace and subject.provider):
        raise NotAuthentic("No repository is named yet, so there is no release to start.")
    report = report_of(subject, sources)
    for answered in report.checks:
        if answered.id in AUTHENTIC:
            _judged(answered.title, answered.result)
    platform = report.release.platform(here())
    if platform is None or platform.archive is None or platform.archive_reply is None:
        raise NotAuthentic(f"The release has no package for {here() or 'this machine'}, which is what we can start.")
    return report, platform


def _judged(title: str, result: Result) -> None:
    if result.outcome == Outcome.ERROR:
        raise Unavailable(result.summary)
    if result.outcome not in GOOD:
        raise NotAuthentic(f"The release did not pass “{title}”, so it is not started. {result.summary}")


def fetched(platform: Platform, sources: Sources, folder: Path) -> Path:
    """The executable, the same bytes that were verified. Raises NotAuthentic, Unavailable and Refused."""
    reply, archive = platform.archive_reply, platform.archive
    assert reply is not None
    assert archive is not None
    path = folder / "archive.zip"
    with path.open("wb") as file:
        answer = sources.web.download(reply.address, ARCHIVE, file)
    if reply.answer is None or answer.sha256 != reply.answer.sha256:
        raise NotAuthentic("The archive is not the one any more whose signature was verified, so it is not started.")
    if not archive.program:
        raise NotAuthentic("The archive holds no program that Terraform would start.")
    executable = folder / "provider"
    with zipfile.ZipFile(path) as opened, executable.open("wb") as file:
        if opened.getinfo(archive.program).file_size > MOST:
            raise NotAuthentic("The program is larger than 2 GiB, so it is not started.")
        with opened.open(archive.program) as member:
            shutil.copyfileobj(member, file, 1024 * 1024)
    path.unlink()
    return executable
