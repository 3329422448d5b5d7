"""Versions and platforms that the checks observed for an integration."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from integrations.submissions.models import Integration
from portal.core.value_types import JsonObject
from verification.checks.models import Observation
from verification.checks.services import observations
from verification.sources.published_versions import RegistryListing, load_listing, sort_versions

REGISTRY_KEY = "registry"
NEWEST_RELEASE_KEY = "release.newest"
MAX_VERSIONS = 30  # highest versions of a listing


@dataclass(frozen=True, slots=True)
class ObservedVersions:
    """Observed releases of an integration.

    Attributes:
        version: The latest version.
        namespace: The registry name ("acme/rocket"), or an empty string without registry data.
        platforms: The known platforms by version.
    """

    version: str = ""
    versions: tuple[str, ...] = ()
    namespace: str = ""
    since: str = ""
    platforms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


NO_OBSERVED_VERSIONS = ObservedVersions()


def get_published_versions(integration: Integration) -> RegistryListing | None:
    """Return the last observed versions of the registry, or None."""
    return load_listing(observations.get_known_values(integration).get(REGISTRY_KEY))


def get_observed_versions(integrations: Collection[int]) -> dict[int, ObservedVersions]:
    """Return the observed versions of each integration by its ID, with one query."""
    rows = Observation.objects.filter(integration__in=integrations, key__in=(REGISTRY_KEY, NEWEST_RELEASE_KEY))
    values_by_integration: dict[int, dict[str, tuple[object, str]]] = defaultdict(dict)
    for pk, key, value, since in rows.values_list("integration_id", "key", "value", "since"):
        values_by_integration[pk][key] = (value, since.isoformat())
    return {pk: _build_observed_versions(values_by_integration[pk]) for pk in integrations}


def _build_observed_versions(values_by_key: dict[str, tuple[object, str]]) -> ObservedVersions:
    value, since = values_by_key.get(REGISTRY_KEY, (None, ""))
    published_versions = load_listing(value)
    if published_versions is not None and published_versions.newest:
        newest = published_versions.newest
        platforms = dict(published_versions.builds or {})
        if published_versions.platforms is not None:
            platforms[newest] = published_versions.platforms
        return ObservedVersions(newest, published_versions.versions, published_versions.full_name, since, platforms)
    # Without data of the registry, the newest release on GitHub is all that is known.
    value, since = values_by_key.get(NEWEST_RELEASE_KEY, (None, ""))
    version = value if isinstance(value, str) else ""
    return ObservedVersions(version, (version,), since=since) if version else NO_OBSERVED_VERSIONS


def merge_versions(listed_versions: list[JsonObject], observed_versions: ObservedVersions) -> list[JsonObject]:
    """Merge the versions of a listing with the observed ones and keep known platforms of older versions.

    The registry names all versions, so a missing version was withdrawn. A GitHub release names only itself.
    """
    versions_by_number = {version_data["version"]: version_data for version_data in listed_versions}
    known_versions = () if observed_versions.namespace else versions_by_number
    all_versions = sort_versions([*observed_versions.versions, *known_versions])[:MAX_VERSIONS]
    return [
        _add_platforms(
            versions_by_number.get(version, {"version": version, "platforms": None, "since": ""}), observed_versions
        )
        for version in all_versions
    ]


def _add_platforms(row: JsonObject, observed_versions: ObservedVersions) -> dict[str, object]:
    """Return a version with its platforms if they are observed now."""
    platforms = observed_versions.platforms.get(row["version"])
    if platforms is None:
        return row
    since = row["since"] or (observed_versions.since if row["version"] == observed_versions.version else "")
    return row | {"platforms": list(platforms), "since": since}
