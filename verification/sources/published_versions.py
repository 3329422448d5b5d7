"""Published versions of a provider in a registry, small enough to store until the next read.

Plain values: None for unknown data, which never counts as a good sign.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from portal.core.value_types import JsonObject
from verification.sources.errors import SourceError
from verification.terraform.versions import InvalidVersionError, Version, parse_version, select_newest_version

MAX_BUILD_VERSIONS = 30  # versions with stored platforms
VERSION_FIELDS = ("platforms", "protocols", "docs", "builds")


@dataclass(frozen=True, slots=True)
class RegistryListing:
    """A provider as a registry shows it.

    `versions` without the "v", as the registry lists them; `newest` is the one that users get. `platforms`,
    `protocols` and `docs` (category to number of pages) are those of `newest`; `builds` holds the platforms of the
    highest MOST versions. `warning`, `unlisted` and `moved_to` are None where the registry's internal API did not
    answer; `etag` names the answer, for the next question.
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

    def as_dict(self) -> JsonObject:
        """Return the listing as plain values for storage."""
        return asdict(self) | {
            "versions": list(self.versions),
            "platforms": None if self.platforms is None else list(self.platforms),
            "protocols": None if self.protocols is None else list(self.protocols),
            "docs": None if self.docs is None else dict(self.docs),
            "builds": None if self.builds is None else {version: list(on) for version, on in self.builds.items()},
        }


def load_listing(value: object) -> RegistryListing | None:
    """Load a listing from the output of `as_dict()`. Return None for any other value, so that all is fetched again."""
    if not isinstance(value, Mapping) or {*value, "builds"} != {
        dataclass_field.name for dataclass_field in fields(RegistryListing)
    }:
        return None
    lists = {key: tuple(value[key]) for key in ("versions", "platforms", "protocols") if value[key] is not None}
    builds = value.get("builds")  # older stored values don't contain builds
    platforms_by_version = (
        None if builds is None else {version: tuple(platforms) for version, platforms in builds.items()}
    )
    return RegistryListing(**{**value, **lists, "builds": platforms_by_version})


def parse_versions(texts: tuple[str, ...]) -> dict[Version, str]:
    """Return the valid versions with their original spelling."""
    spelling_by_version = {}
    for text in texts:
        try:
            spelling_by_version[parse_version(text)] = text
        except InvalidVersionError:
            continue
    return spelling_by_version


def sort_versions(texts: Iterable[str]) -> tuple[str, ...]:
    """Sort versions, highest first. Invalid versions come last."""
    unique_texts = tuple(dict.fromkeys(texts))
    ranks = {text: version.rank for version, text in parse_versions(unique_texts).items()}
    return (*sorted(ranks, key=ranks.__getitem__, reverse=True), *(text for text in unique_texts if text not in ranks))


def find_newest_version(texts: tuple[str, ...]) -> str:
    """Return the version that users get by default, blank without versions."""
    return select_newest_version(tuple(parse_versions(texts).values()))


def fetch_listing(client: Any, namespace: str, name: str, previous: RegistryListing | None) -> RegistryListing:
    """The picture now. One conditional question where nothing changed, three where something did.

    `client` is verification.sources.registry.client.RegistryClient. Raises SourceError; SourceNotFoundError when the
    registry lists no such provider.
    """
    try:
        listing = client.probe(namespace, name, _get_etag(previous))
    except SourceError:  # the internal API is unsupported, so fall back to the public one
        listing = client.detail(namespace, name)
    if listing is None and previous is not None:
        return previous
    latest = find_newest_version(listing.versions)
    version_fields = (
        {name: getattr(previous, name) for name in VERSION_FIELDS} if previous and previous.newest == latest else {}
    )
    if latest and (
        not version_fields or None in (version_fields["platforms"], version_fields["docs"], version_fields["builds"])
    ):
        version_fields = client.newest(namespace, name, latest)
    return replace(listing, newest=latest, **version_fields)


def _get_etag(previous: RegistryListing | None) -> str:
    """Return the ETag of the previous answer, blank if that listing is incomplete."""
    return previous.etag if previous and (previous.builds is not None or not previous.newest) else ""
