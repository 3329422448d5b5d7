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

from portal.core.repository_urls import InvalidRepositoryUrlError, parse_repository
from verification.sources.errors import SourceError, SourceUnavailableError
from verification.sources.github.api import (
    TIMEOUT_SECONDS,
    GitHubApi,
    RateLimiter,
    ResponseCache,
    build_error,
    build_token_auth,
)
from verification.sources.repository_snapshot import RepositoryFile, RepositorySnapshot

__all__ = [
    "GitHubClient",
    "GitHubRelease",
    "GitHubRepository",
    "InvalidRepositoryUrlError",
    "PullRequest",
    "ReleaseAsset",
    "parse_repository",
]

MAX_FILE_BYTES = 512 * 1024  # bytes of a file that is read for its text
T = TypeVar("T")
REPOSITORY_PATH_PATTERN = re.compile(r"/repos/([^/?]+/[^/?]+)")
SHA_PATTERN = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class GitHubRepository:
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
class PullRequest:
    """A pull request. `state` is open or closed."""

    number: int
    title: str
    state: str
    merged: bool
    draft: bool
    author_id: int
    html_url: str


@dataclass(frozen=True, slots=True)
class ReleaseAsset:
    """A file of a release. `size` in bytes."""

    id: int
    name: str
    size: int
    url: str


@dataclass(frozen=True, slots=True)
class GitHubRelease:
    """A release. `published_at` is None for a draft."""

    tag: str
    name: str
    published_at: datetime | None
    draft: bool
    prerelease: bool
    html_url: str
    assets: tuple[ReleaseAsset, ...]


class GitHubClient:
    """A client for one run. Base address and token come from the settings unless given.

    `gate` counts the requests, `memory` keeps answers for later runs; without them nothing is counted or kept.
    """

    def __init__(
        self,
        base_url: str = "",
        token: str | None = None,
        *,
        auth: Auth | None = None,
        rate_limiter: RateLimiter | None = None,
        cache: ResponseCache | None = None,
    ) -> None:
        credential = auth or build_token_auth(settings.GITHUB_TOKEN if token is None else token)
        self._api = GitHubApi(base_url or settings.GITHUB_API_URL, credential, rate_limiter, cache, TIMEOUT_SECONDS)
        self._answers: dict[str, Any] = {}
        self._sees_private = credential is not None

    def repository(self, full_name: str) -> GitHubRepository:
        """The repository of that name, followed through a rename. Raises Unreadable."""
        what = f"the repository {full_name}"
        return _parse_response(what, _parse_repository, self._get(f"/repos/{full_name}", what))

    def releases(self, full_name: str) -> tuple[GitHubRelease, ...]:
        """The newest 30 releases, as GitHub orders them. Raises Unreadable."""
        what = f"the releases of {full_name}"
        return _parse_response(what, _parse_releases, self._get(f"/repos/{full_name}/releases", what))

    def code(self, full_name: str, ref: str) -> RepositorySnapshot:
        """The files of the commit that a tag or branch names; each is read when it is opened. Raises Unreadable."""
        what = f"the code of {full_name} at {ref}"
        commit = _parse_response(
            what, _parse_commit, self._get(f"/repos/{full_name}/commits/{quote(ref, safe='')}", what)
        )
        raw = self._get(f"/repos/{full_name}/git/trees/{commit}?recursive=1", what)
        files, cut = _parse_response(what, _parse_tree, raw)
        return RepositorySnapshot(full_name, commit, files, cut, lambda file: self._read_file(full_name, file))

    def has_branch(self, full_name: str, name: str) -> bool:
        """Whether a branch has exactly that name. Raises Unreadable.

        Asked as a list, which may be empty: an answer that nothing is there has no ETag and would cost each time.
        """
        what = f"the branches of {full_name} called {name}"
        refs = self._get(f"/repos/{full_name}/git/matching-refs/heads/{quote(name, safe='/')}", what)
        return f"refs/heads/{name}" in _parse_response(what, _parse_refs, refs)

    def pull(self, full_name: str, number: int) -> PullRequest:
        """A pull request by its number. Raises Unreadable."""
        what = f"pull request {number} of {full_name}"
        return _parse_response(what, _parse_pull_request, self._get(f"/repos/{full_name}/pulls/{number}", what))

    def user(self, login: str) -> int:
        """The number of an account, which stays when its name changes. Raises Unreadable."""
        return _parse_response(
            login, lambda raw: _parse_number(raw["id"]), self._get(f"/users/{login}", f"The account {login}")
        )

    def close(self) -> None:
        self._api.close()

    def _read_file(self, full_name: str, file: RepositoryFile) -> str:
        """A file's text; what is no UTF-8 in it is replaced."""
        what = f"{file.path} of {full_name}"
        if file.size > MAX_FILE_BYTES:
            raise SourceUnavailableError(f"{what} has more than {MAX_FILE_BYTES // 1024} KiB, so it was not read.")
        return _parse_response(what, _parse_blob, self._get(f"/repos/{full_name}/git/blobs/{file.sha}", what))

    def _get(self, path: str, what: str) -> Any:
        """Return the parsed answer about something public.

        The portal's credential may see private repositories that the person who asks cannot. They are answered as
        GitHub answers a stranger: as if they did not exist.
        """
        repository = REPOSITORY_PATH_PATTERN.match(path)
        if repository and self._sees_private:
            name = f"the repository {repository[1]}"
            if _parse_response(name, lambda raw: bool(raw["private"]), self._ask(repository[0], name)):
                raise build_error(404, name)
        return self._ask(path, what)

    def _ask(self, path: str, what: str) -> Any:
        """The parsed answer, asked once; a refusal is remembered too."""
        if path not in self._answers:
            try:
                self._answers[path] = self._api.get(path, what)
            except SourceError as error:
                self._answers[path] = error
        answer = self._answers[path]
        if isinstance(answer, SourceError):
            raise answer
        return answer


def _parse_response(what: str, parse: Callable[[Any], T], response: Any) -> T:
    """The answer in our shape; an answer of another shape is an outage."""
    try:
        return parse(response)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SourceUnavailableError(f"GitHub described {what} in a way that we do not understand.") from error


def clean_text(value: Any) -> str:
    """Text without what a database refuses; None is blank. Raises TypeError for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value.replace("\x00", "").encode("utf-8", "replace").decode().strip()


def _parse_number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"a number expected, not {type(value).__name__}")
    return value


def _parse_repository(raw: Mapping[str, Any]) -> GitHubRepository:
    license_data = raw.get("license") or {}
    return GitHubRepository(
        id=_parse_number(raw["id"]),
        owner_id=_parse_number(raw["owner"]["id"]),
        full_name=clean_text(raw["full_name"]),
        name=clean_text(raw["name"]),
        description=clean_text(raw.get("description")),
        archived=bool(raw.get("archived")),
        default_branch=clean_text(raw.get("default_branch")),
        homepage=clean_text(raw.get("homepage")),
        licence_spdx=clean_text(license_data.get("spdx_id")),
        language=clean_text(raw.get("language")),
        topics=tuple(clean_text(topic) for topic in raw.get("topics") or ()),
        html_url=clean_text(raw.get("html_url")),
        owner_type=clean_text(raw["owner"].get("type")),
    )


def _parse_commit(raw: Mapping[str, Any]) -> str:
    sha = clean_text(raw["sha"])
    if not SHA_PATTERN.fullmatch(sha):
        raise ValueError("no commit")
    return sha


def _parse_refs(raw: Any) -> frozenset[str]:
    if not isinstance(raw, list):
        raise TypeError("a list expected")
    return frozenset(clean_text(ref["ref"]) for ref in raw)


def _parse_tree(raw: Mapping[str, Any]) -> tuple[tuple[RepositoryFile, ...], bool]:
    """The files, folders and submodules apart, and whether the list is cut off."""
    files = (entry for entry in raw["tree"] if entry.get("type") == "blob")
    return tuple(_parse_tree_entry(entry) for entry in files), bool(raw.get("truncated"))


def _parse_tree_entry(raw: Mapping[str, Any]) -> RepositoryFile:
    return RepositoryFile(clean_text(raw["path"]), _parse_number(raw.get("size", 0)), _parse_commit(raw))


def _parse_blob(raw: Mapping[str, Any]) -> str:
    if raw.get("encoding") != "base64":
        raise ValueError("another encoding")
    return base64.b64decode(raw["content"]).decode("utf-8", "replace").replace("\x00", "")


def _parse_pull_request(raw: Mapping[str, Any]) -> PullRequest:
    return PullRequest(
        number=_parse_number(raw["number"]),
        title=clean_text(raw.get("title"))[:200],
        state=clean_text(raw["state"]),
        merged=bool(raw.get("merged") or raw.get("merged_at")),
        draft=bool(raw.get("draft")),
        author_id=_parse_number((raw.get("user") or {}).get("id", 0)),
        html_url=clean_text(raw.get("html_url")),
    )


def _parse_releases(raw: Any) -> tuple[GitHubRelease, ...]:
    if not isinstance(raw, list):
        raise TypeError("a list expected")
    return tuple(_parse_release(item) for item in raw)


def _parse_release(raw: Mapping[str, Any]) -> GitHubRelease:
    published_at = clean_text(raw.get("published_at"))
    return GitHubRelease(
        tag=clean_text(raw["tag_name"]),
        name=clean_text(raw.get("name")),
        published_at=datetime.fromisoformat(published_at) if published_at else None,
        draft=bool(raw.get("draft")),
        prerelease=bool(raw.get("prerelease")),
        html_url=clean_text(raw.get("html_url")),
        assets=tuple(_parse_asset(asset) for asset in raw.get("assets") or ()),
    )


def _parse_asset(raw: Mapping[str, Any]) -> ReleaseAsset:
    return ReleaseAsset(
        _parse_number(raw["id"]),
        clean_text(raw["name"]),
        _parse_number(raw["size"]),
        clean_text(raw["browser_download_url"]),
    )
