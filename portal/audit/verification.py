"""Verification of the audit log: every seal, every link, and every anchor."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

from django.db.models import Min

from portal.audit.anchors import ANCHOR_EVENT_TYPE, ANCHOR_STREAM, Anchor, Heads, find_start, merge_heads, read_anchors
from portal.audit.models import AuditEvent
from portal.audit.seals import UnknownKeyError, is_known_key, list_older_keys

# Anchors are daily. A longer gap means that the job does not run or that the newest anchors were deleted.
MAX_ANCHOR_AGE = timedelta(days=2)
FIRST = (0, "")  # what precedes the first event of a stream


@dataclass(frozen=True, slots=True)
class Fault:
    """Verification failure. `is_tampering` is False if the data could not be verified but may be intact."""

    place: str
    message: str
    is_tampering: bool = True

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


def verify_log(
    events: Iterable[AuditEvent], folder: Path, now: datetime, known_gaps_until: date = date.min
) -> Iterator[Fault]:
    """Yield every fault of the log.

    Args:
        events: All events, ordered by stream and sequence number.
        folder: Folder of the anchors.
        now: Time of the verification.
        known_gaps_until: Last day on which a missing anchor has a known reason, such as an outage.
    """
    anchors, unreadable = read_anchors(folder)
    yield from _find_anchor_faults(anchors, unreadable)
    yield from _find_gaps(anchors, known_gaps_until)
    comparison = _AnchorComparison(anchors)
    yield from find_chain_faults(comparison.watch(events))
    yield from comparison.find_faults(folder, now)


def verify_since_anchor(folder: Path, now: datetime) -> Iterator[Fault]:
    """Yield the faults of the anchors and of the events after them, in a time that does not grow with the log.

    Earlier events, which may have been changed since, are only verified by `verify_log`.
    """
    records = list(AuditEvent.objects.filter(stream=ANCHOR_STREAM, event_type=ANCHOR_EVENT_TYPE))
    oldest_at = AuditEvent.objects.aggregate(at=Min("at"))["at"]
    anchors, unreadable = read_anchors(folder)
    yield from _find_anchor_faults(anchors, unreadable)
    yield from _compare_records(records, anchors, folder)
    yield from _find_stale_anchors(anchors, oldest_at, now)
    heads = merge_heads(anchors)
    events = AuditEvent.objects.filter(pk__gt=find_start(anchors)).order_by("stream", "seq").iterator(chunk_size=2000)
    yield from find_chain_faults((event for event in events if event.seq > heads.get(event.stream, FIRST)[0]), heads)


def find_chain_faults(events: Iterable[AuditEvent], heads: Heads | None = None) -> Iterator[Fault]:
    """Yield a fault for each event whose seal or link does not verify.

    Args:
        events: Events ordered by stream and sequence number.
        heads: Event before the first one of each stream, by default none.
    """
    heads = heads or {}
    previous: AuditEvent | None = None
    for event in events:
        place = f"{event.stream} event {event.seq} ({event.event_type})"
        continues = previous is not None and previous.stream == event.stream
        seq, mac = (previous.seq, previous.hash) if previous and continues else heads.get(event.stream, FIRST)
        if (event.seq, event.before) != (seq + 1, mac):
            yield Fault(place, "the previous event is missing or was replaced")
        try:
            if event.hash != event.compute_hash():
                yield Fault(place, "the content was changed after it was written")
        except UnknownKeyError as error:
            yield Fault(place, f"it cannot be verified: {error}", is_tampering=False)
        # As it is, even if it is faulty: one change is one fault, not one for each later event.
        previous = event


def _find_anchor_faults(anchors: list[Anchor], unreadable: list[str]) -> Iterator[Fault]:
    """Yield the files that are not anchors, and the anchors whose seal, number, or link does not verify."""
    for name in unreadable:
        yield Fault(name, "the file is not a valid anchor")
    number = 0
    previous = ""
    for anchor in anchors:
        place = f"anchor {anchor.number}"
        if anchor.number != number + 1:
            yield Fault(place, f"{_name_numbers(number + 1, anchor.number - 1)} before it is missing")
        elif anchor.previous != previous:
            yield Fault(place, "it does not link to the previous anchor")
        try:
            if anchor.mac != anchor.compute_mac():
                yield Fault(place, "the content was changed after it was written")
        except UnknownKeyError as error:
            yield Fault(place, f"it cannot be verified: {error}", is_tampering=False)
        number = anchor.number
        previous = anchor.mac


def _find_gaps(anchors: list[Anchor], known_until: date) -> Iterator[Fault]:
    """Yield the periods without an anchor."""
    days = [datetime.fromisoformat(anchor.written_at).date() for anchor in anchors]
    for day, next_day in pairwise(days):
        last = next_day - timedelta(days=1)
        first = max(day, min(known_until, last)) + timedelta(days=1)
        if first <= last:
            message = f"none written from {first} to {last}: the portal was not running, or anchors were deleted"
            yield Fault("anchors", message, is_tampering=False)


def _find_stale_anchors(anchors: list[Anchor], oldest_at: datetime | None, now: datetime) -> Iterator[Fault]:
    """Yield a fault if there is nothing to verify, or if the newest anchor or the unanchored log is too old."""
    if not anchors and oldest_at is None:
        yield Fault("log", "there are no events and no anchors to verify", is_tampering=False)
    newest = datetime.fromisoformat(anchors[-1].written_at) if anchors else oldest_at
    if newest is not None and now - newest > MAX_ANCHOR_AGE:
        message = f"none written since {newest:%Y-%m-%d}: the removal of later events would not be detected"
        yield Fault("anchors", message, is_tampering=False)


def _compare_records(records: Iterable[AuditEvent], anchors: list[Anchor], folder: Path) -> Iterator[Fault]:
    """Yield the anchors that were recorded as events but are missing or differ."""
    macs = {anchor.number: anchor.mac for anchor in anchors}
    for record in records:
        match record.data:
            case {"number": int(number), "mac": str(mac)} if number not in macs:
                yield Fault(f"anchor {number}", f"it was recorded but is missing from {folder}")
            case {"number": int(number), "mac": str(mac)} if macs[number] != mac:
                yield Fault(f"anchor {number}", "it differs from the anchor that was recorded")
            # Other data is malformed, so its seal is invalid, which the complete verification reports.


def _name_numbers(first: int, last: int) -> str:
    return f"anchor {first}" if first >= last else f"anchors {first} to {last}"


class _KeyHistory:
    """Keys that were valid for an event, according to the anchors.

    A retired key may have leaked, so it must not seal events after the first anchor under a newer key. An unknown key
    is accepted only if it sealed an anchor.
    """

    def __init__(self, anchors: list[Anchor]) -> None:
        self.anchors = anchors
        self.retired_keys: list[set[str]] = []
        self.heads: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        used: set[str] = set()
        for index, anchor in enumerate(anchors):
            # From AUDIT_KEYS and from earlier anchors, because an operator may have removed an old key from the
            # setting.
            self.retired_keys.append((used | list_older_keys(anchor.key_id)) - {anchor.key_id})
            used |= {anchor.key_id, *self.retired_keys[-1]}
            for stream, (seq, _) in anchor.heads.items():
                numbers, indexes = self.heads[stream]
                numbers.append(seq)
                indexes.append(index)

    def find_faults(self) -> Iterator[Fault]:
        """Yield the anchors under a key that an earlier anchor shows as retired."""
        # Each anchor is compared with the keys that the one before it shows as retired.
        for retired_keys, anchor in zip(self.retired_keys, self.anchors[1:], strict=False):
            if anchor.key_id in retired_keys:
                yield Fault(
                    f"anchor {anchor.number}", f"it is sealed with {anchor.key_id!r}, which was already replaced"
                )

    def describe_misuse(self, event: AuditEvent) -> str:
        """Return why the event's key is not valid for it, or an empty string."""
        index = self._find_anchor_before(event)
        if index < 0:
            return ""
        key = f"it is sealed with {event.key_id!r}"
        if event.key_id in self.retired_keys[index]:
            return f"{key}, which was replaced before anchor {self.anchors[index].number}"
        later_keys = {anchor.key_id for anchor in self.anchors[index:]}
        if event.key_id not in later_keys and not is_known_key(event.key_id):
            return f"{key}, which is not in AUDIT_KEYS and sealed no anchor"
        return ""

    def _find_anchor_before(self, event: AuditEvent) -> int:
        """Return the index of the last anchor written before the event, or -1."""
        numbers, indexes = self.heads.get(event.stream, ([], []))
        position = bisect_left(numbers, event.seq)
        return (indexes[position] if position < len(indexes) else len(self.anchors)) - 1


class _AnchorComparison:
    """Comparison of the events with the anchors in one pass."""

    def __init__(self, anchors: list[Anchor]) -> None:
        self.anchors = anchors
        self.expected: dict[str, dict[int, Anchor]] = defaultdict(dict)
        for anchor in anchors:
            for stream, (seq, _mac) in anchor.heads.items():
                self.expected[stream][seq] = anchor
        self.keys = _KeyHistory(anchors)
        self.lengths: dict[str, int] = {}
        self.event_faults: list[Fault] = []
        self.records: list[AuditEvent] = []
        self.oldest: datetime | None = None

    def watch(self, events: Iterable[AuditEvent]) -> Iterator[AuditEvent]:
        """Yield the events unchanged while comparing each with the anchors."""
        for event in events:
            place = f"{event.stream} event {event.seq} ({event.event_type})"
            self.lengths[event.stream] = event.seq
            self.oldest = min(self.oldest or event.at, event.at)
            # What is left at the end was removed from the log.
            anchor = self.expected.get(event.stream, {}).pop(event.seq, None)
            if anchor is not None and anchor.heads[event.stream] != (event.seq, event.hash):
                message = f"it differs from the event in anchor {anchor.number}: the stream was rewritten"
                self.event_faults.append(Fault(place, message))
            if misuse := self.keys.describe_misuse(event):
                self.event_faults.append(Fault(place, misuse))
            if event.stream == ANCHOR_STREAM and event.event_type == ANCHOR_EVENT_TYPE:
                self.records.append(event)
            yield event

    def find_faults(self, folder: Path, now: datetime) -> Iterator[Fault]:
        """Yield the differences between the anchors and the events."""
        yield from self.keys.find_faults()
        yield from self.event_faults
        for stream, missing in sorted(self.expected.items()):
            for seq, anchor in sorted(missing.items(), key=itemgetter(0)):
                length = self.lengths.get(stream, 0)
                state = f"cut off after event {length}" if length else "deleted"
                yield Fault(stream, f"it was {state}: anchor {anchor.number} lists event {seq}")
        # Read the folder again: an anchor may have been written after the first read and recorded before the query.
        yield from _compare_records(self.records, read_anchors(folder)[0], folder)
        yield from _find_stale_anchors(self.anchors, self.oldest, now)
