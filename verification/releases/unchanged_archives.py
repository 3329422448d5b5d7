"""Archives that need no new download because their file on GitHub is unchanged.

A replaced file of a release gets a new ID on GitHub. An archive with the same URL, ID, and size is therefore unchanged.
After a week, it is read again regardless.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from portal.core.value_types import JsonObject
from verification.releases.artifacts.archives import Archive
from verification.releases.inspection import Platform
from verification.sources.github.responses import ReleaseAsset
from verification.sources.http import urls
from verification.sources.http.client import SourceResponse
from verification.sources.registry.protocol import RegistryReply

MAX_AGE = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class StoredArchive:
    """Stored data of an archive for the next run. `identity` differs for a file that replaced it on GitHub."""

    identity: str
    at: datetime
    size: int
    sha256: str
    archive: Archive

    def build_reply(self, address: str) -> tuple[RegistryReply, Archive]:
        # The URL was checked before the download, and nothing is requested here.
        link = urls.parse_url(address, loopback=True)
        return RegistryReply(address, SourceResponse(200, "OK", link, {}, b"", self.size, self.sha256)), self.archive


ARCHIVES_ADAPTER = TypeAdapter(dict[str, StoredArchive])


def build_identities(assets: Iterable[ReleaseAsset]) -> dict[str, str]:
    """Return the identity of each file by URL. A file that replaces another has a different identity."""
    # GitHub gives a replaced file a new ID.
    return {asset.url: f"{asset.id}:{asset.size}" for asset in assets}


def dump_archives(
    platforms: Iterable[Platform], identity_by_address: Mapping[str, str], previous: object, now: datetime
) -> JsonObject:
    """Return the data of each archive as plain values for the next run, also of those that weren't read this time."""
    # A reused archive keeps its date. With a new one each night, it would never be read again.
    archives = _select_current(previous, identity_by_address, now)
    for platform in platforms:
        reply = platform.archive_reply
        archive = platform.archive
        if reply is None or reply.response is None or archive is None or reply.address not in identity_by_address:
            continue
        identity = identity_by_address[reply.address]
        stored_archive = StoredArchive(identity, now, reply.response.size, reply.response.sha256, archive)
        archives.setdefault(reply.address, stored_archive)
    return ARCHIVES_ADAPTER.dump_python(archives, mode="json")


def load_current_archives(
    previous: object, identity_by_address: Mapping[str, str], now: datetime
) -> dict[str, tuple[RegistryReply, Archive]]:
    """Return the stored archives whose files are unchanged, by URL."""
    archives = _select_current(previous, identity_by_address, now)
    return {address: archive.build_reply(address) for address, archive in archives.items()}


def _select_current(
    previous: object, identity_by_address: Mapping[str, str], now: datetime
) -> dict[str, StoredArchive]:
    """Return the archives that an earlier run stored and whose files are unchanged, none if the value is invalid."""
    try:
        stored = ARCHIVES_ADAPTER.validate_python(previous)
    except ValidationError:
        return {}
    return {
        address: archive
        for address, archive in stored.items()
        if archive.identity == identity_by_address.get(address) and now - archive.at < MAX_AGE
    }
