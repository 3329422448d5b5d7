"""Fake sources of checks, which have the methods of the clients of GitHub and the registry."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from integrations.programs.schema import LicensePolicy, LicenseRule
from tests.fakes import signed_releases
from tests.fakes.github.server import build_license_text
from verification.checks.types import Subject
from verification.releases.install_layout import RECOMMENDED_PLATFORMS
from verification.sources.errors import SourceError, SourceNotFoundError
from verification.sources.github.responses import GitHubRelease, GitHubRepository, PullRequest, ReleaseAsset
from verification.sources.http import urls
from verification.sources.http.client import SourceResponse
from verification.sources.published_versions import RegistryListing
from verification.sources.repository_snapshot import RepositoryFile, RepositorySnapshot

REGISTRY = "https://registry.terraform.io"


def build_license_policy(
    allow: tuple[str, ...] = (), manual_review: tuple[str, ...] = (), languages: tuple[str, ...] = ("Go",)
) -> LicensePolicy:
    rule = LicenseRule("As published.", allow=allow, manual_review=manual_review)
    return LicensePolicy("MPL 2.0 or MIT", (rule,), languages)


SUBJECT = Subject(
    program="terraform-provider",
    edition="2026-06",
    product="Terraform",
    name="Rocket",
    repository="acme/terraform-provider-rocket",
    repository_id=4711,
    repository_owner_id=47,
    repository_pattern=r"terraform-provider-[a-z0-9-]+",
    repository_hint="terraform-provider-NAME",
    namespace="acme",
    provider="rocket",
    licenses=build_license_policy(allow=("MPL-2.0", "MIT"), manual_review=("BSD-4-Clause",)),
)
REPOSITORY = GitHubRepository(
    id=4711,
    owner_id=47,
    full_name="acme/terraform-provider-rocket",
    name="terraform-provider-rocket",
    description="Launches rockets.",
    archived=False,
    default_branch="main",
    homepage="https://acme.example",
    license_spdx="MPL-2.0",
    language="Go",
    topics=(),
    html_url="https://github.com/acme/terraform-provider-rocket",
)
# the platforms that the documentation of 2021 names
PLATFORMS_OF_2021 = (
    *("darwin_amd64", "freebsd_386", "freebsd_amd64", "freebsd_arm", "linux_386", "linux_amd64", "linux_arm"),
    *("openbsd_386", "openbsd_amd64", "solaris_amd64", "windows_386", "windows_amd64"),
)


def build_release(tag: str, *, draft: bool = False, assets: tuple[ReleaseAsset, ...] = ()) -> GitHubRelease:
    return GitHubRelease(tag, tag, datetime(2026, 4, 1, tzinfo=UTC), draft, f"https://example.test/{tag}", assets)


def build_registry_listing(**changes: Any) -> RegistryListing:
    """Return the registry's listing of a provider without problems."""
    return replace(
        RegistryListing(
            full_name="acme/rocket",
            source="https://github.com/acme/terraform-provider-rocket",
            tier="community",
            versions=("1.0.0", "1.2.0"),
            newest="1.2.0",
            platforms=RECOMMENDED_PLATFORMS,
            protocols=("6.0",),
            docs={"overview": 1, "resources": 2},
            warning="",
            unlisted=False,
            moved_to="",
            repository_id=4711,
            etag='"1"',
        ),
        **changes,
    )


def build_snapshot(texts: Mapping[str, str], *, is_truncated: bool = False) -> RepositorySnapshot:
    """Return a commit with these files."""
    files = tuple(RepositoryFile(path, len(text), str(at)) for at, (path, text) in enumerate(texts.items()))
    return RepositorySnapshot(
        "acme/terraform-provider-rocket", "9f3c1e", files, is_truncated, lambda file: texts[file.path]
    )


def build_assets(*names: str, size: int = 10) -> tuple[ReleaseAsset, ...]:
    """Return files of a release on GitHub."""
    return tuple(ReleaseAsset(at, name, size, f"https://example.com/{name}") for at, name in enumerate(names))


def build_release_answers(version: str = "1.0.0") -> dict[str, Any]:
    """Return the answers of GitHub and the registry about a release of acme/rocket without problems."""
    signed_release = signed_releases.build_release("rocket", version)
    base = f"{REGISTRY}/v1/providers/acme/rocket"
    version_entry = {"version": version, "protocols": ["5.0"], "platforms": [{"os": "linux", "arch": "amd64"}]}
    answers = {
        f"{base}/versions": {"versions": [version_entry]},
        f"{base}/{version}/download/linux/amd64": signed_release.build_package_response(
            f"{REGISTRY}/files", "linux_amd64"
        ),
    }
    files = {f"{REGISTRY}/files/{name}": content for name, content in signed_release.files.items()}
    assets = tuple(
        ReleaseAsset(at, name, len(signed_release.files[name]), "") for at, name in enumerate(signed_release.files)
    )
    return {
        "releases_answer": (build_release(f"v{version}", assets=assets),),
        "pages": {address: json.dumps(answer) for address, answer in answers.items()} | files,
    }


@dataclass
class FakeSources:
    """Sources with an answer for each method. Exceptions are raised, and None means not found."""

    repository_answer: GitHubRepository | SourceError | Exception | None = REPOSITORY
    releases_answer: tuple[GitHubRelease, ...] | SourceError = ()
    older_releases: tuple[GitHubRelease, ...] = ()  # not among the newest, which list_releases() returns
    listing_answer: RegistryListing | SourceError | None = None
    code_answer: RepositorySnapshot | SourceError | None = field(
        default_factory=lambda: build_snapshot({"LICENSE": build_license_text("MPL-2.0")})
    )
    branches: tuple[str, ...] = ()
    workflow_states_answer: Mapping[str, str] | SourceError = field(default_factory=dict)
    pull_request_answer: PullRequest | SourceError | None = None
    pages: Mapping[str, int | str | bytes | SourceError] = field(default_factory=dict)
    requested_addresses: list[str] = field(default_factory=list)

    base_url = REGISTRY

    @property
    def github(self) -> "FakeSources":
        return self

    registry = web = github

    def read(self, _key: str, function: Any) -> Any:
        return function()

    def get_repository(self, full_name: str) -> Any:
        return self._answer(self.repository_answer, full_name)

    def list_releases(self, full_name: str) -> Any:
        return self._answer(self.releases_answer, full_name)

    def get_release(self, full_name: str, tag: str) -> Any:
        release = next((each for each in self.older_releases if each.tag == tag), None)
        return self._answer(release, f"{full_name}/releases/tags/{tag}")

    def read_listing(self, namespace: str, name: str, before: Any = None) -> Any:
        return self._answer(self.listing_answer, f"{namespace}/{name}")

    def get_snapshot(self, full_name: str, ref: str) -> Any:
        return self._answer(self.code_answer, f"{full_name}@{ref}")

    def has_branch(self, full_name: str, name: str) -> bool:
        return name in self.branches

    def get_pull_request(self, full_name: str, number: int) -> Any:
        return self._answer(self.pull_request_answer, f"{full_name}#{number}")

    def list_workflow_states(self, full_name: str) -> Any:
        return self._answer(self.workflow_states_answer, f"{full_name}/actions/workflows")

    def request(self, address: str, kind: Any, headers: Any = None, *, into: Any = None, redirects: int = 0) -> Any:
        """Answer like the guarded client with a status or a page for each address, otherwise with 404."""
        self.requested_addresses.append(address)
        answer = self.pages.get(address, 404)
        if isinstance(answer, SourceError):
            raise answer
        status, body = (
            (answer, b"") if isinstance(answer, int) else (200, answer.encode() if isinstance(answer, str) else answer)
        )
        if into is not None:
            into.write(body)
        digest = hashlib.sha256(body).hexdigest()
        return SourceResponse(status, "", urls.parse_url(address), {}, b"" if into else body, len(body), digest)

    def build_page_url(self, namespace: str, name: str) -> str:
        return f"https://registry.example/{namespace}/{name}"

    def _answer(self, answer: Any, about: str) -> Any:
        self.requested_addresses.append(about)
        if answer is None:
            raise SourceNotFoundError(f"{about} is not there.")
        if isinstance(answer, Exception):
            raise answer
        return answer


def build_code_sources(texts: Mapping[str, str], *, is_truncated: bool = False, **fields: Any) -> FakeSources:
    """Return the sources of a repository with these files and the release v1.2.0."""
    snapshot = build_snapshot(texts, is_truncated=is_truncated)
    return FakeSources(releases_answer=(build_release("v1.2.0"),), code_answer=snapshot, **fields)
