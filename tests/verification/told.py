"""What the world outside is told to have said, for checks: the clients' answers without the clients."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from verification.base import NotFound, Subject, Unreadable
from verification.sources.github import Release, Repository
from verification.sources.registry import Listing

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
    licences_allowed=frozenset({"MPL-2.0", "MIT"}),
    licences_asked=frozenset({"BSD-4-Clause"}),
    licence_summary="MPL 2.0 or MIT",
    languages=("Go",),
)
REPOSITORY = Repository(
    id=4711,
    owner_id=47,
    full_name="acme/terraform-provider-rocket",
    name="terraform-provider-rocket",
    description="Launches rockets.",
    private=False,
    archived=False,
    default_branch="main",
    homepage="https://acme.example",
    licence_spdx="MPL-2.0",
    language="Go",
    topics=(),
    html_url="https://github.com/acme/terraform-provider-rocket",
)


def release(tag: str, *, draft: bool = False, prerelease: bool = False) -> Release:
    return Release(tag, tag, datetime(2026, 4, 1, tzinfo=UTC), draft, prerelease, f"https://example.test/{tag}", ())


def listing(source: str = "https://github.com/acme/terraform-provider-rocket") -> Listing:
    return Listing("acme/rocket", "community", "1.2.0", source, None, 10)


@dataclass
class Told:
    """Sources that answer with what they were given; an exception is raised, None is not found."""

    repository_said: Repository | Unreadable | Exception | None = REPOSITORY
    releases_said: tuple[Release, ...] | Unreadable = ()
    listing_said: Listing | Unreadable | None = None
    asked: list[str] = field(default_factory=list)

    @property
    def github(self) -> "Told":
        return self

    registry = web = github

    def read(self, _key: str, function: Any) -> Any:
        return function()

    def repository(self, full_name: str) -> Any:
        return self._say(self.repository_said, full_name)

    def releases(self, full_name: str) -> Any:
        return self._say(self.releases_said, full_name)

    def provider(self, namespace: str, name: str) -> Any:
        return self._say(self.listing_said, f"{namespace}/{name}")

    def page_of(self, namespace: str, name: str) -> str:
        return f"https://registry.example/{namespace}/{name}"

    def _say(self, said: Any, about: str) -> Any:
        self.asked.append(about)
        if said is None:
            raise NotFound(f"{about} is not there.")
        if isinstance(said, Exception):
            raise said
        return said
