"""Used time, due date, and status of one SLA clock, calculated from its stops and pauses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from integrations.programs.schema import Sla, SlaTarget, TargetType
from integrations.sla.engine.pause_rules import UncountedInterval
from integrations.sla.engine.types import ClockState, ClockStatus, ProjectionContext, Segment, Severity
from portal.core import business_time
from portal.core.business_time import Calendar, ClockPause, TimeScale, TimeSegment
from portal.core.local_time import RESOLUTION

WARNING_SHARES = (0.5, 0.75, 0.9)
RUNNING_REASON = "The clock runs"


@dataclass(frozen=True, slots=True)
class EffectiveTarget:
    """SLA target with its start. Without `allowed_time`, time is only measured."""

    severity: Severity
    start: datetime
    scale: TimeScale
    allowed_time: timedelta | None
    hard: bool

    def calculate_due_at(self, pauses: Sequence[ClockPause], share: float = 1.0) -> datetime | None:
        return (
            business_time.calculate_due_at(self.start, self.allowed_time * share, self.scale, pauses)
            if self.allowed_time
            else None
        )


def build_effective_targets(
    sla: Sla, target_type: TargetType, opened_at: datetime, critical_since: datetime | None, calendar: Calendar
) -> list[EffectiveTarget]:
    """Return the SLA targets of an issue. A severity raised later adds the critical target, counted from the change.

    Raising the severity never removes a target: if the critical target is ideal or absent, the other target stays.
    """
    applies = target_type == sla.target_type
    targets = []
    if critical_since is not None:
        target = sla.critical if applies else None
        targets.append(
            _build_effective_target(Severity.CRITICAL, critical_since if target else opened_at, target, calendar)
        )
    critical = targets[0] if targets else None
    if critical is None or not critical.hard or critical_since != opened_at:
        other = _build_effective_target(Severity.OTHER, opened_at, sla.other if applies else None, calendar)
        if critical is None or other.allowed_time:
            targets.append(other)
    return targets


def _build_effective_target(
    severity: Severity, start: datetime, target: SlaTarget | None, calendar: Calendar
) -> EffectiveTarget:
    hard = target is not None and not target.best_effort
    if target and target.hours is not None:
        return EffectiveTarget(severity, start, business_time.ELAPSED_SCALE, timedelta(hours=target.hours), hard)
    if target and target.business_days is not None:
        return EffectiveTarget(severity, start, calendar.days, timedelta(days=target.business_days), hard)
    scale = business_time.ELAPSED_SCALE if severity == Severity.CRITICAL else calendar.days
    return EffectiveTarget(severity, start, scale, None, hard=False)


def select_strictest_target(targets: Sequence[EffectiveTarget], pauses: Sequence[ClockPause]) -> EffectiveTarget:
    """Return the committed target that is due first, or else an ideal or measured target."""
    latest = datetime.max.replace(tzinfo=UTC)
    return min(targets, key=lambda target: (not target.hard, target.calculate_due_at(pauses) or latest))


def measure_clock(
    target_type: TargetType,
    targets: Sequence[EffectiveTarget],
    stops: Sequence[UncountedInterval],
    waits: Sequence[UncountedInterval],
    context: ProjectionContext,
) -> ClockState:
    """Calculate the state of a clock. The time of stops that did not last doesn't count."""
    stop = next((wait for wait in stops if _is_lasting(wait, stops)), None)
    end = stop.start if stop else context.now
    idle = _truncate_intervals(end, merge_intervals([*stops, *waits])) if stop else merge_intervals([*stops, *waits])
    pauses = [ClockPause(wait.start, wait.end) for wait in idle]
    target = select_strictest_target(targets, pauses)
    due_at = target.calculate_due_at(pauses)
    counted_time = business_time.calculate_used_time(target.start, end, target.scale, pauses)
    state = ClockState(
        target_type=target_type,
        is_committed=target.hard,
        severity=target.severity,
        state=ClockStatus.NOT_APPLICABLE,
        started_at=target.start,
        due_at=due_at,
        stopped_at=stop.start if stop else None,
        stopped_by=stop.key if stop else "",
        warn_at=_list_warning_times(target, pauses) if target.hard else (),
        counted=counted_time,
        share=counted_time / target.allowed_time if target.allowed_time else 0.0,
        segments=build_segments(target, end, idle, context) if context.segments else (),
    )
    is_paused = bool(idle) and idle[-1].end is None
    return replace(state, state=_determine_status(state, is_paused, context)) if target.hard else state


def _is_lasting(stop: UncountedInterval, stops: Sequence[UncountedInterval]) -> bool:
    """Return whether the clock has been stopped continuously since this stop, possibly by later stops."""
    end = stop.end
    while end is not None:
        later_ends = [other.end for other in stops if other.start <= end and (other.end is None or other.end > end)]
        if not later_ends:
            return False
        end = None if None in later_ends else max(moment for moment in later_ends if moment is not None)
    return True


def _determine_status(state: ClockState, is_paused: bool, context: ProjectionContext) -> ClockStatus:
    """Return the clock's status. Without complete data it is neither met nor breached."""
    due_at, stopped_at, known_up_to = state.due_at, state.stopped_at, min(context.now, context.data_up_to)
    if stopped_at is not None and (due_at is None or stopped_at <= due_at):
        return ClockStatus.MET if stopped_at <= known_up_to else ClockStatus.DATA_INCOMPLETE
    if due_at is None or context.now < due_at:
        return ClockStatus.PAUSED if is_paused else ClockStatus.RUNNING
    if known_up_to < due_at:
        return ClockStatus.DATA_INCOMPLETE
    return ClockStatus.OVERDUE if stopped_at is None else ClockStatus.LATE


def _list_warning_times(target: EffectiveTarget, pauses: Sequence[ClockPause]) -> tuple[datetime, ...]:
    moments = (target.calculate_due_at(pauses, share) for share in WARNING_SHARES)
    return tuple(moment for moment in moments if moment is not None)


def merge_intervals(waits: Sequence[UncountedInterval]) -> list[UncountedInterval]:
    """Return the intervals without overlaps. The earlier interval keeps the shared time."""
    intervals: list[UncountedInterval] = []
    for wait in sorted(waits, key=lambda wait: wait.start):
        last_end = intervals[-1].end if intervals else wait.start
        if last_end is None:
            break
        start = max(wait.start, last_end)
        if wait.end is None or wait.end > start:
            intervals.append(replace(wait, start=start))
    return intervals


def _truncate_intervals(end: datetime, waits: Sequence[UncountedInterval]) -> list[UncountedInterval]:
    return [replace(wait, end=min(wait.end or end, end)) for wait in waits if wait.start < end]


def build_segments(
    target: EffectiveTarget, end: datetime, idle: Sequence[UncountedInterval], context: ProjectionContext
) -> tuple[Segment, ...]:
    """Return gapless segments from the clock's start to its end or now."""
    parts = business_time.split_into_segments(
        target.start, end, target.scale, [ClockPause(wait.start, wait.end) for wait in idle]
    )
    return tuple(_build_segment(part, idle, context.calendar) for part in parts)


def _build_segment(part: TimeSegment, idle: Sequence[UncountedInterval], calendar: Calendar) -> Segment:
    if part.pause is not None:
        wait = idle[part.pause]
        return Segment(part.start, part.end, False, wait.why, wait.key)
    if part.used:
        return Segment(part.start, part.end, True, RUNNING_REASON, used=part.used)
    return Segment(part.start, part.end, False, describe_days_off(part, calendar))


def format_moment(timestamp: datetime, zone: ZoneInfo) -> str:
    """Format a time in the calendar's time zone, such as “Tue, Apr 14, 2:10 PM”."""
    local_time = timestamp.astimezone(zone)
    return f"{local_time:%a}, {local_time:%b} {local_time.day}, {local_time:%I:%M %p}".replace(", 0", ", ")


def describe_days_off(part: TimeSegment, calendar: Calendar) -> str:
    """Describe days off, such as “Days off: Sat, Apr 11; Sun, Apr 12”, with the names of holidays."""
    days = list_days(part, calendar)
    day_names = [
        f"{day:%a}, {day:%b} {day.day}" + (f" ({calendar.names[day]})" if day in calendar.names else "") for day in days
    ]
    return f"{'Day off' if len(days) == 1 else 'Days off'}: {'; '.join(day_names)}"


def list_days(part: TimeSegment | Segment, calendar: Calendar) -> list[date]:
    """Return the local days that a period touches."""
    first = part.start.astimezone(calendar.zone).date()
    last = (part.end - RESOLUTION).astimezone(calendar.zone).date()
    return [date.fromordinal(ordinal) for ordinal in range(first.toordinal(), last.toordinal() + 1)]
