"""GitHub's responses as frozen dataclasses. An alias is the path of a field in the JSON if its name differs.

Parsers raise TypeError, KeyError, or ValueError for an unexpected shape.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, AliasPath, AwareDatetime, BeforeValidator, Field, TypeAdapter

from portal.core.value_types import JsonObject
from verification.sources.github.issue_models import CleanText, Number
from verification.sources.repository_snapshot import RepositoryFile

SHA_PATTERN = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def _get_spdx_id(license_data: JsonObject | None) -> object:
    return license_data.get("spdx_id") if license_data else None


Text = Annotated[CleanText, AfterValidator(str.strip)]
Flag = Annotated[bool, BeforeValidator(bool)]  # None counts as false


@dataclass(frozen=True, slots=True)
class GitHubRepository:
    """Repository as GitHub describes it. `license_spdx` is blank if GitHub finds no license file."""

    id: Number
    owner_id: Annotated[Number, Field(validation_alias=AliasPath("owner", "id"))]
    full_name: Text
    name: Text
    description: Text = ""
    archived: Flag = False
    private: Flag = False
    default_branch: Text = ""
    homepage: Text = ""
    license_spdx: Annotated[Text, BeforeValidator(_get_spdx_id), Field(validation_alias="license")] = ""
    language: Text = ""
    topics: Annotated[tuple[Text, ...], BeforeValidator(lambda topics: topics or ())] = ()
    html_url: Text = ""
    # "Organization" or "User", blank if GitHub omits it
    owner_type: Annotated[Text, Field(validation_alias=AliasPath("owner", "type"))] = ""
    open_issues: Annotated[Number, Field(validation_alias="open_issues_count")] = 0  # with open pull requests


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request. `state` is open or closed."""

    number: Number
    title: Annotated[Text, AfterValidator(lambda title: title[:200])]
    state: Text
    merged: Annotated[Flag, Field(validation_alias=AliasChoices("merged", "merged_at"))] = False
    draft: Flag = False
    html_url: Text = ""


@dataclass(frozen=True, slots=True)
class ReleaseAsset:
    """A file of a release. `size` in bytes."""

    id: Number
    name: Text
    size: Number
    url: Annotated[Text, Field(validation_alias="browser_download_url")]


@dataclass(frozen=True, slots=True)
class GitHubRelease:
    """GitHub release. `published_at` is None for a draft. The registry ignores the mark of a pre-release."""

    tag: Annotated[Text, Field(validation_alias="tag_name")]
    name: Text = ""
    published_at: AwareDatetime | None = None
    draft: Flag = False
    html_url: Text = ""
    assets: Annotated[tuple[ReleaseAsset, ...], BeforeValidator(lambda assets: assets or ())] = ()


clean_text = TypeAdapter(Text).validate_python
parse_number = TypeAdapter(Number).validate_python
parse_repository = TypeAdapter(GitHubRepository).validate_python
parse_pull_request = TypeAdapter(PullRequest).validate_python
parse_release = TypeAdapter(GitHubRelease).validate_python
parse_releases = TypeAdapter(tuple[GitHubRelease, ...]).validate_python


def parse_commit(raw: Mapping[str, object]) -> str:
    sha = clean_text(raw["sha"])
    if not SHA_PATTERN.fullmatch(sha):
        raise ValueError("not a commit")
    return sha


def parse_refs(raw: object) -> frozenset[str]:
    if not isinstance(raw, list):
        raise TypeError("expected a list")
    return frozenset(clean_text(ref["ref"]) for ref in raw)


def parse_workflow_states(raw: JsonObject) -> Mapping[str, str]:
    """Return the state of each workflow by its path, such as "active" or "disabled_inactivity"."""
    return {clean_text(workflow["path"]): clean_text(workflow["state"]) for workflow in raw["workflows"]}


def parse_tree(raw: JsonObject) -> tuple[tuple[RepositoryFile, ...], bool]:
    """Return the files without folders and submodules, and whether GitHub truncated the list."""
    files = tuple(
        RepositoryFile(clean_text(entry["path"]), parse_number(entry.get("size", 0)), parse_commit(entry))
        for entry in raw["tree"]
        if entry.get("type") == "blob"
    )
    return files, bool(raw.get("truncated"))


def parse_blob(raw: JsonObject) -> str:
    if raw.get("encoding") != "base64":
        raise ValueError("unexpected encoding")
    return base64.b64decode(raw["content"]).decode("utf-8", "replace").replace("\x00", "")
