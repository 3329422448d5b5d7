"""Executables of released software for this machine: verified provider packages, and Nomad plugins on GitHub."""

import lzma
import re
import shutil
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

from verification.checks.rules.release import read_report
from verification.checks.rules.shared_reads import read_release
from verification.checks.types import Subject
from verification.outcomes import Outcome
from verification.releases import TITLES, Report
from verification.releases.artifacts.checksums import find_digest
from verification.releases.inspection import Platform
from verification.sources import Sources
from verification.sources.errors import SourceUnavailableError
from verification.sources.github.responses import GitHubRelease, ReleaseAsset
from verification.sources.http.client import ARCHIVE, SUMS
from verification.testruns.terraform_cli import get_platform

# Without these, a program could come from anyone, and Terraform itself would refuse it.
AUTHENTICITY_CHECKS = ("release.checksums", "release.signature", "release.key", "release.archive")
GOOD_OUTCOMES = (Outcome.PASS, Outcome.WARN)
MAX_PROGRAM_GIBIBYTES = 2
ZIP_SUFFIX = ".zip"
CHECKSUM_FILE_SUFFIXES = ("sha256sums", "checksums.txt")
TEXT_FILE_PATTERN = re.compile(r"licen[cs]e|readme|notice|changelog|copying", re.IGNORECASE)
# zipfile raises RuntimeError for an encrypted file, and NotImplementedError for an unknown compression.
UNPACK_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError, RuntimeError)


class UnverifiedReleaseError(Exception):
    """The release must not be started. The message says why and is safe to display."""


def verify_provider(subject: Subject, sources: Sources) -> tuple[Report, Platform]:
    """Return the verified release of a provider and its package for this machine.

    Raises:
        UnverifiedReleaseError: The release failed verification.
        SourceError: A source is unavailable.
    """
    if not (subject.namespace and subject.provider):
        raise UnverifiedReleaseError("Enter the repository URL first.")
    report = read_report(subject, sources)
    listing = report.results["release.listed"]
    # Without the list of versions, the other checks have nothing to check, which looks like a fault of the release.
    if listing.outcome == Outcome.ERROR:
        raise SourceUnavailableError(listing.summary)
    if report.release.version_entry is None:
        raise UnverifiedReleaseError(f"The release can't be verified, so we don't start it. {listing.summary}")
    for id, result in report.results.items():
        if id in AUTHENTICITY_CHECKS and result.outcome not in GOOD_OUTCOMES:
            if result.outcome == Outcome.ERROR:
                raise SourceUnavailableError(result.summary)
            raise UnverifiedReleaseError(
                f"The release didn't pass “{TITLES[id]}”, so we don't start it. {result.summary}"
            )
    platform = report.release.get_platform(get_platform())
    if platform is None or platform.archive is None or platform.archive_reply is None:
        raise UnverifiedReleaseError(
            f"The release has no package for {get_platform() or 'this machine'}, the platform of our worker."
        )
    return report, platform


def fetch_provider(platform: Platform, sources: Sources, folder: Path) -> Path:
    """Download the verified executable of a provider again and compare its checksum.

    Raises:
        UnverifiedReleaseError: The bytes differ from the verified ones.
        SourceError: A source is unavailable or refuses the request.
    """
    reply = platform.archive_reply
    archive = platform.archive
    assert reply is not None
    assert archive is not None
    path = folder / "archive.zip"
    with path.open("wb") as file:
        response = sources.web.get(reply.address, ARCHIVE, into=file)
    # The address may now serve bytes other than those whose signature was verified.
    if reply.response is None or response.sha256 != reply.response.sha256:
        raise UnverifiedReleaseError("The archive has changed since we verified its signature, so we don't start it.")
    if not archive.program:
        raise UnverifiedReleaseError("The archive contains no program that Terraform would start.")
    return _unpack(path, "The archive", folder / "provider", archive.program)


def fetch_nomad_plugin(subject: Subject, sources: Sources, folder: Path) -> Path:
    """Download and unpack the executable of a Nomad plugin's release, verified by the release's checksums.

    Nomad plugins have no registry: users download them from anywhere.

    Raises:
        UnverifiedReleaseError: There is no file to start.
        SourceError: A source is unavailable or refuses the request.
    """
    release = _find_release(subject, sources)
    asset = _select_asset(release)
    path = folder / "release"
    executable = folder / "plugin"
    address, headers = sources.github.build_asset_request(subject.repository, asset)
    with path.open("wb") as file:
        sha256 = sources.web.get(address, ARCHIVE, headers, file).sha256
    _verify_checksum(release, asset, sha256, subject, sources)
    is_packed = asset.name.lower().endswith(ZIP_SUFFIX)
    return _unpack(path, asset.name, executable) if is_packed else path.rename(executable)


def _find_release(subject: Subject, sources: Sources) -> GitHubRelease:
    if not subject.repository:
        raise UnverifiedReleaseError("Enter the repository URL first.")
    version = subject.tag.removeprefix("v")
    release = read_release(subject, sources)
    if release is None and subject.tag:
        release = read_release(replace(subject, tag=version), sources)  # a tag without the "v" counts too
    if release is None:
        raise UnverifiedReleaseError(
            f"GitHub has no release {version or 'with a version tag'}. Publish it, then start the test again."
        )
    return release


def _select_asset(release: GitHubRelease) -> ReleaseAsset:
    """Return the file for this machine: its name ends with the platform, and it is a zip archive or not packed."""
    system, _, machine = get_platform().partition("_")
    names = [f"{system}{separator}{machine}" for separator in "_-"] if machine else []
    for asset in release.assets:
        if any(asset.name.lower().removesuffix(ZIP_SUFFIX).endswith(each) for each in names):
            return asset
    raise UnverifiedReleaseError(f"The release {release.tag} has no file for {get_platform() or 'this machine'}.")


def _verify_checksum(
    release: GitHubRelease, asset: ReleaseAsset, sha256: str, subject: Subject, sources: Sources
) -> None:
    """Verify the file against the list of checksums, if the release has one."""
    checksum_file = next((each for each in release.assets if each.name.lower().endswith(CHECKSUM_FILE_SUFFIXES)), None)
    # The Nomad Integration Program (Release) asks for no checksums: a plugin can be hosted anywhere.
    if checksum_file is None:
        return
    address, headers = sources.github.build_asset_request(subject.repository, checksum_file)
    expected_sha256 = find_digest(sources.web.get(address, SUMS, headers).body, asset.name)
    if expected_sha256 != sha256:
        problem = "lists a different checksum for" if expected_sha256 else "doesn't list"
        raise UnverifiedReleaseError(f"{checksum_file.name} {problem} {asset.name}, so we don't start the file.")


def _unpack(path: Path, name: str, destination: Path, program: str = "") -> Path:
    """Return the named program of an archive, by default the only one."""
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(program) if program else _find_program(archive.infolist(), name)
            # A small archive can unpack to any size.
            if info.file_size > MAX_PROGRAM_GIBIBYTES * 1024**3:
                raise UnverifiedReleaseError(
                    f"The program is larger than {MAX_PROGRAM_GIBIBYTES} GiB, so we don't start it."
                )
            with archive.open(info) as member, destination.open("wb") as file:
                shutil.copyfileobj(member, file, 1024 * 1024)
    except UNPACK_ERRORS as error:
        # An error with a number is one of this machine. The bz2 module raises one without for damaged data.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UnverifiedReleaseError(f"{name} can't be unpacked, so we don't start it.") from error
    path.unlink()
    return destination


def _find_program(members: list[zipfile.ZipInfo], name: str) -> zipfile.ZipInfo:
    """Return the only member that looks like a program: no extension, and not a text file of the release."""
    programs = [
        each
        for each in members
        if not each.is_dir()
        and "." not in (base := each.filename.rpartition("/")[2])
        and not TEXT_FILE_PATTERN.fullmatch(base)
    ]
    if len(programs) != 1:
        raise UnverifiedReleaseError(f"{name} contains {len(programs) or 'no'} programs. It must contain exactly one.")
    return programs[0]
