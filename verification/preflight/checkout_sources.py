"""What can be seen in a local checkout? Sources that answer from a folder; what a folder cannot know is not run.

Nothing here passes for want of an answer: whatever is not read from the folder raises NotHere.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from django.conf import settings

from verification.checks import execution
from verification.checks.execution import NotHere
from verification.checks.types import Subject
from verification.outcomes import Evidence, Outcome, Result
from verification.sources.errors import Denied, Unavailable, Unreadable
from verification.sources.repository_snapshot import LARGEST, Code, File

T = TypeVar("T")
FOLDER = "a local folder does not show this; run it without --path."
NOT_ASKED = "not asked with --path"
# these compare what GitHub says with what was asked for, and a folder knows only the latter
ECHOES = frozenset({"repository.renamed"})
NOT_READ = frozenset({".git", ".hg", ".svn", ".terraform", "node_modules"})
MOST_FILES = 20_000
SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
REF = re.compile(r"ref: (refs/[\w./-]+)")


@dataclass(frozen=True, slots=True)
class Nowhere:
    """A source that is not asked at all."""

    reason: str

    def __getattr__(self, name: str) -> NoReturn:
        raise NotHere(self.reason)


@dataclass(frozen=True, slots=True)
class Checkout:
    """A repository as a folder shows it. `id` is 0 and `licence_spdx` blank: GitHub has not been asked for them."""

    full_name: str
    html_url: str
    id: int = 0
    licence_spdx: str = ""

    def __getattr__(self, name: str) -> NoReturn:
        """Visibility, owner, language according to GitHub: all that GitHub alone knows."""
        raise NotHere(FOLDER)


@dataclass(frozen=True, slots=True)
class FolderGitHub:
    """GitHub's answers as far as a folder holds them."""

    folder: Path

    def repository(self, full_name: str) -> Checkout:
        return Checkout(full_name, f"{settings.GITHUB_WEB_URL}/{full_name}")

    def code(self, full_name: str, ref: str) -> Code:
        """The files as they lie there, whatever the ref; the commit is the one that was checked out."""
        found = tuple(islice(files(self.folder), MOST_FILES + 1))
        kept = tuple(sorted(found[:MOST_FILES], key=lambda file: file.path))
        return Code(full_name, commit_of(self.folder), kept, len(found) > MOST_FILES, self._text)

    def _text(self, file: File) -> str:
        return text_of(self.folder / file.path, file.path)

    def __getattr__(self, name: str) -> NoReturn:
        raise NotHere(FOLDER)


@dataclass(frozen=True)
class FolderSources:
    """The sources of one run over a folder. Nothing is asked of the network."""

    folder: Path
    registry: Nowhere = Nowhere("the registry is not asked with --path.")
    web: Nowhere = Nowhere("no address is asked with --path.")
    _read: dict[str, Any] = field(default_factory=dict)

    @property
    def github(self) -> FolderGitHub:
        return FolderGitHub(self.folder)

    def read(self, key: str, function: Callable[[], T]) -> T:
        """See verification.checks.types.Sources."""
        if key not in self._read:
            try:
                self._read[key] = function()
            except Unreadable as refusal:
                self._read[key] = refusal
        answer: T | Unreadable = self._read[key]
        if isinstance(answer, Unreadable):
            raise answer
        return answer

    def __getattr__(self, name: str) -> NoReturn:
        raise NotHere(FOLDER)


def look(keys: Iterable[str], subject: Subject, folder: Path, begin: Callable[[str], None]) -> dict[str, Result]:
    """What each check says of the folder, in the order given."""
    found = execution.look(keys, subject, FolderSources(folder), begin)
    return {key: _honest(key, result) for key, result in found.items()}


def _honest(key: str, result: Result) -> Result:
    """The result with "not asked" where GitHub's word would stand."""
    if key in ECHOES:
        return Result(Outcome.NOT_RUN, f"Not looked at: {FOLDER}")
    told = (seen.label.endswith("according to GitHub") for seen in result.evidence)
    kept = (Evidence(seen.label, NOT_ASKED) if of else seen for of, seen in zip(told, result.evidence, strict=True))
    return replace(result, evidence=tuple(kept))


def files(folder: Path) -> Iterator[File]:
    """Every plain file below the folder. Links are not followed: what they lead to is not the repository's."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - NOT_READ)
        for name in sorted(names):
            path = Path(place) / name
            try:
                found = path.lstat()
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode):
                yield File(path.relative_to(folder).as_posix(), found.st_size)


def text_of(path: Path, shown: str) -> str:
    """A file's text as GitHub's client would give it. Raises Unavailable and Denied."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Denied(f"{shown} is no plain file.")
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise Denied(f"{shown} cannot be read: {error.strerror}.") from error
    if len(content) > LARGEST:
        raise Unavailable(f"{shown} has more than {LARGEST // 1024} KiB, so it was not read.")
    return content.decode("utf-8", "replace").replace("\x00", "")


def commit_of(folder: Path) -> str:
    """The commit that is checked out, "local" where the folder does not say. Nothing is run for it."""
    said = _line(folder / ".git" / "HEAD")
    if ref := REF.fullmatch(said):
        said = _line(folder / ".git" / ref[1]) if ".." not in ref[1] else ""
    return said if SHA.fullmatch(said) else "local"


def _line(path: Path) -> str:
    try:
        return text_of(path, path.name).split("\n", 1)[0].strip()
    except Unreadable:
        return ""
