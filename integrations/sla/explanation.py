"""Explanations of SLA clocks: segments with links, totals, and the result."""

from datetime import timedelta

from integrations.sla.engine.types import ClockState, ClockStatus, IssueState, ProjectionContext, Segment
from integrations.sla.formatting import describe_reason, format_duration
from portal.core.business_time import Calendar
from portal.ui.components.moments import format_in_zone

ANCHORS = {"comment": "issuecomment", "event": "event"}  # event key prefix -> GitHub anchor
# Fields of the JSON that have the name and the value of the state
ISSUE_FIELDS = ("severity", "last_commenter_role", "last_commented_at", "notes")
CLOCK_FIELDS = (
    *("target_type", "is_committed", "severity", "state", "started_at"),
    *("due_at", "ideal_due_at", "stopped_at", "warn_at", "share"),
)
STATE_DESCRIPTIONS = {
    ClockStatus.RUNNING: "The clock is running.",
    ClockStatus.PAUSED: "The clock is paused.",
    ClockStatus.MET: "The SLA target was met.",
    ClockStatus.LATE: "The clock stopped after the due date.",
    ClockStatus.OVERDUE: "The due date has passed.",
    ClockStatus.DATA_INCOMPLETE: "Our data ends before the due date.",
    ClockStatus.NOT_APPLICABLE: "No SLA target applies.",
}


def build_event_url(url: str, key: str) -> str:
    """Return the GitHub URL of an event, the issue's URL if the event has none, or "" without a key."""
    kind, _, number = key.partition(":")
    if not key:
        return ""
    # Changes that only a webhook reported have no ID that GitHub could link to.
    return f"{url}#{ANCHORS[kind]}-{number}" if kind in ANCHORS and number.isdigit() else url


def explain_clock(clock: ClockState, calendar: Calendar) -> list[str]:
    """Describe a clock: its segments, their total, the due date, and the status."""
    lines = [_describe_segment(segment, calendar) for segment in clock.segments]
    counted_time = format_duration(clock.counted)
    uncounted_time = format_duration(clock.uncounted_time)
    lines.append(f"Total: {counted_time} counted, {uncounted_time} not counted.")
    due_dates = {"Due": clock.due_at if clock.is_committed else None, "Ideally due": clock.ideal_due_at}
    lines += [
        f"{label} {format_in_zone(due_at, calendar.zone)} ({calendar.zone})."
        for label, due_at in due_dates.items()
        if due_at is not None
    ]
    if clock.is_ideal_missed:
        lines.append("The ideal target was missed. This is not a breach.")
    return [*lines, STATE_DESCRIPTIONS[clock.state]]


def _describe_segment(segment: Segment, calendar: Calendar) -> str:
    start = format_in_zone(segment.start, calendar.zone)
    end = format_in_zone(segment.end, calendar.zone)
    amount = format_duration(segment.used if segment.counted else segment.length)
    counted = "counted" if segment.counted else "not counted"
    return f"{start} – {end}: {amount} {counted}. {describe_reason(segment, calendar)}."


def serialize_issue_state(state: IssueState, context: ProjectionContext, url: str) -> dict[str, object]:
    """Return an issue's state for JSON. Durations are in seconds."""
    return {
        "at": context.now,
        "data_up_to": context.data_up_to,
        "zone": str(context.calendar.zone),
        "policy": context.policy.edition,
        "open": state.is_open,
        "covered": state.is_covered,
        **{name: getattr(state, name) for name in ISSUE_FIELDS},
        "clocks": [serialize_clock(clock, context.calendar, url) for clock in state.clocks],
    }


def serialize_clock(clock: ClockState, calendar: Calendar, url: str) -> dict[str, object]:
    """Return a clock for JSON. Timestamps are in UTC, durations in seconds. The explanation uses the time zone."""
    return {name: getattr(clock, name) for name in CLOCK_FIELDS} | {
        "ideal_missed": clock.is_ideal_missed,
        "stopped_by": build_event_url(url, clock.stopped_by),
        "counted_seconds": clock.counted.total_seconds(),
        "elapsed_seconds": sum((segment.length for segment in clock.segments), timedelta()).total_seconds(),
        "segments": [
            {
                "from": segment.start,
                "to": segment.end,
                "counted": segment.counted,
                "seconds": segment.length.total_seconds(),
                "counted_seconds": segment.used.total_seconds(),
                "reason": describe_reason(segment, calendar),
                "event": segment.key,
                "link": build_event_url(url, segment.key),
            }
            for segment in clock.segments
        ],
        "explanation": explain_clock(clock, calendar),
    }
