"""Responses of GitHub as frozen dataclasses. Parsers raise TypeError, KeyError or ValueError for another shape."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from portal.core.value_types import JsonObject
from verification.sources.repository_snapshot import RepositoryFile

SHA_PATTERN = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class GitHubRepository:
    """A repository as GitHub describes it. `license_spdx` is "" where GitHub finds no license file."""

    id: int
    owner_id: int
    full_name: str
    name: str
    description: str
    archived: bool
    default_branch: str
    homepage: str
    license_spdx: str
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
    """GitHub release. For a draft, `published_at` has the value None."""

    tag: str
    name: str
    published_at: datetime | None
    draft: bool
    prerelease: bool
    html_url: str
    assets: tuple[ReleaseAsset, ...]


def clean_text(value: object) -> str:
    """Text without what a database refuses; None is blank. Raises TypeError for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value.replace("\x00", "").encode("utf-8", "replace").decode().strip()


def parse_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"a number expected, not {type(value).__name__}")
    return value


def parse_repository(raw: JsonObject) -> GitHubRepository:
    license_data = raw.get("license") or {}
    return GitHubRepository(
        id=parse_number(raw["id"]),
        owner_id=parse_number(raw["owner"]["id"]),
        full_name=clean_text(raw["full_name"]),
        name=clean_text(raw["name"]),
        description=clean_text(raw.get("description")),
        archived=bool(raw.get("archived")),
        default_branch=clean_text(raw.get("default_branch")),
        homepage=clean_text(raw.get("homepage")),
        license_spdx=clean_text(license_data.get("spdx_id")),
        language=clean_text(raw.get("language")),
        topics=tuple(clean_text(topic) for topic in raw.get("topics") or ()),
        html_url=clean_text(raw.get("html_url")),
        owner_type=clean_text(raw["owner"].get("type")),
    )


def parse_commit(raw: Mapping[str, object]) -> str:
    sha = clean_text(raw["sha"])
    if not SHA_PATTERN.fullmatch(sha):
        raise ValueError("no commit")
    return sha


def parse_refs(raw: object) -> frozenset[str]:
    if not isinstance(raw, list):
        raise TypeError("a list expected")
    return frozenset(clean_text(ref["ref"]) for ref in raw)


def parse_tree(raw: JsonObject) -> tuple[tuple[RepositoryFile, ...], bool]:
    """The files, folders and submodules apart, and whether the list is cut off."""
    files = (entry for entry in raw["tree"] if entry.get("type") == "blob")
    return tuple(_parse_tree_entry(entry) for entry in files), bool(raw.get("truncated"))


def _parse_tree_entry(raw: Mapping[str, object]) -> RepositoryFile:
    return RepositoryFile(clean_text(raw["path"]), parse_number(raw.get("size", 0)), parse_commit(raw))


def parse_blob(raw: JsonObject) -> str:
    if raw.get("encoding") != "base64":
        raise ValueError("another encoding")
    return base64.b64decode(raw["content"]).decode("utf-8", "replace").replace("\x00", "")


def parse_pull_request(raw: JsonObject) -> PullRequest:
    return PullRequest(
        number=parse_number(raw["number"]),
        title=clean_text(raw.get("title"))[:200],
        state=clean_text(raw["state"]),
        merged=bool(raw.get("merged") or raw.get("merged_at")),
        draft=bool(raw.get("draft")),
        author_id=parse_number((raw.get("user") or {}).get("id", 0)),
        html_url=clean_text(raw.get("html_url")),
    )


def parse_releases(raw: object) -> tuple[GitHubRelease, ...]:
    if not isinstance(raw, list):
        raise TypeError("a list expected")
    return tuple(_parse_release(item) for item in raw)


def _parse_release(raw: JsonObject) -> GitHubRelease:
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


def _parse_asset(raw: Mapping[str, object]) -> ReleaseAsset:
    return ReleaseAsset(
        parse_number(raw["id"]),
        clean_text(raw["name"]),
        parse_number(raw["size"]),
        clean_text(raw["browser_download_url"]),
    )
