"""What has a registry published of a provider? One picture of it, small enough to keep until the next look.

Plain values: what no answer told is None, and is never taken for a good sign.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from verification.base import Unreadable
from verification.layout import newest
from verification.versions import BadVersion, Version, parse


@dataclass(frozen=True, slots=True)
class Published:
    """A provider as a registry shows it.

    `versions` without the "v", as the registry lists them; `newest` is the one that users get. `platforms`,
    `protocols` and `docs` (category to number of pages) are those of `newest`. `warning`, `unlisted` and `moved_to`
    are None where the registry's internal API did not answer; `etag` names the answer, for the next question.
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

    def as_dict(self) -> dict[str, Any]:
        """As plain values, to be kept."""
        return asdict(self) | {
            "versions": list(self.versions),
            "platforms": None if self.platforms is None else list(self.platforms),
            "protocols": None if self.protocols is None else list(self.protocols),
            "docs": None if self.docs is None else dict(self.docs),
        }


def kept(value: Any) -> Published | None:
    """What as_dict() made, None for anything else: then everything is asked anew."""
    if not isinstance(value, Mapping) or set(value) != {item.name for item in fields(Published)}:
        return None
    lists = {key: tuple(value[key]) for key in ("versions", "platforms", "protocols") if value[key] is not None}
    return Published(**{**value, **lists})


def versions_in(texts: tuple[str, ...]) -> dict[Version, str]:
    """Each readable version with its spelling."""
    found = {}
    for text in texts:
        try:
            found[parse(text)] = text
        except BadVersion:
            continue
    return found


def newest_of(texts: tuple[str, ...]) -> str:
    """The version that users get who ask for none; blank where there is none."""
    return newest(tuple(versions_in(texts).values()))


def look(client: Any, namespace: str, name: str, before: Published | None) -> Published:
    """The picture now. One conditional question where nothing changed, three where something did.

    `client` is verification.sources.registry.Registry. Raises Unreadable; NotFound when the registry lists no such
    provider.
    """
    try:
        found = client.probe(namespace, name, before.etag if before else "")
    except Unreadable:  # the internal API is nobody's promise; the public one has the last word
        found = client.detail(namespace, name)
    if found is None and before is not None:
        return before
    latest = newest_of(found.versions)
    if before is not None and before.newest == latest and before.platforms is not None and before.docs is not None:
        known = {"platforms": before.platforms, "protocols": before.protocols, "docs": before.docs}
    else:
        known = client.newest(namespace, name, latest) if latest else {}
    return replace(found, newest=latest, **known)
