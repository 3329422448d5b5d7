"""Explanations of SLA clocks: segments with links, totals, and the result."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from integrations.sla.engine.clock import format_moment
from integrations.sla.engine.types import ClockState, ClockStatus, IssueState, ProjectionContext, Segment

ANCHORS = {"comment": "issuecomment", "event": "event"}  # event key prefix -> GitHub anchor
STATE_DESCRIPTIONS = {
    ClockStatus.RUNNING: "The clock is running.",
    ClockStatus.PAUSED: "The clock is paused.",
    ClockStatus.MET: "The SLA target was met.",
    ClockStatus.LATE: "The clock stopped after the due date.",
    ClockStatus.OVERDUE: "The due date has passed.",
    ClockStatus.DATA_INCOMPLETE: "Our data ends before the due date.",
    ClockStatus.NOT_APPLICABLE: "No SLA target applies.",
}


def format_duration(length: timedelta) -> str:
    """Format a duration, such as “2 days 3 h 5 min”. A day has 24 hours."""
    days, hours, minutes, seconds = split_duration(length)
    parts = [f"{days} day{'s' if days > 1 else ''}" if days else "", f"{hours} h" if hours else ""]
    parts += [f"{minutes} min" if minutes else "", f"{seconds} s" if seconds and not days else ""]
    return " ".join(filter(None, parts)) or "0 min"


def split_duration(length: timedelta) -> tuple[int, int, int, int]:
    """Split a duration into days, hours, minutes, and seconds, rounded to whole seconds."""
    days, remaining_seconds = divmod(round(length.total_seconds()), 86400)
    return days, remaining_seconds // 3600, remaining_seconds % 3600 // 60, remaining_seconds % 60


def build_event_url(url: str, key: str) -> str:
    """Return the GitHub URL of an event, the issue's URL if the event has none, or "" without a key."""
    kind, _, number = key.partition(":")
    if not key:
        return ""
    return f"{url}#{ANCHORS[kind]}-{number}" if kind in ANCHORS and number.isdigit() else url


def describe_segment(segment: Segment, zone: ZoneInfo) -> str:
    """Describe a segment: start, end, counted time, and reason."""
    amount = (
        f"{format_duration(segment.used)} counted"
        if segment.counted
        else f"{format_duration(segment.length)} not counted"
    )
    return f"{format_moment(segment.start, zone)} – {format_moment(segment.end, zone)}: {amount}. {segment.why}."


def explain_clock(clock: ClockState, zone: ZoneInfo) -> list[str]:
    """Describe a clock: its segments, their total, the due date, and the status."""
    lines = [describe_segment(segment, zone) for segment in clock.segments]
    lines.append(
        f"Total: {format_duration(clock.counted)} counted, "
        f"{format_duration(sum_uncounted_time(clock.segments))} not counted."
    )
    if clock.due_at is not None:
        prefix = "" if clock.is_committed else "Ideally "
        lines.append(f"{prefix}{'due' if prefix else 'Due'} {format_moment(clock.due_at, zone)} ({zone}).")
    return [*lines, STATE_DESCRIPTIONS[clock.state]]


def sum_uncounted_time(segments: Iterable[Segment]) -> timedelta:
    """Return the total time of the segments that doesn't count."""
    return sum((segment.length for segment in segments if not segment.counted), timedelta())


def serialize_issue_state(state: IssueState, context: ProjectionContext, url: str) -> dict[str, object]:
    """Serialize an issue's state to JSON with ISO timestamps in UTC and durations in seconds."""
    return {
        "at": context.now.isoformat(),
        "data_up_to": context.data_up_to.isoformat(),
        "zone": str(context.calendar.zone),
        "policy": context.policy.edition,
        "severity": str(state.severity),
        "open": state.is_open,
        "covered": state.is_covered,
        "last_commenter_role": state.last_commenter_role,
        "last_commented_at": _format_timestamp(state.last_commented_at),
        "notes": list(state.notes),
        "clocks": [serialize_clock(clock, context.calendar.zone, url) for clock in state.clocks],
    }


def serialize_clock(clock: ClockState, zone: ZoneInfo, url: str) -> dict[str, object]:
    """Serialize a clock to JSON. Timestamps are in UTC, durations in seconds, and `words` use the time zone."""
    return {
        "target_type": str(clock.target_type),
        "is_committed": clock.is_committed,
        "severity": str(clock.severity),
        "state": str(clock.state),
        "started_at": clock.started_at.isoformat(),
        "due": _format_timestamp(clock.due_at),
        "stopped_at": _format_timestamp(clock.stopped_at),
        "stopped_by": build_event_url(url, clock.stopped_by),
        "warn_at": [warning_at.isoformat() for warning_at in clock.warn_at],
        "counted_seconds": clock.counted.total_seconds(),
        "elapsed_seconds": sum((segment.length for segment in clock.segments), timedelta()).total_seconds(),
        "share": clock.share,
        "segments": [_serialize_segment(segment, url) for segment in clock.segments],
        "words": explain_clock(clock, zone),
    }


def _serialize_segment(segment: Segment, url: str) -> dict[str, object]:
    return {
        "from": segment.start.isoformat(),
        "to": segment.end.isoformat(),
        "counted": segment.counted,
        "seconds": segment.length.total_seconds(),
        "counted_seconds": segment.used.total_seconds(),
        "why": segment.why,
        "event": segment.key,
        "link": build_event_url(url, segment.key),
    }


def _format_timestamp(timestamp: datetime | None) -> str | None:
    return timestamp.isoformat() if timestamp else None
