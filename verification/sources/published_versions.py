"""Published versions of a provider in a registry, small enough to store until the next read.

Plain values: None for unknown data, which never counts as a pass.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from pydantic import AwareDatetime, TypeAdapter, ValidationError

from portal.core.value_types import JsonObject
from verification.terraform.versions import Version, try_parse_version

MAX_BUILD_VERSIONS = 30  # versions with stored platforms
VERSION_FIELDS = ("platforms", "protocols", "docs", "builds")
# The registry imports a release within minutes, and its APIs can differ until then. A delay of up to an hour is normal.
REGISTRY_DELAY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RegistryListing:
    """Provider as listed in a registry.

    `versions` without the "v", as the registry lists them; `newest` is the one that users get. `platforms`,
    `protocols` and `docs` (category to number of pages) are those of `newest`; `builds` holds the platforms of the
    highest MAX_BUILD_VERSIONS versions. `published_at` is when `newest` was published. It, `warning`, `unlisted`,
    `moved_to`, and `downloads` are None if the registry's internal API was unavailable or didn't state them. `etag` is
    for the next conditional request.
    """

    full_name: str
    source: str
    tier: str
    versions: tuple[str, ...]
    newest: str = ""
    platforms: tuple[str, ...] | None = None
    protocols: tuple[str, ...] | None = None
    docs: Mapping[str, int] | None = None
    warning: str | None = None
    unlisted: bool | None = None
    moved_to: str | None = None
    repository_id: int | None = None
    etag: str = ""
    builds: Mapping[str, tuple[str, ...]] | None = None
    downloads: int | None = None
    published_at: AwareDatetime | None = None

    def as_dict(self) -> JsonObject:
        """Return the listing as plain values for storage."""
        return LISTING_ADAPTER.dump_python(self, mode="json")


LISTING_ADAPTER = TypeAdapter(RegistryListing)


def load_listing(value: object) -> RegistryListing | None:
    """Load a listing from the output of `as_dict()`. Return None for any other value, so that all is fetched again."""
    try:
        return LISTING_ADAPTER.validate_python(value)
    except ValidationError:
        return None


def parse_versions(texts: tuple[str, ...]) -> dict[Version, str]:
    """Return the valid versions with their original spelling."""
    return {version: text for text in texts if (version := try_parse_version(text)) is not None}


def sort_versions(texts: Iterable[str]) -> tuple[str, ...]:
    """Sort versions, highest first. Invalid versions come last."""
    unique_texts = tuple(dict.fromkeys(texts))
    ranks = {text: version.rank for version, text in parse_versions(unique_texts).items()}
    return (*sorted(ranks, key=ranks.__getitem__, reverse=True), *(text for text in unique_texts if text not in ranks))


def find_newest_version(texts: tuple[str, ...]) -> str:
    """Return the newest release, else the newest pre-release, which users get by default; blank without versions."""
    spelling_by_version = parse_versions(texts)
    # Not what the registry calls its latest version, which can be a pre-release that Terraform doesn't select.
    best = max(spelling_by_version, key=lambda version: version.preference, default=None)
    return "" if best is None else spelling_by_version[best]
