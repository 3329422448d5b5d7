"""What does GitHub say? The only module that talks to it, through PyGithub.

Each answer is a frozen dataclass; each refusal one of NotFound, Denied and Unavailable. What was asked once is
remembered for the life of the client: a run of checks sees one state of the world.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import github
import requests
from django.conf import settings

from integrations.repositories import BadAddress, parse_repository
from verification.base import Denied, NotFound, Unavailable, Unreadable

__all__ = ["Asset", "BadAddress", "GitHub", "Release", "Repository", "parse_repository"]

TIMEOUT = 10  # seconds to connect, and between two parts of an answer
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as GitHub describes it. `licence_spdx` is "" where GitHub finds no licence file."""

    id: int
    owner_id: int
    full_name: str
    name: str
    description: str
    private: bool
    archived: bool
    default_branch: str
    homepage: str
    licence_spdx: str
    language: str
    topics: tuple[str, ...]
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
    """A client for one run. Base address and token come from the settings unless given."""

    def __init__(self, base_url: str = "", token: str | None = None) -> None:
        chosen = settings.GITHUB_TOKEN if token is None else token
        self._client = github.Github(
            base_url=base_url or settings.GITHUB_API_URL,
            auth=github.Auth.Token(chosen) if chosen else None,
            timeout=TIMEOUT,
            retry=None,
            seconds_between_requests=None,
            user_agent="partner-portal",
        )
        self._known: dict[str, Any] = {}

    def repository(self, full_name: str) -> Repository:
        """The repository of that name, followed through a rename. Raises Unreadable."""
        what = f"the repository {full_name}"
        return _shaped(what, _repository, self._get(f"/repos/{full_name}", what))

    def releases(self, full_name: str) -> tuple[Release, ...]:
        """The newest 30 releases, as GitHub orders them. Raises Unreadable."""
        what = f"the releases of {full_name}"
        return _shaped(what, _releases, self._get(f"/repos/{full_name}/releases", what))

    def close(self) -> None:
        self._client.close()

    def _get(self, path: str, what: str) -> Any:
        """The parsed answer, asked once; a refusal is remembered too."""
        if path not in self._known:
            try:
                self._known[path] = self._ask(path, what)
            except Unreadable as refusal:
                self._known[path] = refusal
        answer = self._known[path]
        if isinstance(answer, Unreadable):
            raise answer
        return answer

    def _ask(self, path: str, what: str) -> Any:
        try:
            return self._client.requester.requestJsonAndCheck("GET", path)[1]
        except github.RateLimitExceededException as error:
            raise Unavailable(f"GitHub's limit for our requests is used up, so {what} was not read.") from error
        except github.BadCredentialsException as error:
            raise Unavailable(f"GitHub does not accept the portal's token, so {what} was not read.") from error
        except github.GithubException as error:
            raise _refusal(error.status, what) from error
        except (requests.RequestException, ValueError, RuntimeError, AssertionError) as error:
            raise Unavailable(f"GitHub did not answer usably, so {what} was not read.") from error


def _refusal(status: int, what: str) -> Unreadable:
    """404 and 451 say that nothing is to be seen, 403 that we may not, all else is an outage."""
    if status in {404, 451}:
        return NotFound(f"GitHub does not show {what}: it does not exist or is not public.")
    if status == 403:
        return Denied(f"GitHub does not let the portal read {what}.")
    return Unavailable(f"GitHub answered {status}, so {what} was not read.")


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
        private=bool(raw["private"]),
        archived=bool(raw.get("archived")),
        default_branch=text(raw.get("default_branch")),
        homepage=text(raw.get("homepage")),
        licence_spdx=text(licence.get("spdx_id")),
        language=text(raw.get("language")),
        topics=tuple(text(topic) for topic in raw.get("topics") or ()),
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
