"""Which versions, for which platforms, did our checks see of an integration? Read from what they remembered."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from verification.checks.models import Observation
from verification.sources.published_versions import load_listing, sort_versions

REGISTRY_KEY, NEWEST_RELEASE_KEY = "registry", "release.newest"  # under what the checks remember it
MAX_VERSIONS = 30  # versions of a listing, the highest ones


@dataclass(frozen=True, slots=True)
class ObservedVersions:
    """What was seen of releases. `versions` highest first; `platforms` of the newest, None where nobody told, and
    `builds` those of others as far as they are known.

    `namespace` is the registry's full name ("acme/rocket"), blank where the registry was not asked.
    """

    version: str = ""
    versions: tuple[str, ...] = ()
    platforms: tuple[str, ...] | None = None
    namespace: str = ""
    since: str = ""
    builds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def get_platforms(self, version: str) -> tuple[str, ...] | None:
        """The platforms that a version was released for; None where nobody told."""
        newest_platforms = self.platforms if version == self.version else None
        return newest_platforms if newest_platforms is not None else self.builds.get(version)


NO_OBSERVED_VERSIONS = ObservedVersions()


def get_observed_versions(integrations: Collection[int]) -> dict[int, ObservedVersions]:
    """What was seen of each, by the integration's number, in one query."""
    rows = Observation.objects.filter(integration__in=integrations, key__in=(REGISTRY_KEY, NEWEST_RELEASE_KEY))
    values_by_integration: dict[int, dict[str, tuple[Any, str]]] = defaultdict(dict)
    for pk, key, value, since in rows.values_list("integration_id", "key", "value", "since"):
        values_by_integration[pk][key] = (value, since.isoformat())
    return {pk: _build_observed_versions(values_by_key) for pk, values_by_key in values_by_integration.items()}


def _build_observed_versions(values_by_key: dict[str, tuple[Any, str]]) -> ObservedVersions:
    value, since = values_by_key.get(REGISTRY_KEY, (None, ""))
    published_versions = load_listing(value)
    if published_versions is not None and published_versions.newest:
        versions = sort_versions(published_versions.versions)[:MAX_VERSIONS]
        return ObservedVersions(
            published_versions.newest,
            versions,
            published_versions.platforms,
            published_versions.full_name,
            since,
            published_versions.builds or {},
        )
    value, since = values_by_key.get(NEWEST_RELEASE_KEY, (None, ""))
    version = value if isinstance(value, str) else ""
    return ObservedVersions(version, (version,), None, "", since) if version else NO_OBSERVED_VERSIONS


def merge_versions(listed_versions: list[dict[str, Any]], observed_versions: ObservedVersions) -> list[dict[str, Any]]:
    """The versions of a listing with what is seen now: what was known of older ones stays known.

    A registry names all versions, and one that it took back goes; a release names itself alone.
    """
    versions_by_number = {version_data["version"]: version_data for version_data in listed_versions}
    older = (
        []
        if observed_versions.namespace
        else [version for version in versions_by_number if version not in observed_versions.versions]
    )
    all_versions = sort_versions([*observed_versions.versions, *older])[:MAX_VERSIONS]
    return [
        _add_platforms(
            versions_by_number.get(version, {"version": version, "platforms": None, "since": ""}), observed_versions
        )
        for version in all_versions
    ]


def _add_platforms(row: dict[str, Any], observed_versions: ObservedVersions) -> dict[str, Any]:
    """A version with its platforms, where they are told now."""
    platforms = observed_versions.get_platforms(row["version"])
    if platforms is None:
        return row
    since = row["since"] or (observed_versions.since if row["version"] == observed_versions.version else "")
    return row | {"platforms": list(platforms), "since": since}
