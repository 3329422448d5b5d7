"""Client for the provider registry: its v1 API, and its internal v2 API for what only that provides.

v2 is undocumented: missing data is returned as None, and callers must work without it.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from django.conf import settings
from pydantic import AwareDatetime, BeforeValidator, Field, TypeAdapter, ValidationError

from portal.core.value_types import JsonObject
from verification.sources.errors import (
    AccessDeniedError,
    MissingVersionError,
    RegistryUnavailableError,
    RequestRefusedError,
    SourceError,
    SourceNotFoundError,
    SourceUnavailableError,
)
from verification.sources.github.issue_models import Number
from verification.sources.github.responses import Text, clean_text
from verification.sources.http.client import JSON, OutboundClient
from verification.sources.published_versions import (
    MAX_BUILD_VERSIONS,
    REGISTRY_DELAY,
    VERSION_FIELDS,
    RegistryListing,
    find_newest_version,
    sort_versions,
)

T = TypeVar("T")
INCLUDE_QUERY = "include=provider-versions,moved-to"
PAGE_SIZE = 100
UNKNOWN_PROVIDER = "another provider"  # if the registry gives only its number
MAX_PAGES = 10  # of a namespace; the largest has 82 providers
TIME_ADAPTER: TypeAdapter[datetime] = TypeAdapter(AwareDatetime)


def _parse_optional(adapter: TypeAdapter[T], value: object) -> T | None:
    """Return the value, or None if it isn't what the adapter expects, such as a time without a time zone."""
    try:
        return adapter.validate_python(value)
    except ValidationError:
        return None


OptionalNumber = Annotated[int | None, BeforeValidator(partial(_parse_optional, TypeAdapter(Number)))]


@dataclass(slots=True)
class ProviderSummary:
    """Provider as the internal API describes it, without its versions."""

    full_name: Annotated[Text, Field(validation_alias="full-name")]
    source: Text
    tier: Text = ""
    description: Text = ""
    downloads: OptionalNumber = None
    repository_id: Annotated[OptionalNumber, Field(validation_alias="repository-id")] = None


parse_summary = TypeAdapter(ProviderSummary).validate_python


class RegistryClient:
    """Client for one run. The base URL comes from the settings unless given. `web` sends the requests."""

    def __init__(self, base_url: str = "", web: OutboundClient | None = None) -> None:
        self.base_url = (base_url or settings.REGISTRY_URL).rstrip("/")
        self._web = web or OutboundClient(loopback=settings.ALLOW_LOOPBACK_HTTP)

    def build_page_url(self, namespace: str, name: str) -> str:
        """Return the URL of the provider's page."""
        return f"{self.base_url}/providers/{quote(namespace)}/{quote(name)}/latest"

    def read_listing(self, namespace: str, name: str, previous: RegistryListing | None = None) -> RegistryListing:
        """Fetch the listing of a provider with up to four requests, or with one if nothing changed.

        Args:
            previous: The last known listing.

        Raises:
            SourceNotFoundError: The registry doesn't list the provider.
            MissingVersionError: The registry lists a version that it doesn't return, although it isn't new.
            SourceError: The registry can't be read.
        """
        full_name = f"{namespace}/{name}"
        path = f"providers/{_quote_part(namespace)}/{_quote_part(name)}"
        # A 304 only confirms what is stored, so an incomplete listing is fetched without its ETag.
        is_complete = previous is not None and (
            not previous.newest or None not in (previous.platforms, previous.docs, previous.builds)
        )
        try:
            listing = self._fetch_internal_listing(full_name, path, previous.etag if previous and is_complete else "")
        # The internal API is unsupported, so even its 404 doesn't prove that the registry lists no such provider. The
        # public one has no warning and no new name.
        except SourceError:
            listing = self._read(f"v1/{path}", full_name, _parse_public_listing)
            # The public API doesn't state the number, which stays the same as long as the source does.
            if previous is not None and previous.source == listing.source:
                listing = replace(listing, repository_id=previous.repository_id)
        if listing is None:
            assert previous is not None  # only its ETag is answered with "not modified"
            return previous
        latest = find_newest_version(listing.versions)
        fields: Mapping[str, Any] = {}
        # The registry never changes a published version, so its parts are fetched once. An older version that is new in
        # the list has platforms, too.
        if previous and previous.newest == latest and set(previous.versions) == set(listing.versions):
            fields = {name: getattr(previous, name) for name in VERSION_FIELDS}
        if latest and not (fields and is_complete):
            fields = self._fetch_version_fields(full_name, path, latest, listing.published_at)
        return replace(listing, newest=latest, **fields)

    def _fetch_internal_listing(self, full_name: str, path: str, etag: str) -> RegistryListing | None:
        """Fetch the listing from the internal API, without the fields of a single version.

        Return None if it still has the given ETag. Raises SourceError.
        """
        status, tag, body = self._fetch(f"{self.base_url}/v2/{path}?{INCLUDE_QUERY}", full_name, etag)
        return None if status == 304 else _parse_response(body, lambda raw: _parse_internal_listing(raw, tag))

    def _fetch_version_fields(
        self, full_name: str, path: str, version: str, published_at: datetime | None
    ) -> Mapping[str, object]:
        """Return `platforms`, `protocols`, and `docs` of a version, and `builds` of the highest. Raises SourceError."""
        try:
            builds = self._read(f"v1/{path}/versions", full_name, lambda raw: _parse_builds(raw, version))
            docs = self._read(f"v1/{path}/{_quote_part(version)}", f"{full_name} {version}", _count_pages)
        # The provider was just found, so only the version is missing: for a moment after a release, or for good.
        except SourceNotFoundError as error:
            is_new = published_at is not None and datetime.now(UTC) - published_at < REGISTRY_DELAY
            error_class = RegistryUnavailableError if is_new else MissingVersionError
            raise error_class(f"The registry lists {full_name} {version}, but doesn't return it.") from error
        return builds | {"docs": docs}

    def list_providers(self, namespace: str) -> tuple[ProviderSummary, ...]:
        """Return the listed providers of a namespace from the internal API, by name. Raises SourceError."""
        providers: list[ProviderSummary] = []
        for number in range(1, MAX_PAGES + 1):
            query = f"filter[namespace]={_quote_part(namespace)}&page[size]={PAGE_SIZE}&page[number]={number}"
            path = f"v2/providers?{quote(query, safe='=&%')}"
            page, has_next = self._read(path, f"the namespace {namespace}", _parse_provider_page)
            providers += page
            if not has_next:
                break
        return tuple(sorted(providers, key=lambda provider: provider.full_name.lower()))

    def _read(self, path: str, description: str, parse: Callable[[Any], T]) -> T:
        """Return the parsed response. Raises SourceError."""
        return _parse_response(self._fetch(f"{self.base_url}/{path}", description)[2], parse)

    def _fetch(self, address: str, description: str, etag: str = "") -> tuple[int, str, bytes]:
        """Return status (200 or 304), ETag, and body, within the limits of size and time. Raises SourceError."""
        headers = {"If-None-Match": etag} if etag else {}
        try:
            response = self._web.request(address, JSON, headers, redirects=0)
        except (RequestRefusedError, SourceUnavailableError) as refusal:
            raise RegistryUnavailableError(f"Can't read {description}: {refusal}") from refusal
        if etag and response.status == 304:
            return 304, etag, b""
        # Only a conditional request may be answered with 304. Without an ETag, it is an invalid response.
        if response.status == 404:
            raise SourceNotFoundError(f"The registry doesn't list {description}.")
        if response.status in {401, 403}:
            raise AccessDeniedError(f"The registry denies access to {description}.")
        if response.status != 200:
            raise RegistryUnavailableError(f"Can't read {description}: the registry returned status {response.status}.")
        return 200, response.headers.get("etag", "")[:200], response.body


def _parse_response(body: bytes, parse: Callable[[Any], T]) -> T:
    """Parse a response. Raises RegistryUnavailableError for an unexpected format."""
    try:
        return parse(json.loads(body))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise RegistryUnavailableError("Can't parse the registry's response.") from error


def _parse_internal_listing(raw: JsonObject, etag: str) -> RegistryListing:
    attributes = raw["data"]["attributes"]
    summary = parse_summary(raw["data"]["attributes"])
    included_items = [item for item in raw.get("included") or () if isinstance(item, dict)]
    entries = [item["attributes"] for item in included_items if item.get("type") == "provider-versions"]
    entry_by_version = {clean_text(entry["version"]): entry for entry in entries}
    versions = tuple(entry_by_version)
    newest_entry = entry_by_version.get(find_newest_version(versions), {})
    return RegistryListing(
        full_name=summary.full_name,
        source=summary.source,
        tier=summary.tier,
        versions=versions,
        # The API is undocumented, so a field can disappear. A missing one says nothing.
        warning=clean_text(attributes["warning"]) if "warning" in attributes else None,
        unlisted=bool(attributes["unlisted"]) if "unlisted" in attributes else None,
        moved_to=_find_moved_to(raw["data"], included_items),
        repository_id=summary.repository_id,
        etag=etag,
        downloads=summary.downloads,
        published_at=_parse_optional(TIME_ADAPTER, newest_entry.get("published-at")),
    )


def _parse_provider_page(raw: Any) -> tuple[list[ProviderSummary], bool]:
    """Return the listed providers of a page, and whether another page follows."""
    listed = [item["attributes"] for item in raw["data"] if not item["attributes"].get("unlisted")]
    return list(map(parse_summary, listed)), isinstance(raw["meta"]["pagination"]["next-page"], int)


def _find_moved_to(data: JsonObject, included_items: list[JsonObject]) -> str:
    """Return the full name of the provider that replaces this one, or an empty string if there is none."""
    relationship = (data.get("relationships") or {}).get("moved-to") or {}
    target = relationship.get("data")
    if not target:
        return ""
    for item in included_items:
        if (item.get("type"), item.get("id")) == (target.get("type"), target.get("id")):
            return clean_text(item["attributes"].get("full-name")) or UNKNOWN_PROVIDER
    return UNKNOWN_PROVIDER


def _parse_public_listing(raw: Any) -> RegistryListing:
    return RegistryListing(
        full_name=f"{clean_text(raw['namespace'])}/{clean_text(raw['name'])}",
        source=clean_text(raw["source"]),
        # Older registries have a flag instead of the tier.
        tier=clean_text(raw.get("tier")) or ("official" if raw.get("official") else ""),
        versions=tuple(clean_text(version) for version in raw.get("versions") or (raw["version"],)),
    )


def _parse_builds(raw: Any, version: str) -> dict[str, object]:
    """Return platforms and protocols of a version, None if it is not in the list, and the platforms of others."""
    entry_by_version = {clean_text(item["version"]): item for item in raw["versions"]}
    highest_versions = sort_versions(entry_by_version)[:MAX_BUILD_VERSIONS]
    builds = {each: _parse_platforms(entry_by_version[each]) for each in highest_versions}
    entry = entry_by_version.get(version)
    if entry is None:
        return {"platforms": None, "protocols": None, "builds": builds}
    protocols = tuple(clean_text(protocol) for protocol in entry.get("protocols") or ())
    return {"platforms": _parse_platforms(entry), "protocols": protocols, "builds": builds}


def _parse_platforms(item: JsonObject) -> tuple[str, ...]:
    platforms = item.get("platforms") or ()
    return tuple(f"{clean_text(each['os'])}_{clean_text(each['arch'])}" for each in platforms)


def _count_pages(raw: Any) -> dict[str, int]:
    """Return the number of pages by the registry's category."""
    return dict(Counter(clean_text(page.get("category")) or "other" for page in raw["docs"]))


def _quote_part(name: str) -> str:
    return quote(name, safe="")
