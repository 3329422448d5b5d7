"""Used time, due date, and status of one SLA clock, calculated from its stops and pauses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from integrations.programs.sla_policy import Sla, SlaTarget, TargetType
from integrations.sla.engine.types import (
    ClockState,
    ClockStatus,
    ProjectionContext,
    Segment,
    Severity,
    UncountedInterval,
)
from portal.core import business_time
from portal.core.business_time import Calendar, ClockPause, TimeScale
from portal.core.time_segments import TimeSegment, split_into_segments
from portal.core.translation import gettext_noop

WARNING_SHARES = (0.5, 0.75, 0.9)
RUNNING_REASON = gettext_noop("Clock running")


@dataclass(frozen=True, slots=True)
class EffectiveTarget:
    """SLA target with its start. Without `allowed_time`, time is only measured."""

    severity: Severity
    start: datetime
    scale: TimeScale
    allowed_time: timedelta | None
    is_committed: bool

    def calculate_due_at(self, pauses: Sequence[ClockPause], share: float = 1.0) -> datetime | None:
        if not self.allowed_time:
            return None
        return business_time.calculate_due_at(self.start, self.allowed_time * share, self.scale, pauses)


def build_effective_targets(
    sla: Sla, target_type: TargetType, opened_at: datetime, critical_since: datetime | None, calendar: Calendar
) -> list[EffectiveTarget]:
    """Return the SLA targets of an issue. A severity raised later adds the critical target, counted from the change.

    Raising the severity never removes a target: if the critical target is ideal or absent, the other target stays.
    """
    targets = []
    if critical_since is not None:
        target = sla.get_target(target_type, Severity.CRITICAL)
        # Without a critical target, nothing is due from the label on, so the time is measured from the opening.
        start = critical_since if target else opened_at
        targets.append(_build_effective_target(Severity.CRITICAL, start, target, calendar))
    critical = targets[0] if targets else None
    # After a late label, the target for other issues stays in force and the earlier of the two due dates applies.
    # Otherwise, a critical label shortly before the due date would extend the time.
    if critical is None or not critical.is_committed or critical_since != opened_at:
        target = sla.get_target(target_type, Severity.OTHER)
        other = _build_effective_target(Severity.OTHER, opened_at, target, calendar)
        if critical is None or other.allowed_time:
            targets.append(other)
    return targets


def _build_effective_target(
    severity: Severity, start: datetime, target: SlaTarget | None, calendar: Calendar
) -> EffectiveTarget:
    allowed_time = target.allowed_time if target else None
    # The Support steps of the published programs give critical issues 48 hours and all others 5 business days. Without
    # a target, time is measured in the same units.
    is_elapsed = target.hours is not None if target and allowed_time else severity == Severity.CRITICAL
    scale = business_time.ELAPSED_SCALE if is_elapsed else calendar.days
    is_committed = target is not None and allowed_time is not None and not target.is_ideal
    return EffectiveTarget(severity, start, scale, allowed_time, is_committed)


def select_strictest_target(targets: Sequence[EffectiveTarget], pauses: Sequence[ClockPause]) -> EffectiveTarget:
    """Return the committed target that is due first, or else an ideal or measured target."""
    # A target has no due date during an open pause. An ideal target never takes precedence over a required one, because
    # only a required target can be breached.
    latest = datetime.max.replace(tzinfo=UTC)
    return min(targets, key=lambda target: (not target.is_committed, target.calculate_due_at(pauses) or latest))


def measure_clock(
    target_type: TargetType,
    targets: Sequence[EffectiveTarget],
    stops: Sequence[UncountedInterval],
    waits: Sequence[UncountedInterval],
    context: ProjectionContext,
) -> ClockState:
    """Calculate the state of a clock. The time of stops that did not last doesn't count."""
    stop = next((interval for interval in stops if _is_lasting(interval, stops)), None)
    end = stop.start if stop else context.now
    intervals = merge_intervals([*stops, *waits])
    if stop:
        # What happens after the stop, such as a question that is still open, must not move the due date.
        intervals = [replace(each, end=min(each.end or end, end)) for each in intervals if each.start < end]
    pauses = [ClockPause(interval.start, interval.end) for interval in intervals]
    target = select_strictest_target(targets, pauses)
    ideal_due_at = _find_ideal_due_at(targets, pauses)
    warning_times = [target.calculate_due_at(pauses, share) for share in WARNING_SHARES] if target.is_committed else []
    counted_time = business_time.calculate_used_time(target.start, end, target.scale, pauses)
    parts = split_into_segments(target.start, end, target.scale, pauses)
    state = ClockState(
        target_type=target_type,
        is_committed=target.is_committed,
        severity=target.severity,
        state=ClockStatus.NOT_APPLICABLE,
        started_at=target.start,
        due_at=target.calculate_due_at(pauses),
        stopped_at=stop.start if stop else None,
        stopped_by=stop.key if stop else "",
        warn_at=tuple(warning_at for warning_at in warning_times if warning_at),
        counted=counted_time,
        share=counted_time / target.allowed_time if target.allowed_time else 0.0,
        segments=tuple(_build_segment(part, intervals) for part in parts),
        ideal_due_at=ideal_due_at,
        is_ideal_missed=is_missed(ideal_due_at, stop.start if stop else None, min(context.now, context.data_up_to)),
    )
    is_paused = bool(intervals) and intervals[-1].end is None
    return replace(state, state=_determine_status(state, is_paused, context)) if target.is_committed else state


def _find_ideal_due_at(targets: Sequence[EffectiveTarget], pauses: Sequence[ClockPause]) -> datetime | None:
    """Return the earliest due date of the ideal targets, None without one and during a pause."""
    due_dates = [target.calculate_due_at(pauses) for target in targets if not target.is_committed]
    return min(filter(None, due_dates), default=None)


def is_missed(due_at: datetime | None, stopped_at: datetime | None, data_up_to: datetime) -> bool:
    """Return whether a due date passed before the stop. `data_up_to` is the time until which the data is complete."""
    if due_at is None or data_up_to < due_at:
        return False
    return stopped_at is None or stopped_at > due_at


def _is_lasting(stop: UncountedInterval, stops: Sequence[UncountedInterval]) -> bool:
    """Return whether the clock has been stopped continuously since this stop, possibly by later stops."""
    end = stop.end
    while end is not None:
        # A deleted reply still counts if another reply or a closing covered the time of its deletion.
        later_ends = [other.end for other in stops if other.start <= end and (other.end is None or other.end > end)]
        if not later_ends:
            return False
        end = None if None in later_ends else max(moment for moment in later_ends if moment is not None)
    return True


def _determine_status(state: ClockState, is_paused: bool, context: ProjectionContext) -> ClockStatus:
    """Return the clock's status. Without complete data it is neither met nor breached."""
    due_at = state.due_at
    stopped_at = state.stopped_at
    known_up_to = min(context.now, context.data_up_to)
    if stopped_at is not None and (due_at is None or stopped_at <= due_at):
        # A webhook can report a stop before all earlier events are known, and one of them may change the result.
        return ClockStatus.MET if stopped_at <= known_up_to else ClockStatus.DATA_INCOMPLETE
    if due_at is None or context.now < due_at:
        return ClockStatus.PAUSED if is_paused else ClockStatus.RUNNING
    if known_up_to < due_at:
        return ClockStatus.DATA_INCOMPLETE
    return ClockStatus.OVERDUE if stopped_at is None else ClockStatus.LATE


def merge_intervals(intervals: Sequence[UncountedInterval]) -> list[UncountedInterval]:
    """Return the intervals without overlaps. The earlier interval keeps the shared time."""
    merged: list[UncountedInterval] = []
    for interval in sorted(intervals, key=lambda interval: interval.start):
        last_end = merged[-1].end if merged else interval.start
        # An open interval already covers everything after its start.
        if last_end is None:
            break
        start = max(interval.start, last_end)
        if interval.end is None or interval.end > start:
            merged.append(replace(interval, start=start))
    return merged


def _build_segment(part: TimeSegment, intervals: Sequence[UncountedInterval]) -> Segment:
    """Return a segment. Days off have no reason."""
    if part.pause is not None:
        interval = intervals[part.pause]
        return Segment(part.start, part.end, False, interval.reason, interval.key)
    return Segment(part.start, part.end, bool(part.used), RUNNING_REASON if part.used else "", used=part.used)
