"""What can be seen in a local checkout? Sources that answer from a folder; what a folder cannot know is not run.

Nothing here passes for want of an answer: whatever is not read from the folder raises NotHere.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from verification.base import Unreadable
from verification.looking import NotHere

T = TypeVar("T")
FOLDER = "a local folder does not show this; run it without --path."


@dataclass(frozen=True, slots=True)
class Nowhere:
    """A source that is not asked at all."""

    reason: str

    def __getattr__(self, name: str) -> NoReturn:
        raise NotHere(self.reason)


@dataclass(frozen=True, slots=True)
class Checkout:
    """A repository as a folder shows it: what was said of it in the arguments, and its files."""

    full_name: str
    html_url: str = ""

    def __getattr__(self, name: str) -> NoReturn:
        """Visibility, owner, licence according to GitHub: all that GitHub alone knows."""
        raise NotHere(FOLDER)


@dataclass(frozen=True, slots=True)
class FolderGitHub:
    """GitHub's answers as far as a folder holds them."""

    folder: Path

    def repository(self, full_name: str) -> Checkout:
        return Checkout(full_name)

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
        """See verification.base.Sources."""
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
