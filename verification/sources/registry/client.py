"""What does the provider registry say? A small client of its v1 API and, for what only it tells, of its internal v2.

v2 is nobody's promise: everything of it that is missing is None, and whoever reads it can do without.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import quote

from django.conf import settings

from verification.sources.errors import Denied, NotFound, Refused, Unavailable
from verification.sources.github.client import text
from verification.sources.http.client import JSON, Outbound
from verification.sources.published_versions import MOST, Published, highest_first, look

T = TypeVar("T")
MAX_BYTES = 10 * 1024 * 1024
INCLUDE = "include=provider-versions,moved-to"


class Registry:
    """A client for one run. The base address comes from the settings unless given; `web` is what asks."""

    def __init__(self, base_url: str = "", web: Outbound | None = None) -> None:
        self.base_url = (base_url or settings.REGISTRY_URL).rstrip("/")
        self._web = web or Outbound(loopback=settings.LOOPBACK_SOURCES)

    def page_of(self, namespace: str, name: str, version: str = "latest") -> str:
        """Where people see the provider."""
        return f"{self.base_url}/providers/{quote(namespace)}/{quote(name)}/{quote(version)}"

    def published(self, namespace: str, name: str, before: Published | None = None) -> Published:
        """What it has published of NAMESPACE/NAME; `before` is what it had at the last look. Raises Unreadable."""
        return look(self, namespace, name, before)

    def probe(self, namespace: str, name: str, etag: str = "") -> Published | None:
        """The picture in the internal answer, without what belongs to one version; None where it still is the one
        of that ETag. Raises Unreadable."""
        address = f"{self.base_url}/v2/providers/{_part(namespace)}/{_part(name)}?{INCLUDE}"
        status, tag, body = self._fetch(address, f"{namespace}/{name}", etag)
        return None if status == 304 else _shaped(lambda: _internal(json.loads(body), tag))

    def detail(self, namespace: str, name: str) -> Published:
        """The picture in the public answer, which knows no warning and no move. Raises Unreadable."""
        raw = self._json(f"v1/providers/{_part(namespace)}/{_part(name)}", f"{namespace}/{name}")
        return _shaped(lambda: _public(raw))

    def newest(self, namespace: str, name: str, version: str) -> Mapping[str, Any]:
        """`platforms`, `protocols` and `docs` of one version, and the `builds` of the highest. Raises Unreadable."""
        wanted, place = f"{namespace}/{name}", f"v1/providers/{_part(namespace)}/{_part(name)}"
        listed = self._json(f"{place}/versions", wanted)
        pages = self._json(f"{place}/{_part(version)}", f"{wanted} {version}")
        return _shaped(lambda: {**_built(listed, version), "docs": _pages(pages)})

    def _json(self, path: str, wanted: str) -> Any:
        body = self._fetch(f"{self.base_url}/{path}", wanted)[2]
        return _shaped(lambda: json.loads(body))

    def _fetch(self, address: str, wanted: str, etag: str = "") -> tuple[int, str, bytes]:
        """Status (200 or 304), ETag and body, within the limits of size and time. Raises Unreadable."""
        headers = {"If-None-Match": etag} if etag else {}
        try:
            answer = self._web.ask(address, replace(JSON, limit=MAX_BYTES), headers, redirects=0)
        except (Refused, Unavailable) as refusal:
            raise Unavailable(f"The registry did not answer usably, so {wanted} was not read: {refusal}") from refusal
        if etag and answer.status == 304:
            return 304, etag, b""
        _refuse(answer.status, wanted)
        return 200, answer.headers.get("etag", "")[:200], answer.body


def _refuse(status: int, wanted: str) -> None:
    if status == 404:
        raise NotFound(f"The registry does not list {wanted}.")
    if status in {401, 403}:
        raise Denied(f"The registry does not let the portal read {wanted}.")
    if status != 200:
        raise Unavailable(f"The registry answered {status}, so {wanted} was not read.")


def _shaped(shape: Callable[[], T]) -> T:
    """The answer in our shape; an answer of another shape is an outage."""
    try:
        return shape()
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Unavailable("The registry described the provider in a way that we do not understand.") from error


def _internal(said: Mapping[str, Any], etag: str) -> Published:
    own = said["data"]["attributes"]
    included = [item for item in said.get("included") or () if isinstance(item, dict)]
    number = own.get("repository-id")
    return Published(
        full_name=text(own["full-name"]),
        source=text(own["source"]),
        tier=text(own.get("tier")),
        versions=tuple(text(i["attributes"]["version"]) for i in included if i.get("type") == "provider-versions"),
        warning=text(own.get("warning")),
        unlisted=bool(own.get("unlisted")),
        moved_to=_moved(said["data"], included),
        repository_id=number if isinstance(number, int) else None,
        etag=etag,
    )


def _moved(data: Mapping[str, Any], included: list[dict[str, Any]]) -> str:
    """The full name of the provider that took its place; blank where none did."""
    related = (data.get("relationships") or {}).get("moved-to") or {}
    target = related.get("data") or {}
    found = (i for i in included if (i.get("type"), i.get("id")) == (target.get("type"), target.get("id")))
    return next((text(i["attributes"].get("full-name")) for i in found if target), text(target.get("id")))


def _public(raw: Any) -> Published:
    return Published(
        full_name=f"{text(raw['namespace'])}/{text(raw['name'])}",
        source=text(raw["source"]),
        tier=text(raw.get("tier")) or ("official" if raw.get("official") else ""),
        versions=tuple(text(version) for version in raw.get("versions") or (raw["version"],)),
    )


def _built(raw: Any, version: str) -> dict[str, Any]:
    """Platforms and protocols of one version, None where the list does not hold it, and the platforms of others."""
    listed = {text(item["version"]): item for item in raw["versions"]}
    builds = {each: _platforms(listed[each]) for each in highest_first(listed)[:MOST]}
    mine = listed.get(version)
    if mine is None:
        return {"platforms": None, "protocols": None, "builds": builds}
    protocols = tuple(text(p) for p in mine.get("protocols") or ())
    return {"platforms": _platforms(mine), "protocols": protocols, "builds": builds}


def _platforms(item: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{text(p['os'])}_{text(p['arch'])}" for p in item.get("platforms") or ())


def _pages(raw: Any) -> dict[str, int]:
    """How many pages there are of each category, as the registry names categories."""
    counted: dict[str, int] = {}
    for page in raw["docs"]:
        category = text(page.get("category")) or "other"
        counted[category] = counted.get(category, 0) + 1
    return counted


def _part(name: str) -> str:
    return quote(name, safe="")
