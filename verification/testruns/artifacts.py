"""Which executable is asked? The one of the release on GitHub, for this machine, and as its checksums say.

Nomad's program has no registry: a plugin is hosted wherever users can download it.
"""

import re
import shutil
import zipfile
import zlib
from pathlib import Path

from verification.checks.rules.shared_reads import newest_of, published_releases
from verification.checks.types import Subject
from verification.releases.artifacts.checksums import digest_of
from verification.sources import Sources
from verification.sources.github.client import Asset, Release
from verification.sources.http.client import ARCHIVE, SUMS
from verification.testruns.kinds.provider_schema.artifacts import NotAuthentic, here

MOST = 1024**3
ZIP = ".zip"
LISTS = ("sha256sums", "checksums.txt")
TEXT = re.compile(r"licen[cs]e|readme|notice|changelog|copying", re.IGNORECASE)


def fetched(subject: Subject, sources: Sources, folder: Path) -> Path:
    """The executable of the release. Raises NotAuthentic where there is none to start, Unavailable and Refused."""
    release = _release(subject, sources)
    asset = _for_here(release)
    path = folder / "release"
    with path.open("wb") as file:
        sha256 = sources.web.download(asset.url, ARCHIVE, file).sha256
    _compare(release, asset, sha256, sources)
    return _unpacked(path, asset.name, folder / "plugin")


def _release(subject: Subject, sources: Sources) -> Release:
    if not subject.repository:
        raise NotAuthentic("No repository is named yet, so there is no release to start.")
    published = published_releases(subject, sources)
    wanted = (f"v{subject.version}", subject.version)
    found = next((each for each in published if each.tag in wanted), None) if subject.version else newest_of(published)
    if found is None:
        raise NotAuthentic(f"There is no release {subject.version or 'with a version as its tag'} on GitHub.")
    return found


def _for_here(release: Release) -> Asset:
    """The file for this machine: by its name, which ends with the platform, packed as a zip or not at all."""
    system, _, machine = here().partition("_")
    names = [f"{system}{between}{machine}" for between in "_-"] if machine else []
    for asset in release.assets:
        if any(asset.name.lower().removesuffix(ZIP).endswith(each) for each in names):
            return asset
    raise NotAuthentic(
        f"The release {release.tag} has no file for {here() or 'this machine'}, which is what we can start."
    )


def _compare(release: Release, asset: Asset, sha256: str, sources: Sources) -> None:
    """With the list of checksums, where the release has one."""
    listed = next((each for each in release.assets if each.name.lower().endswith(LISTS)), None)
    if listed is None:
        return
    wanted = digest_of(sources.web.get(listed.url, SUMS).body, asset.name)
    if wanted != sha256:
        said = "names another checksum for" if wanted else "does not name"
        raise NotAuthentic(f"{listed.name} {said} {asset.name}, so it is not started.")


def _unpacked(path: Path, name: str, into: Path) -> Path:
    """The program of the archive, or the file itself."""
    if not name.lower().endswith(ZIP):
        return path.rename(into)
    try:
        with zipfile.ZipFile(path) as opened:
            info = _program(opened.infolist(), name)
            with opened.open(info) as member, into.open("wb") as file:
                shutil.copyfileobj(member, file, 1024 * 1024)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise NotAuthentic(f"{name} cannot be unpacked, so it is not started.") from error
    return into


def _program(members: list[zipfile.ZipInfo], name: str) -> zipfile.ZipInfo:
    """The one member that is called like a program: without an ending, and no text that comes with releases."""
    found = [
        each for each in members
        if not each.is_dir() and "." not in (base := each.filename.rpartition("/")[2]) and not TEXT.fullmatch(base)
    ]  # fmt: skip
    if len(found) != 1:
        raise NotAuthentic(f"{name} holds {len(found) or 'no'} programs; the one to start must stand alone in it.")
    if found[0].file_size > MOST:
        raise NotAuthentic("The program is larger than 1 GiB, so it is not started.")
    return found[0]
