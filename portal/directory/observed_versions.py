"""Which versions, for which platforms, did our checks see of an integration? Read from what they remembered."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from verification.checks.models import Observation
from verification.sources.published_versions import highest_first, kept

REGISTRY, NEWEST = "registry", "release.newest"  # under what the checks remember it
SHOWN = 30  # versions of a listing, the highest ones


@dataclass(frozen=True, slots=True)
class Seen:
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

    def platforms_of(self, version: str) -> tuple[str, ...] | None:
        """The platforms that a version was released for; None where nobody told."""
        of_newest = self.platforms if version == self.version else None
        return of_newest if of_newest is not None else self.builds.get(version)


NOTHING = Seen()


def seen_of(integrations: Collection[int]) -> dict[int, Seen]:
    """What was seen of each, by the integration's number, in one query."""
    rows = Observation.objects.filter(integration__in=integrations, key__in=(REGISTRY, NEWEST))
    values: dict[int, dict[str, tuple[Any, str]]] = defaultdict(dict)
    for pk, key, value, since in rows.values_list("integration_id", "key", "value", "since"):
        values[pk][key] = (value, since.isoformat())
    return {pk: _seen(known) for pk, known in values.items()}


def _seen(known: dict[str, tuple[Any, str]]) -> Seen:
    value, since = known.get(REGISTRY, (None, ""))
    published = kept(value)
    if published is not None and published.newest:
        versions = highest_first(published.versions)[:SHOWN]
        return Seen(
            published.newest, versions, published.platforms, published.full_name, since, published.builds or {}
        )  # fmt: skip
    value, since = known.get(NEWEST, (None, ""))
    version = value if isinstance(value, str) else ""
    return Seen(version, (version,), None, "", since) if version else NOTHING


def grown(before: list[dict[str, Any]], seen: Seen) -> list[dict[str, Any]]:
    """The versions of a listing with what is seen now: what was known of older ones stays known.

    A registry names all versions, and one that it took back goes; a release names itself alone.
    """
    known = {each["version"]: each for each in before}
    older = [] if seen.namespace else [version for version in known if version not in seen.versions]
    every = highest_first([*seen.versions, *older])[:SHOWN]
    return [_filled(known.get(v, {"version": v, "platforms": None, "since": ""}), seen) for v in every]


def _filled(row: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """A version with its platforms, where they are told now."""
    platforms = seen.platforms_of(row["version"])
    if platforms is None:
        return row
    since = row["since"] or (seen.since if row["version"] == seen.version else "")
    return row | {"platforms": list(platforms), "since": since}
