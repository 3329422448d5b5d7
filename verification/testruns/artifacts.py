"""Executables of GitHub releases for this machine, verified by their checksums.

Nomad plugins have no registry: users download them from anywhere.
"""

import re
import shutil
import zipfile
import zlib
from pathlib import Path

from verification.checks.rules.shared_reads import find_newest_release, list_published_releases
from verification.checks.types import Subject
from verification.releases.artifacts.checksums import digest_of
from verification.sources import Sources
from verification.sources.github.client import GitHubRelease, ReleaseAsset
from verification.sources.http.client import ARCHIVE, SUMS
from verification.testruns.kinds.provider_schema.artifacts import UnverifiedReleaseError, get_platform

MAX_PROGRAM_BYTES = 1024**3
ZIP_SUFFIX = ".zip"
CHECKSUM_FILE_SUFFIXES = ("sha256sums", "checksums.txt")
TEXT_FILE_PATTERN = re.compile(r"licen[cs]e|readme|notice|changelog|copying", re.IGNORECASE)


def fetch_executable(subject: Subject, sources: Sources, folder: Path) -> Path:
    """Download and unpack the executable of the release.

    Raises:
        UnverifiedReleaseError: There is no file to start.
        SourceError: A source is unavailable or refuses the request.
    """
    release = _find_release(subject, sources)
    asset = _select_asset(release)
    path = folder / "release"
    with path.open("wb") as file:
        sha256 = sources.web.download(asset.url, ARCHIVE, file).sha256
    _verify_checksum(release, asset, sha256, sources)
    return _unpack(path, asset.name, folder / "plugin")


def _find_release(subject: Subject, sources: Sources) -> GitHubRelease:
    if not subject.repository:
        raise UnverifiedReleaseError("Enter the repository URL first.")
    releases = list_published_releases(subject, sources)
    tags = (f"v{subject.version}", subject.version)
    release = (
        next((each for each in releases if each.tag in tags), None)
        if subject.version
        else find_newest_release(releases)
    )
    if release is None:
        raise UnverifiedReleaseError(f"There is no release {subject.version or 'with a version as its tag'} on GitHub.")
    return release


def _select_asset(release: GitHubRelease) -> ReleaseAsset:
    """Return the file for this machine: its name ends with the platform, and it is a zip archive or not packed."""
    system, _, machine = get_platform().partition("_")
    names = [f"{system}{separator}{machine}" for separator in "_-"] if machine else []
    for asset in release.assets:
        if any(asset.name.lower().removesuffix(ZIP_SUFFIX).endswith(each) for each in names):
            return asset
    raise UnverifiedReleaseError(f"The release {release.tag} has no file for {get_platform() or 'this machine'}.")


def _verify_checksum(release: GitHubRelease, asset: ReleaseAsset, sha256: str, sources: Sources) -> None:
    """Verify the file against the list of checksums, if the release has one."""
    checksum_file = next((each for each in release.assets if each.name.lower().endswith(CHECKSUM_FILE_SUFFIXES)), None)
    if checksum_file is None:
        return
    expected_sha256 = digest_of(sources.web.get(checksum_file.url, SUMS).body, asset.name)
    if expected_sha256 != sha256:
        problem = "lists a different checksum for" if expected_sha256 else "doesn't list"
        raise UnverifiedReleaseError(f"{checksum_file.name} {problem} {asset.name}, so we don't start the file.")


def _unpack(path: Path, name: str, destination: Path) -> Path:
    """Return the program in the archive, or the file itself."""
    if not name.lower().endswith(ZIP_SUFFIX):
        return path.rename(destination)
    try:
        with zipfile.ZipFile(path) as archive:
            info = _find_program(archive.infolist(), name)
            with archive.open(info) as member, destination.open("wb") as file:
                shutil.copyfileobj(member, file, 1024 * 1024)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise UnverifiedReleaseError(f"{name} can't be unpacked, so we don't start it.") from error
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
        raise UnverifiedReleaseError(
            f"{name} holds {len(programs) or 'no'} programs; the one to start must stand alone in it."
        )
    if programs[0].file_size > MAX_PROGRAM_BYTES:
        raise UnverifiedReleaseError("The program is larger than 1 GiB, so we don't start it.")
    return programs[0]
