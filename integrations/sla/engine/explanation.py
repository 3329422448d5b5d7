"""Why is it due then? A clock's segments in words, each with its link, so that anybody can add them up."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from integrations.sla.engine.types import Asked, ClockState, IssueState, Segment, Watching

ANCHORS = {"comment": "issuecomment", "event": "event"}  # prefix of a happening's key: GitHub's anchor
STATES = {
    Watching.RUNNING: "It runs.",
    Watching.PAUSED: "It is paused.",
    Watching.MET: "The promise was kept.",
    Watching.LATE: "It was stopped after the due moment.",
    Watching.OVERDUE: "The due moment has passed.",
    Watching.BLIND: "Nothing can be said yet: what we know does not reach far enough.",
    Watching.OFF: "Nothing is promised.",
}


def moment(at: datetime, zone: ZoneInfo) -> str:
    """“Tue 14 Apr, 14:10” of the calendar."""
    local = at.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b}, {local:%H:%M}"


def duration(length: timedelta) -> str:
    """“2 days 3 h 5 min”; a day is 24 hours."""
    days, hours, minutes, seconds = units(length)
    parts = [f"{days} day{'s' if days > 1 else ''}" if days else "", f"{hours} h" if hours else ""]
    parts += [f"{minutes} min" if minutes else "", f"{seconds} s" if seconds and not days else ""]
    return " ".join(filter(None, parts)) or "0 min"


def units(length: timedelta) -> tuple[int, int, int, int]:
    """Days, hours, minutes and seconds of a length, rounded to whole seconds."""
    days, rest = divmod(round(length.total_seconds()), 86400)
    return days, rest // 3600, rest % 3600 // 60, rest % 60


def link(url: str, key: str) -> str:
    """The address of the fact with that key on GitHub; the issue's own where it has none, "" for no key."""
    kind, _, number = key.partition(":")
    if not key:
        return ""
    return f"{url}#{ANCHORS[kind]}-{number}" if kind in ANCHORS and number.isdigit() else url


def sentence(segment: Segment, zone: ZoneInfo) -> str:
    """One segment: from, to, how much counts, why."""
    counts = f"{duration(segment.used)} counted" if segment.counted else f"{duration(segment.length)} not counted"
    return f"{moment(segment.start, zone)} – {moment(segment.end, zone)}: {counts}. {segment.why}."


def sentences(clock: ClockState, zone: ZoneInfo) -> list[str]:
    """The whole clock in words: its segments, their sum, and what follows."""
    told = [sentence(segment, zone) for segment in clock.segments]
    told.append(f"Together {duration(clock.counted)} counted, {duration(idle(clock.segments))} not counted.")
    if clock.due_at is not None:
        ideally = "" if clock.promised else "Ideally "
        told.append(f"{ideally}{'due' if ideally else 'Due'} {moment(clock.due_at, zone)} ({zone}).")
    return [*told, STATES[clock.state]]


def idle(segments: Iterable[Segment]) -> timedelta:
    """The time of the segments that does not count."""
    return sum((segment.length for segment in segments if not segment.counted), timedelta())


def as_data(state: IssueState, asked: Asked, url: str) -> dict[str, Any]:
    """An issue's state as JSON takes it: moments ISO in UTC, lengths in seconds."""
    return {
        "at": asked.now.isoformat(),
        "data_up_to": asked.data_up_to.isoformat(),
        "zone": str(asked.calendar.zone),
        "policy": asked.policy.edition,
        "severity": str(state.severity),
        "open": state.is_open,
        "covered": state.covered,
        "spoke_last": state.spoke_last,
        "spoke_last_at": _iso(state.spoke_last_at),
        "notes": list(state.notes),
        "clocks": [clock_as_data(clock, asked.calendar.zone, url) for clock in state.clocks],
    }


def clock_as_data(clock: ClockState, zone: ZoneInfo, url: str) -> dict[str, Any]:
    """A clock as JSON: moments as ISO texts in UTC, lengths in seconds, links; its `words` are told in the zone."""
    return {
        "verb": str(clock.verb),
        "promised": clock.promised,
        "severity": str(clock.severity),
        "state": str(clock.state),
        "started_at": clock.started_at.isoformat(),
        "due": _iso(clock.due_at),
        "stopped_at": _iso(clock.stopped_at),
        "stopped_by": link(url, clock.stopped_by),
        "warn_at": [at.isoformat() for at in clock.warn_at],
        "counted_seconds": clock.counted.total_seconds(),
        "elapsed_seconds": sum((segment.length for segment in clock.segments), timedelta()).total_seconds(),
        "share": clock.share,
        "segments": [_segment_as_data(segment, url) for segment in clock.segments],
        "words": sentences(clock, zone),
    }


def _segment_as_data(segment: Segment, url: str) -> dict[str, Any]:
    return {
        "from": segment.start.isoformat(),
        "to": segment.end.isoformat(),
        "counted": segment.counted,
        "seconds": segment.length.total_seconds(),
        "counted_seconds": segment.used.total_seconds(),
        "why": segment.why,
        "event": segment.key,
        "link": link(url, segment.key),
    }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
