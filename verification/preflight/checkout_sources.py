"""Sources that read a local checkout. Checks that need GitHub or the registry don't run.

No check passes for lack of data: a read that the folder can't answer raises UnsupportedBySourceError.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import NoReturn

from django.conf import settings

from verification.checks import execution
from verification.checks.types import Subject
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import AccessDeniedError, SourceError, UnsupportedBySourceError
from verification.sources.repository_snapshot import MAX_FILE_BYTES, RepositoryFile, RepositorySnapshot

FOLDER_REASON = "a local folder doesn't show this. Run the check without --path."
NOT_ASKED_TEXT = "not requested with --path"
# These checks compare GitHub's response with the requested name, which is all that a folder has.
ECHOING_CHECKS = frozenset({"repository.renamed"})
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".terraform", "node_modules"})
MAX_FILES = 20_000
SHA_PATTERN = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# The files are read without git, which can run programs that the configuration of a repository names.
REF_PATTERN = re.compile(r"ref: (refs/[\w./-]+)")


@dataclass(frozen=True, slots=True)
class UnavailableSource:
    """Source of which nothing but the attributes of subclasses is available with --path."""

    reason: str = field(default=FOLDER_REASON, kw_only=True)

    def __getattr__(self, name: str) -> NoReturn:
        raise UnsupportedBySourceError(self.reason)


@dataclass(frozen=True, slots=True)
class CheckoutRepository(UnavailableSource):
    """Repository of a local checkout. `id` is 0 and `license_spdx` is blank because only GitHub has them.

    Nor are there other fields that only GitHub has, such as visibility, owner, and language.
    """

    full_name: str
    html_url: str
    id: int = 0
    license_spdx: str = ""


@dataclass(frozen=True, slots=True)
class CheckoutGitHub(UnavailableSource):
    """Replacement for the GitHub client that reads a folder."""

    folder: Path

    def get_repository(self, full_name: str) -> CheckoutRepository:
        return CheckoutRepository(full_name, f"{settings.GITHUB_WEB_URL}/{full_name}")

    def get_snapshot(self, full_name: str, ref: str) -> RepositorySnapshot:
        """Return the files in the folder and the checked-out commit. `ref` is ignored."""
        entries = tuple(islice(list_files(self.folder), MAX_FILES + 1))
        # Sorted by path like GitHub's trees, because some checks take the first match.
        sorted_files = tuple(sorted(entries[:MAX_FILES], key=lambda file: file.path))
        return RepositorySnapshot(
            full_name, read_commit(self.folder), sorted_files, len(entries) > MAX_FILES, self._read_text
        )

    def _read_text(self, file: RepositoryFile) -> str:
        return read_text(self.folder / file.path, file.path)


class CheckoutSources(Sources):
    """Sources for one run of checks on a folder. They send no requests."""

    def __init__(self, folder: Path) -> None:
        registry = UnavailableSource(reason="preflight doesn't request the registry with --path.")
        web = UnavailableSource(reason="preflight requests no address with --path.")
        super().__init__(CheckoutGitHub(folder), registry, web)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> NoReturn:
        raise UnsupportedBySourceError(FOLDER_REASON)


def run_checkout_checks(
    keys: Iterable[str], subject: Subject, folder: Path, report_start: Callable[[str], None]
) -> dict[str, Result]:
    """Run the checks on a folder and return their results in the given order."""
    results = execution.run_checks(keys, subject, CheckoutSources(folder), report_start)
    return {key: _mask_github_evidence(key, result) for key, result in results.items()}


def _mask_github_evidence(key: str, result: Result) -> Result:
    """Replace evidence from GitHub with a note. Return NOT_RUN for checks that only repeat the requested name."""
    if key in ECHOING_CHECKS:
        return Result(Outcome.NOT_RUN, f"Not checked: {FOLDER_REASON}")
    evidence = tuple(
        Evidence(item.label, NOT_ASKED_TEXT) if item.label.endswith("according to GitHub") else item
        for item in result.evidence
    )
    return replace(result, evidence=evidence)


def list_files(folder: Path) -> Iterator[RepositoryFile]:
    """Yield the regular files below a folder. Links are not followed because they can lead out of the repository.

    Raises:
        AccessDeniedError: A folder or file can't be read, so it isn't known whether the repository has a file.
    """
    for folder_path, folders, names in os.walk(folder, onerror=_raise_access_denied):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder_path) / name
            try:
                file_stat = path.lstat()
            except OSError as error:
                _raise_access_denied(error)
            if stat.S_ISREG(file_stat.st_mode):
                yield RepositoryFile(path.relative_to(folder).as_posix(), file_stat.st_size)


def _raise_access_denied(error: OSError) -> NoReturn:
    raise AccessDeniedError(f"{error.filename} cannot be read: {error.strerror}.") from error


def read_text(path: Path, display_path: str) -> str:
    """Return the text of a file as the GitHub client does.

    Raises:
        AccessDeniedError: The file can't be read or is not a regular file.
        UnsupportedBySourceError: The file is too large.
    """
    try:
        # A link can lead out of the folder, and opening a pipe would wait for its writer.
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise AccessDeniedError(f"{display_path} is not a regular file.")
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise AccessDeniedError(f"{display_path} cannot be read: {error.strerror}.") from error
    if len(content) > MAX_FILE_BYTES:
        raise UnsupportedBySourceError(f"{display_path} is larger than {MAX_FILE_BYTES // 1024} KiB.")
    return content.decode("utf-8", "replace").replace("\x00", "")


def read_commit(folder: Path) -> str:
    """Return the checked-out commit, or "local" if it is unknown. The files are read without running git."""
    line = _read_first_line(folder / ".git" / "HEAD")
    if ref := REF_PATTERN.fullmatch(line):
        # A ref is the text of a file, so it must not lead out of .git.
        line = _read_first_line(folder / ".git" / ref[1]) if ".." not in ref[1] else ""
    return line if SHA_PATTERN.fullmatch(line) else "local"


def _read_first_line(path: Path) -> str:
    try:
        return read_text(path, path.name).split("\n", 1)[0].strip()
    except SourceError:
        return ""
