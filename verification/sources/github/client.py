"""What does GitHub say? Its answers in our shapes; github_api.py asks, through PyGithub.

Each answer is a frozen dataclass; each refusal one of NotFound, Withheld, Denied and Unavailable. What was asked once
is remembered for the life of the client: a run of checks sees one state of the world.
"""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import quote

from django.conf import settings
from github.Auth import Auth

from portal.core.repository_urls import BadAddress, parse_repository
from verification.sources.errors import Unavailable, Unreadable
from verification.sources.github.api import TIMEOUT, Api, Gate, Memory, refusal, token_auth
from verification.sources.repository_snapshot import Code, File

__all__ = ["Asset", "BadAddress", "GitHub", "Pull", "Release", "Repository", "parse_repository"]

MAX_FILE = 512 * 1024  # bytes of a file that is read for its text
T = TypeVar("T")
REPOSITORY_PATH = re.compile(r"/repos/([^/?]+/[^/?]+)")
SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as GitHub describes it. `licence_spdx` is "" where GitHub finds no licence file."""

    id: int
    owner_id: int
    full_name: str
    name: str
    description: str
    archived: bool
    default_branch: str
    homepage: str
    licence_spdx: str
    language: str
    topics: tuple[str, ...]
    html_url: str
    owner_type: str = ""  # "Organization" or "User", blank where GitHub does not say


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request. `state` is open or closed."""

    number: int
    title: str
    state: str
    merged: bool
    draft: bool
    author_id: int
    html_url: str


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of a release. `size` in bytes."""

    id: int
    name: str
    size: int
    url: str


@dataclass(frozen=True, slots=True)
class Release:
    """A release. `published_at` is None for a draft."""

    tag: str
    name: str
    published_at: datetime | None
    draft: bool
    prerelease: bool
    html_url: str
    assets: tuple[Asset, ...]


class GitHub:
    """A client for one run. Base address and token come from the settings unless given.

    `gate` counts the requests, `memory` keeps answers for later runs; without them nothing is counted or kept.
    """

    def __init__(
        self,
        base_url: str = "",
        token: str | None = None,
        *,
        auth: Auth | None = None,
        gate: Gate | None = None,
        memory: Memory | None = None,
    ) -> None:
        chosen = auth or token_auth(settings.GITHUB_TOKEN if token is None else token)
        self._api = Api(base_url or settings.GITHUB_API_URL, chosen, gate, memory, TIMEOUT)
        self._known: dict[str, Any] = {}
        self._sees_private = chosen is not None

    def repository(self, full_name: str) -> Repository:
        """The repository of that name, followed through a rename. Raises Unreadable."""
        what = f"the repository {full_name}"
        return _shaped(what, _repository, self._get(f"/repos/{full_name}", what))

    def releases(self, full_name: str) -> tuple[Release, ...]:
        """The newest 30 releases, as GitHub orders them. Raises Unreadable."""
        what = f"the releases of {full_name}"
        return _shaped(what, _releases, self._get(f"/repos/{full_name}/releases", what))

    def code(self, full_name: str, ref: str) -> Code:
        """The files of the commit that a tag or branch names; each is read when it is opened. Raises Unreadable."""
        what = f"the code of {full_name} at {ref}"
        commit = _shaped(what, _commit, self._get(f"/repos/{full_name}/commits/{quote(ref, safe='')}", what))
        raw = self._get(f"/repos/{full_name}/git/trees/{commit}?recursive=1", what)
        files, cut = _shaped(what, _tree, raw)
        return Code(full_name, commit, files, cut, lambda file: self._file(full_name, file))

    def has_branch(self, full_name: str, name: str) -> bool:
        """Whether a branch has exactly that name. Raises Unreadable.

        Asked as a list, which may be empty: an answer that nothing is there has no ETag and would cost each time.
        """
        what = f"the branches of {full_name} called {name}"
        found = self._get(f"/repos/{full_name}/git/matching-refs/heads/{quote(name, safe='/')}", what)
        return f"refs/heads/{name}" in _shaped(what, _refs, found)

    def pull(self, full_name: str, number: int) -> Pull:
        """A pull request by its number. Raises Unreadable."""
        what = f"pull request {number} of {full_name}"
        return _shaped(what, _pull, self._get(f"/repos/{full_name}/pulls/{number}", what))

    def user(self, login: str) -> int:
        """The number of an account, which stays when its name changes. Raises Unreadable."""
        return _shaped(login, lambda raw: _number(raw["id"]), self._get(f"/users/{login}", f"The account {login}"))

    def close(self) -> None:
        self._api.close()

    def _file(self, full_name: str, file: File) -> str:
        """A file's text; what is no UTF-8 in it is replaced."""
        what = f"{file.path} of {full_name}"
        if file.size > MAX_FILE:
            raise Unavailable(f"{what} has more than {MAX_FILE // 1024} KiB, so it was not read.")
        return _shaped(what, _blob, self._get(f"/repos/{full_name}/git/blobs/{file.sha}", what))

    def _get(self, path: str, what: str) -> Any:
        """Return the parsed answer about something public.

        The portal's credential may see private repositories that the person who asks cannot. They are answered as
        GitHub answers a stranger: as if they did not exist.
        """
        repository = REPOSITORY_PATH.match(path)
        if repository and self._sees_private:
            name = f"the repository {repository[1]}"
            if _shaped(name, lambda raw: bool(raw["private"]), self._ask(repository[0], name)):
                raise refusal(404, name)
        return self._ask(path, what)

    def _ask(self, path: str, what: str) -> Any:
        """The parsed answer, asked once; a refusal is remembered too."""
        if path not in self._known:
            try:
                self._known[path] = self._api.get(path, what)
            except Unreadable as refusal:
                self._known[path] = refusal
        answer = self._known[path]
        if isinstance(answer, Unreadable):
            raise answer
        return answer


def _shaped(what: str, shape: Callable[[Any], T], answer: Any) -> T:
    """The answer in our shape; an answer of another shape is an outage."""
    try:
        return shape(answer)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unavailable(f"GitHub described {what} in a way that we do not understand.") from error


def text(value: Any) -> str:
    """Text without what a database refuses; None is blank. Raises TypeError for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value.replace("\x00", "").encode("utf-8", "replace").decode().strip()


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"a number expected, not {type(value).__name__}")
    return value


def _repository(raw: Mapping[str, Any]) -> Repository:
    licence = raw.get("license") or {}
    return Repository(
        id=_number(raw["id"]),
        owner_id=_number(raw["owner"]["id"]),
        full_name=text(raw["full_name"]),
        name=text(raw["name"]),
        description=text(raw.get("description")),
        archived=bool(raw.get("archived")),
        default_branch=text(raw.get("default_branch")),
        homepage=text(raw.get("homepage")),
        licence_spdx=text(licence.get("spdx_id")),
        language=text(raw.get("language")),
        topics=tuple(text(topic) for topic in raw.get("topics") or ()),
        html_url=text(raw.get("html_url")),
        owner_type=text(raw["owner"].get("type")),
    )


def _commit(raw: Mapping[str, Any]) -> str:
    sha = text(raw["sha"])
    if not SHA.fullmatch(sha):
        raise ValueError("no commit")
    return sha


def _refs(raw: Any) -> frozenset[str]:
    if not isinstance(raw, list):
        raise TypeError("a list expected")
    return frozenset(text(ref["ref"]) for ref in raw)


def _tree(raw: Mapping[str, Any]) -> tuple[tuple[File, ...], bool]:
    """The files, folders and submodules apart, and whether the list is cut off."""
    files = (entry for entry in raw["tree"] if entry.get("type") == "blob")
    return tuple(_entry(entry) for entry in files), bool(raw.get("truncated"))


def _entry(raw: Mapping[str, Any]) -> File:
    return File(text(raw["path"]), _number(raw.get("size", 0)), _commit(raw))


def _blob(raw: Mapping[str, Any]) -> str:
    if raw.get("encoding") != "base64":
        raise ValueError("another encoding")
    return base64.b64decode(raw["content"]).decode("utf-8", "replace").replace("\x00", "")


def _pull(raw: Mapping[str, Any]) -> Pull:
    return Pull(
        number=_number(raw["number"]),
        title=text(raw.get("title"))[:200],
        state=text(raw["state"]),
        merged=bool(raw.get("merged") or raw.get("merged_at")),
        draft=bool(raw.get("draft")),
        author_id=_number((raw.get("user") or {}).get("id", 0)),
        html_url=text(raw.get("html_url")),
    )


def _releases(raw: Any) -> tuple[Release, ...]:
    if not isinstance(raw, list):
        raise TypeError("a list expected")
    return tuple(_release(item) for item in raw)


def _release(raw: Mapping[str, Any]) -> Release:
    published = text(raw.get("published_at"))
    return Release(
        tag=text(raw["tag_name"]),
        name=text(raw.get("name")),
        published_at=datetime.fromisoformat(published) if published else None,
        draft=bool(raw.get("draft")),
        prerelease=bool(raw.get("prerelease")),
        html_url=text(raw.get("html_url")),
        assets=tuple(_asset(asset) for asset in raw.get("assets") or ()),
    )


def _asset(raw: Mapping[str, Any]) -> Asset:
    return Asset(_number(raw["id"]), text(raw["name"]), _number(raw["size"]), text(raw["browser_download_url"]))
