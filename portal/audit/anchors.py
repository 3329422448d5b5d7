"""Daily anchors of the audit log, kept in files outside the database.

The chain of a stream proves that none of its events was changed. It cannot prove that no events were removed from its
end, that no stream was deleted, or that no one with the key sealed everything again. An anchor can: it lists the last
event of every stream that grew since the previous anchor. Anchors are sealed and chained like events. Each anchor is
also recorded as an event, so a missing anchor is detected.
"""

import dataclasses
import json
import logging
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef

from portal.audit.models import AuditEvent
from portal.audit.seals import compute_seal, get_newest_key_id
from portal.audit.services import record_system_event
from portal.core.content_files import Content, build_adapter
from portal.core.new_files import create_file

logger = logging.getLogger(__name__)

ANCHOR_STREAM = "audit"
ANCHOR_EVENT_TYPE = "audit_log.anchored"
FILE_NAME_PATTERN = re.compile(r"anchor-(\d{6})-(\d{4}-\d{2}-\d{2})\.json")
Heads = dict[str, tuple[int, str]]


class Anchor(Content):
    """One anchor. `heads`: sequence number and seal of the last event of each stream that grew since the previous one.

    `streams` and `events` count the whole log, including unchanged streams.
    """

    number: int
    written_at: str
    previous: str
    streams: int
    events: int
    heads: Heads
    key_id: str
    mac: str = ""

    def compute_mac(self) -> str:
        """Return the seal that the anchor must have. Raises UnknownKeyError."""
        *content, _mac = _get_fields(self).values()
        return compute_seal("anchor", content, self.key_id)


def write_due_anchor(now: datetime) -> int:
    """Write today's anchor unless it exists or the log is empty. Return the number of anchors written."""
    folder = Path(settings.AUDIT_ANCHOR_DIR)
    newest = max(_list_files(folder), default=None)
    if newest is not None and newest[1] >= now.astimezone(UTC).date().isoformat():
        return 0
    anchors, unreadable = read_anchors(folder)
    for name in unreadable:
        # The series goes on, because a day without an anchor would be a second fault.
        logger.error("cannot read audit anchor %s", name)
    anchored_heads = merge_heads(anchors)
    current = anchored_heads | _read_heads(find_start(anchors))
    if not current:
        return 0
    anchor = Anchor(
        number=newest[0] + 1 if newest else 1,
        written_at=now.astimezone(UTC).isoformat(),
        previous=anchors[-1].mac if anchors else "",
        streams=len(current),
        events=sum(seq for seq, _ in current.values()),
        # Earlier anchors list the unchanged streams, so a daily file stays small.
        heads={stream: head for stream, head in current.items() if anchored_heads.get(stream) != head},
        key_id=get_newest_key_id(),
    )
    fields = _get_fields(anchor) | {"mac": anchor.compute_mac()}
    file = folder / f"anchor-{anchor.number:06}-{anchor.written_at[:10]}.json"
    if not create_file(file, json.dumps(fields)):
        return 0
    file.chmod(0o400)
    # Write the file first: a crash between the two steps leaves an extra anchor, never a record without its anchor.
    record_system_event(ANCHOR_STREAM, ANCHOR_EVENT_TYPE, now=now, number=anchor.number, mac=fields["mac"])
    logger.info(
        "audit anchor %d: %d events in %d streams, MAC %s",
        anchor.number,
        anchor.events,
        anchor.streams,
        fields["mac"],
    )
    return 1


def read_anchors(folder: Path) -> tuple[list[Anchor], list[str]]:
    """Return the anchors in a folder, oldest first, and the names of unreadable anchor files."""
    anchors = []
    unreadable = []
    for _, _, name in sorted(_list_files(folder)):
        try:
            anchors.append(_read_file(folder / name))
        except (OSError, ValueError):
            unreadable.append(name)
    return anchors, unreadable


def merge_heads(anchors: Iterable[Anchor]) -> Heads:
    """Return the last anchored event of each stream."""
    heads: Heads = {}
    for anchor in anchors:
        heads |= anchor.heads
    return heads


def find_start(anchors: list[Anchor]) -> int:
    """Return the ID up to which the anchors list all events, or 0 if an anchor is missing.

    It is that of the last anchor but one, because events can get their ID before an anchor and be committed after it.
    """
    records = AuditEvent.objects.filter(stream=ANCHOR_STREAM, event_type=ANCHOR_EVENT_TYPE).order_by("-seq")[:2]
    macs = [record.data.get("mac") for record in reversed(records)]
    is_complete = len(macs) == 2 and macs == [anchor.mac for anchor in anchors[-2:]]
    return records[1].pk if is_complete and len(anchors) == anchors[-1].number else 0


def _read_heads(start: int) -> Heads:
    """Return the last event of each stream that has events after `start`. One query gives a consistent snapshot."""
    next_event = AuditEvent.objects.filter(stream=OuterRef("stream"), seq=OuterRef("seq") + 1)
    last_events = AuditEvent.objects.filter(~Exists(next_event), pk__gt=start).order_by(F("stream"), F("seq"))
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL statement_timeout = 0")  # a whole log can take minutes
        return {stream: (seq, mac) for stream, seq, mac in last_events.values_list("stream", "seq", "hash")}


def _list_files(folder: Path) -> list[tuple[int, str, str]]:
    """Return the number, date, and name of every anchor file."""
    if not folder.is_dir():
        return []
    matches = (FILE_NAME_PATTERN.fullmatch(path.name) for path in folder.iterdir())
    return [(int(match[1]), match[2], match[0]) for match in matches if match]


def _get_fields(anchor: Anchor) -> dict[str, object]:
    return {field.name: getattr(anchor, field.name) for field in dataclasses.fields(anchor)}


def _read_file(path: Path) -> Anchor:
    anchor = build_adapter(Anchor).validate_json(path.read_bytes())
    if datetime.fromisoformat(anchor.written_at).tzinfo is None:
        raise ValueError("a time without a UTC offset")
    return anchor
