"""Verification of the audit log: every seal, every link, and every anchor."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from integrations.audit_anchors import STREAM, VERB, Anchor, read_anchors
from integrations.audit_seal import UnknownKeyError
from integrations.models.event import Event

# Anchors are daily. One that is missing for longer says that the job does not run, or that the newest were deleted.
MAX_ANCHOR_AGE = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that does not verify. `is_tampering`: it was changed, rather than only impossible to verify."""

    place: str
    message: str
    is_tampering: bool = True

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class AnchoredEvent:
    """An event as an anchor saw it."""

    anchor: int
    hash: str


def verify_log(events: Iterable[Event], folder: Path, now: datetime) -> Iterator[Fault]:
    """Yield every fault of the log. `events` has all of them, ordered by stream and sequence number."""
    anchors, unreadable = read_anchors(folder)
    for name in unreadable:
        yield Fault(name, "it is not an anchor that the portal wrote")
    yield from _find_anchor_faults(anchors)
    comparison = _AnchorComparison(anchors)
    yield from find_chain_faults(comparison.watch(events))
    yield from comparison.find_faults(folder, now)


def find_chain_faults(events: Iterable[Event]) -> Iterator[Fault]:
    """Yield the events, ordered by stream and sequence number, whose seal or link does not verify."""
    previous: Event | None = None
    for event in events:
        place = f"{event.stream} event {event.seq} ({event.verb})"
        continues = previous is not None and previous.stream == event.stream
        expected = (previous.seq + 1, previous.hash) if previous and continues else (1, "")
        if (event.seq, event.before) != expected:
            yield Fault(place, "an event before it is missing or was replaced")
        try:
            if event.hash != event.compute_hash():
                yield Fault(place, "it was changed after it was written")
        except UnknownKeyError as error:
            yield Fault(place, f"it cannot be verified: {error}", is_tampering=False)
        previous = event


def _find_anchor_faults(anchors: list[Anchor]) -> Iterator[Fault]:
    """Yield the anchors whose seal, number or link does not verify."""
    number, previous = 0, ""
    for anchor in anchors:
        place = f"anchor {anchor.number}"
        if anchor.number != number + 1:
            yield Fault(place, f"{_name_numbers(number + 1, anchor.number - 1)} before it is missing")
        elif anchor.previous != previous:
            yield Fault(place, "it does not continue the anchor before it")
        try:
            if anchor.mac != anchor.compute_mac():
                yield Fault(place, "it was changed after it was written")
        except UnknownKeyError as error:
            yield Fault(place, f"it cannot be verified: {error}", is_tampering=False)
        number, previous = anchor.number, anchor.mac


def _name_numbers(first: int, last: int) -> str:
    return f"anchor {first}" if first >= last else f"anchors {first} to {last}"


class _AnchorComparison:
    """What the events of one pass show about the anchors."""

    def __init__(self, anchors: list[Anchor]) -> None:
        self.anchors = anchors
        self.expected: dict[str, dict[int, AnchoredEvent]] = defaultdict(dict)
        for anchor in anchors:
            for stream, (seq, mac) in anchor.heads.items():
                self.expected[stream][seq] = AnchoredEvent(anchor.number, mac)
        self.lengths: dict[str, int] = {}
        self.rewritten: list[Fault] = []
        self.recorded: list[tuple[int, str]] = []
        self.oldest: datetime | None = None

    def watch(self, events: Iterable[Event]) -> Iterator[Event]:
        """Pass the events through, comparing each with the anchors."""
        for event in events:
            self.lengths[event.stream] = event.seq
            self.oldest = min(self.oldest or event.at, event.at)
            anchored = self.expected.get(event.stream, {}).pop(event.seq, None)
            if anchored is not None and anchored.hash != event.hash:
                message = f"it is not the event that anchor {anchored.anchor} lists: the stream was rewritten"
                self.rewritten.append(Fault(f"{event.stream} event {event.seq} ({event.verb})", message))
            if event.stream == STREAM and event.verb == VERB:
                self.recorded.append((event.data.get("number", 0), event.data.get("mac", "")))
            yield event

    def find_faults(self, folder: Path, now: datetime) -> Iterator[Fault]:
        """Yield what the anchors list and the events do not have, and the other way round."""
        yield from self.rewritten
        for stream, missing in sorted(self.expected.items()):
            for seq, anchored in sorted(missing.items()):
                length = self.lengths.get(stream, 0)
                state = f"cut off after event {length}" if length else "deleted"
                yield Fault(stream, f"it was {state}: anchor {anchored.anchor} lists event {seq}")
        macs = {anchor.number: anchor.mac for anchor in self.anchors}
        for number, mac in self.recorded:
            if number not in macs:
                yield Fault(f"anchor {number}", f"it was written and is missing from {folder}")
            elif macs[number] != mac:
                yield Fault(f"anchor {number}", "it is not the anchor that was recorded when it was written")
        yield from self._find_stale_anchors(now)

    def _find_stale_anchors(self, now: datetime) -> Iterator[Fault]:
        newest = datetime.fromisoformat(self.anchors[-1].written_at) if self.anchors else self.oldest
        if newest is not None and now - newest > MAX_ANCHOR_AGE:
            message = f"none was written since {newest:%Y-%m-%d}: what happened later may be cut off unnoticed"
            yield Fault("anchors", message, is_tampering=False)
