"""Reading of a repository: what GitHub and the registry state about an integration."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from portal.core.repository_urls import get_product_name
from verification.checks.rules.shared_reads import find_newest_release
from verification.checks.rules.signing_keys import read_signing_keys
from verification.checks.types import Subject
from verification.sources import Sources
from verification.sources.errors import SourceError, SourceNotFoundError
from verification.sources.github.responses import GitHubRelease, GitHubRepository
from verification.sources.published_versions import RegistryListing
from verification.sources.repository_snapshot import GoModule, RepositorySnapshot, parse_go_mod

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class RepositoryReading:
    """Data about a repository. Parts that don't exist are None or empty.

    `former_name` is the requested name if the repository was renamed. `unread` holds the messages of parts that
    couldn't be read.
    """

    repository: GitHubRepository | None = None
    releases: tuple[GitHubRelease, ...] = ()
    code: RepositorySnapshot | None = None
    go_module: GoModule = field(default_factory=GoModule)
    listing: RegistryListing | None = None
    signing_keys: tuple[str, ...] = ()
    former_name: str = ""
    unread: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.repository.name if self.repository else ""


def read_repository(
    full_name: str, sources: Sources, listing: RegistryListing | None = None, *, provider: str = ""
) -> RepositoryReading:
    """Read a repository, its newest release's code, and its registry listing.

    Args:
        full_name: "owner/name" of the repository.
        sources: The clients.
        listing: The listing, if it has been read already.
        provider: Full name of the provider, if it is known. The default follows from the repository's name.

    Raises:
        SourceError: The repository doesn't exist or can't be read.
    """
    # Without the repository, the other parts mean nothing, so this error isn't caught.
    repository = sources.github.get_repository(full_name)
    unread = list[str]()
    releases = try_read(lambda: sources.github.list_releases(repository.full_name), unread) or ()
    published = tuple(release for release in releases if not release.draft)
    newest = find_newest_release(published)
    ref = newest.tag if newest else repository.default_branch or "HEAD"
    code = try_read(lambda: sources.github.get_snapshot(repository.full_name, ref), unread)
    go_mod = try_read(lambda: code.read_text("go.mod"), unread) if code else None
    listing = listing or try_read(lambda: _find_listing(repository, sources, provider), unread)
    keys = listing and try_read(lambda: _read_fingerprints(listing, repository.full_name, sources), unread)
    return RepositoryReading(
        repository,
        published,
        code,
        parse_go_mod(go_mod or ""),
        listing,
        keys or (),
        former_name=full_name if full_name.lower() != repository.full_name.lower() else "",
        unread=tuple(dict.fromkeys(unread)),
    )


def _find_listing(repository: GitHubRepository, sources: Sources, provider: str) -> RegistryListing | None:
    """Return the provider that the registry publishes from this repository. Raises SourceError."""
    owner, name = repository.full_name.split("/")
    namespace, _, provider_name = (provider or f"{owner}/{get_product_name(name)}").partition("/")
    listing = sources.registry.read_listing(namespace, provider_name)
    # Someone else may have published a provider of this name. The public API states no number, so the name decides.
    return listing if listing.repository_id in (None, repository.id) else None


def _read_fingerprints(listing: RegistryListing, repository: str, sources: Sources) -> tuple[str, ...]:
    """Return the fingerprints of the keys that the registry has for the newest version. Raises SourceError."""
    namespace, name = listing.full_name.split("/")
    subject = Subject("", "", "", name, repository=repository, namespace=namespace, provider=name)
    return read_signing_keys(subject, sources).fingerprints


def try_read(read: Callable[[], Value], unread: list[str]) -> Value | None:
    """Return the value, or None. An outage adds its message to `unread`."""
    try:
        return read()
    # Absence is an answer, not a gap: only outages make a reading incomplete and keep old facts.
    except SourceNotFoundError:
        return None
    except SourceError as error:
        unread.append(str(error))
        return None
