"""Archives that need no new download because their file on GitHub is unchanged.

A file of a release that is replaced gets a new number on GitHub. So an archive under the same address, with the same
number and size, is the one that was read; after a week it is read again all the same.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from portal.core.value_types import JsonObject
from verification.outcomes import Outcome
from verification.releases.artifacts.archives import Archive
from verification.releases.artifacts.remarks import Remark
from verification.releases.inspection import Platform
from verification.sources.github.client import ReleaseAsset
from verification.sources.http import urls
from verification.sources.http.client import SourceResponse
from verification.sources.registry.protocol import RegistryReply
from verification.terraform.messages import TerraformDecision

AGE = timedelta(days=7)
HEAD = 1024  # bytes of a program that tell its system and machine
ArchiveReplies = Mapping[str, tuple[RegistryReply, Archive]]


def identities(assets: Iterable[ReleaseAsset]) -> dict[str, str]:
    """What tells a file on GitHub from any that took its place, by its address."""
    return {asset.url: f"{asset.id}:{asset.size}" for asset in assets}


def plain(
    platforms: Iterable[Platform], identity_by_address: Mapping[str, str], before: object, now: datetime
) -> JsonObject:
    """Return the data of each archive as plain values for the next run. Data that was reused keeps its date."""
    entries = before if isinstance(before, dict) else {}
    archives = {}
    for platform in platforms:
        reply, archive = platform.archive_reply, platform.archive
        if reply is None or reply.answer is None or archive is None or reply.address not in identity_by_address:
            continue
        old = entries.get(reply.address)
        same = isinstance(old, dict) and _fits(old, identity_by_address[reply.address], now)
        archives[reply.address] = (
            old if same else _entry(reply.answer, archive, identity_by_address[reply.address], now)
        )
    return archives


def usable(before: object, identity_by_address: Mapping[str, str], now: datetime) -> ArchiveReplies:
    """The archives that are still what was kept of them, by their address."""
    entries = before if isinstance(before, dict) else {}
    fitting = {
        address: entry
        for address, entry in entries.items()
        if address in identity_by_address
        and isinstance(entry, dict)
        and _fits(entry, identity_by_address[address], now)
    }
    return {address: _read(address, entry) for address, entry in fitting.items()}


def _fits(entry: JsonObject, identity: str, now: datetime) -> bool:
    return entry.get("identity") == identity and now - datetime.fromisoformat(entry["at"]) < AGE


def _entry(answer: SourceResponse, archive: Archive, identity: str, now: datetime) -> dict[str, object]:
    decision = archive.terraform
    return {
        "identity": identity,
        "at": now.isoformat(),
        "size": answer.size,
        "sha256": answer.sha256,
        "remarks": [[remark.key, str(remark.outcome), remark.text] for remark in archive.remarks],
        "terraform": [decision.accepts, decision.message, decision.outage],
        "program": archive.program,
        "head": b64encode(archive.head[:HEAD]).decode(),
    }


def _read(address: str, entry: JsonObject) -> tuple[RegistryReply, Archive]:
    link = urls.parse_url(address, loopback=True)
    answer = SourceResponse(200, "OK", link, {}, b"", entry["size"], entry["sha256"])
    remarks = tuple(Remark(key, Outcome(outcome), text) for key, outcome, text in entry["remarks"])
    archive = Archive((), remarks, TerraformDecision(*entry["terraform"]), entry["program"], b64decode(entry["head"]))
    return RegistryReply(address, answer), archive
