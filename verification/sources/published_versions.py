"""What has a registry published of a provider? One picture of it, small enough to keep until the next look.

Plain values: what no answer told is None, and is never taken for a good sign.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from verification.sources.errors import Unreadable
from verification.terraform.versions import BadVersion, Version, newest, parse

MOST = 30  # versions whose platforms are kept
OF_VERSIONS = ("platforms", "protocols", "docs", "builds")


@dataclass(frozen=True, slots=True)
class Published:
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

    def as_dict(self) -> dict[str, Any]:
        """As plain values, to be kept."""
        return asdict(self) | {
            "versions": list(self.versions),
            "platforms": None if self.platforms is None else list(self.platforms),
            "protocols": None if self.protocols is None else list(self.protocols),
            "docs": None if self.docs is None else dict(self.docs),
            "builds": None if self.builds is None else {version: list(on) for version, on in self.builds.items()},
        }


def kept(value: Any) -> Published | None:
    """What as_dict() made, None for anything else: then everything is asked anew."""
    if not isinstance(value, Mapping) or {*value, "builds"} != {item.name for item in fields(Published)}:
        return None
    lists = {key: tuple(value[key]) for key in ("versions", "platforms", "protocols") if value[key] is not None}
    builds = value.get("builds")  # older pictures hold none
    known = None if builds is None else {version: tuple(on) for version, on in builds.items()}
    return Published(**{**value, **lists, "builds": known})


def versions_in(texts: tuple[str, ...]) -> dict[Version, str]:
    """Each readable version with its spelling."""
    found = {}
    for text in texts:
        try:
            found[parse(text)] = text
        except BadVersion:
            continue
    return found


def highest_first(texts: Iterable[str]) -> tuple[str, ...]:
    """Versions in their order, the highest first; what cannot be read as a version comes last."""
    every = tuple(dict.fromkeys(texts))
    ranks = {text: version.rank for version, text in versions_in(every).items()}
    return (*sorted(ranks, key=ranks.__getitem__, reverse=True), *(text for text in every if text not in ranks))


def newest_of(texts: tuple[str, ...]) -> str:
    """The version that users get who ask for none; blank where there is none."""
    return newest(tuple(versions_in(texts).values()))


def look(client: Any, namespace: str, name: str, before: Published | None) -> Published:
    """The picture now. One conditional question where nothing changed, three where something did.

    `client` is verification.sources.registry.client.Registry. Raises Unreadable; NotFound when the registry lists no
    such provider.
    """
    try:
        found = client.probe(namespace, name, _tag_of(before))
    except Unreadable:  # the internal API is nobody's promise; the public one has the last word
        found = client.detail(namespace, name)
    if found is None and before is not None:
        return before
    latest = newest_of(found.versions)
    known = {name: getattr(before, name) for name in OF_VERSIONS} if before and before.newest == latest else {}
    if latest and (not known or None in (known["platforms"], known["docs"], known["builds"])):
        known = client.newest(namespace, name, latest)
    return replace(found, newest=latest, **known)


def _tag_of(before: Published | None) -> str:
    """The answer that need not be told again; blank where something of it was not asked for yet."""
    return before.etag if before and (before.builds is not None or not before.newest) else ""
