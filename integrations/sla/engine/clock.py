"""How much of a promise is used, and when is it used up? One clock from what stopped it and what paused it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from integrations.programs.schema import Sla, Target, Verb
from integrations.sla.engine.pause_rules import Wait
from integrations.sla.engine.types import Asked, ClockState, Segment, Severity, Watching
from portal.core import business_time
from portal.core.business_time import Calendar, Pause, Scale, Stretch

WARN_AT = (0.5, 0.75, 0.9)
RUNS = "The clock runs"


@dataclass(frozen=True, slots=True)
class Promise:
    """One target as it counts from a moment on. `allowed` is None where there is none: then time is only measured."""

    severity: Severity
    start: datetime
    scale: Scale
    allowed: timedelta | None
    hard: bool

    def due(self, pauses: Sequence[Pause], share: float = 1.0) -> datetime | None:
        return business_time.due(self.start, self.allowed * share, self.scale, pauses) if self.allowed else None


def promises(
    sla: Sla, verb: Verb, opened: datetime, critical_since: datetime | None, calendar: Calendar
) -> list[Promise]:
    """What is promised about an issue. A severity raised later adds the critical target, counted from then on.

    Raising takes no promise away: where the target for critical issues is ideal or absent, the other one stays.
    """
    mine = verb == sla.verb
    found = []
    if critical_since is not None:
        target = sla.critical if mine else None
        found.append(_promise(Severity.CRITICAL, critical_since if target else opened, target, calendar))
    critical = found[0] if found else None
    if critical is None or not critical.hard or critical_since != opened:
        other = _promise(Severity.OTHER, opened, sla.other if mine else None, calendar)
        if critical is None or other.allowed:
            found.append(other)
    return found


def _promise(severity: Severity, start: datetime, target: Target | None, calendar: Calendar) -> Promise:
    hard = target is not None and not target.ideally
    if target and target.hours is not None:
        return Promise(severity, start, business_time.ELAPSED, timedelta(hours=target.hours), hard)
    if target and target.business_days is not None:
        return Promise(severity, start, calendar.days, timedelta(days=target.business_days), hard)
    scale = business_time.ELAPSED if severity == Severity.CRITICAL else calendar.days
    return Promise(severity, start, scale, None, hard=False)


def strictest(found: Sequence[Promise], pauses: Sequence[Pause]) -> Promise:
    """The hard promise that is due first; without one, what is only ideal or measured."""
    last = datetime.max.replace(tzinfo=UTC)
    return min(found, key=lambda promise: (not promise.hard, promise.due(pauses) or last))


def measure(
    verb: Verb, found: Sequence[Promise], stops: Sequence[Wait], waits: Sequence[Wait], asked: Asked
) -> ClockState:
    """The state of one clock. Those of the stops that did not hold are times that do not count."""
    stop = next((wait for wait in stops if _holds(wait, stops)), None)
    end = stop.start if stop else asked.now
    idle = _until(end, in_order([*stops, *waits])) if stop else in_order([*stops, *waits])
    pauses = [Pause(wait.start, wait.end) for wait in idle]
    promise = strictest(found, pauses)
    due = promise.due(pauses)
    counted = business_time.used(promise.start, end, promise.scale, pauses)
    state = ClockState(
        verb=verb,
        promised=promise.hard,
        severity=promise.severity,
        state=Watching.OFF,
        started_at=promise.start,
        due_at=due,
        stopped_at=stop.start if stop else None,
        stopped_by=stop.key if stop else "",
        warn_at=_warnings(promise, pauses) if promise.hard else (),
        counted=counted,
        share=counted / promise.allowed if promise.allowed else 0.0,
        segments=segments(promise, end, idle, asked) if asked.segments else (),
    )
    lasting = bool(idle) and idle[-1].end is None
    return replace(state, state=_watching(state, lasting, asked)) if promise.hard else state


def _holds(stop: Wait, stops: Sequence[Wait]) -> bool:
    """Whether the clock has stood still ever since this stop, be it that others took over from it."""
    end = stop.end
    while end is not None:
        reach = [other.end for other in stops if other.start <= end and (other.end is None or other.end > end)]
        if not reach:
            return False
        end = None if None in reach else max(at for at in reach if at is not None)
    return True


def _watching(state: ClockState, paused: bool, asked: Asked) -> Watching:
    """Nothing is declared beyond what we know: neither a breach nor that the promise was kept."""
    due, stop, known = state.due_at, state.stopped_at, min(asked.now, asked.data_up_to)
    if stop is not None and (due is None or stop <= due):
        return Watching.MET if stop <= known else Watching.BLIND
    if due is None or asked.now < due:
        return Watching.PAUSED if paused else Watching.RUNNING
    if known < due:
        return Watching.BLIND
    return Watching.OVERDUE if stop is None else Watching.LATE


def _warnings(promise: Promise, pauses: Sequence[Pause]) -> tuple[datetime, ...]:
    moments = (promise.due(pauses, share) for share in WARN_AT)
    return tuple(moment for moment in moments if moment is not None)


def in_order(waits: Sequence[Wait]) -> list[Wait]:
    """The same times without overlaps: what began first keeps its time."""
    found: list[Wait] = []
    for wait in sorted(waits, key=lambda wait: wait.start):
        last = found[-1].end if found else wait.start
        if last is None:
            break
        start = max(wait.start, last)
        if wait.end is None or wait.end > start:
            found.append(replace(wait, start=start))
    return found


def _until(end: datetime, waits: Sequence[Wait]) -> list[Wait]:
    return [replace(w, end=min(w.end or end, end)) for w in waits if w.start < end]


def segments(promise: Promise, end: datetime, idle: Sequence[Wait], asked: Asked) -> tuple[Segment, ...]:
    """What lies between the clock's start and its end or now, without a gap."""
    parts = business_time.stretches(promise.start, end, promise.scale, [Pause(wait.start, wait.end) for wait in idle])
    return tuple(_segment(part, idle, asked.calendar) for part in parts)


def _segment(part: Stretch, idle: Sequence[Wait], calendar: Calendar) -> Segment:
    if part.pause is not None:
        wait = idle[part.pause]
        return Segment(part.start, part.end, False, wait.why, wait.key)
    if part.used:
        return Segment(part.start, part.end, True, RUNS, used=part.used)
    return Segment(part.start, part.end, False, days_off(part, calendar))


def days_off(part: Stretch, calendar: Calendar) -> str:
    """“Days off: Sat 11 Apr, Sun 12 Apr”, holidays by their names."""
    days = days_of(part, calendar)
    named = [
        f"{day:%a} {day.day} {day:%b}" + (f" ({calendar.names[day]})" if day in calendar.names else "") for day in days
    ]
    return f"{'Day off' if len(days) == 1 else 'Days off'}: {', '.join(named)}"


def days_of(part: Stretch | Segment, calendar: Calendar) -> list[date]:
    """The local days that a time touches."""
    first = part.start.astimezone(calendar.zone).date()
    last = (part.end - business_time.INSTANT).astimezone(calendar.zone).date()
    return [date.fromordinal(n) for n in range(first.toordinal(), last.toordinal() + 1)]
