"""When is it due? Elapsed hours and business days, with pauses; standard library only, `now` is always an argument.

The rule for business days: they are whole local days of the calendar, counted in wall-clock time. A start inside a
business day is due at the same local time n business days later. A start on a day off counts from the next business
day 00:00, and is due at the end of the last counted business day. The whole rule, for all to read: docs/sla.md.

A `Scale` turns a moment into a position (the time counted since its origin) and back, both in constant time; a pause
is a difference of positions, so that a pause over a day off takes nothing.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
INSTANT = timedelta(microseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_YEAR, LAST_YEAR = 2008, 2187  # of business days; nothing that is counted here is older
SPAN = 30  # years that a table of days spans at first, and grows by


@dataclass(frozen=True, slots=True)
class Calendar:
    """Whose days count: a zone, the weekdays worked (Monday is 0) and the days off. `names`: what they are called."""

    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    workdays: Set[int] = frozenset(range(5))
    days_off: Set[date] = frozenset()
    names: Mapping[date, str] = field(default_factory=dict, compare=False, repr=False)
    _days: "list[Days]" = field(default_factory=list, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.workdays:
            raise ValueError("A calendar needs at least one working day a week.")

    def is_business_day(self, day: date) -> bool:
        return day.weekday() in self.workdays and day not in self.days_off

    @property
    def days(self) -> "Days":
        """The table of its business days, made when first asked for, shared by equal calendars."""
        if not self._days:
            self._days.append(_table(self.zone, frozenset(self.workdays), frozenset(self.days_off)))
        return self._days[0]


class Pause(NamedTuple):
    """A time that does not count; `end` is None while it lasts."""

    start: datetime
    end: datetime | None


class Stretch(NamedTuple):
    """A part of a clock's life. `used`: the time it counts; `pause`: the index of the pause that it is, or None."""

    start: datetime
    end: datetime
    used: timedelta
    pause: int | None = None


class Scale(Protocol):
    """How time is counted. Positions never shrink; `moment` gives the first moment that counts as the position."""

    def position(self, at: datetime) -> timedelta: ...
    def moment(self, position: timedelta) -> datetime: ...
    def cuts(self, start: datetime, end: datetime) -> Iterable[datetime]: ...


class Elapsed:
    """Real time, in UTC."""

    def position(self, at: datetime) -> timedelta:
        return at.astimezone(UTC) - EPOCH

    def moment(self, position: timedelta) -> datetime:
        return EPOCH + position

    def cuts(self, start: datetime, end: datetime) -> Iterable[datetime]:
        """The moments between two others at which counting begins or ends: none."""
        return ()


ELAPSED = Elapsed()


class Days:
    """The business days of a calendar as a scale: prefix counts by day, days numbered from the first of FIRST_YEAR.

    `midnights[n]`: when day n begins, in UTC; `before[n]`: the business days before it; `worked[k]`: which day is the
    business day number k; `plain[n]`: it is a business day of 24 hours. An hour that the clocks skip counts at the
    moment they skip it; one that they repeat counts once. Raises ValueError beyond FIRST_YEAR to LAST_YEAR.
    """

    def __init__(self, calendar: Calendar) -> None:
        self.calendar, self.zone = calendar, calendar.zone
        self.first = date(FIRST_YEAR, 1, 1).toordinal()
        self.years = 0
        self.works: list[bool] = []
        self.plain: list[bool] = []
        self.before: list[int] = [0]
        self.worked: list[int] = []
        self._grow()

    def _grow(self) -> None:
        if FIRST_YEAR + self.years > LAST_YEAR:
            raise ValueError(f"No business day is counted after {LAST_YEAR}.")
        self.years += SPAN
        self.midnights = _midnights(self.zone, self.years)
        for n in range(len(self.works), len(self.midnights) - 1):
            works = self.calendar.is_business_day(date.fromordinal(self.first + n))
            self.works.append(works)
            self.plain.append(works and self.midnights[n + 1] - self.midnights[n] == DAY)
            self.before.append(self.before[-1] + works)
            if works:
                self.worked.append(n)

    def after(self, start: datetime, days: int) -> datetime:
        """`moment(position(start) + days)`, swiftly where the days are business days of 24 hours."""
        n = start.astimezone(self.zone).toordinal() - self.first
        if 0 <= n < len(self.plain) and self.plain[n] and self.before[n] + days < len(self.worked):
            last = self.worked[self.before[n] + days]
            wall = start - self.midnights[n]
            if wall and self.plain[last]:
                return self.midnights[last] + wall
        return self.moment(self.position(start) + days * DAY)

    def position(self, at: datetime) -> timedelta:
        local = at.astimezone(self.zone)
        n = local.toordinal() - self.first
        if n < 0:
            raise ValueError(f"No business day is counted before {FIRST_YEAR}.")
        while n >= len(self.works):
            self._grow()
        if not self.works[n]:
            return self.before[n] * DAY
        if not self.plain[n]:
            return self._position_on_odd_day(local)
        return self.before[n] * DAY + (at - self.midnights[n])

    def _position_on_odd_day(self, local: datetime) -> timedelta:
        """By the wall clock; while it repeats an hour, the position stays where it was when the clock went back."""
        if local.fold:
            local = _clock_went_back(local)
        n = local.toordinal() - self.first
        wall = timedelta(hours=local.hour, minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        return self.before[n] * DAY + (wall if self.works[n] else timedelta())

    def moment(self, position: timedelta) -> datetime:
        days, rest = divmod(position, DAY)
        while days >= len(self.worked):
            self._grow()
        if not rest:  # the end of a business day, not the beginning of the next
            return self.midnights[self.worked[days - 1] + 1]
        n = self.worked[days]
        if not self.plain[n]:
            return _reached(date.fromordinal(self.first + n), rest, self.zone)
        return self.midnights[n] + rest

    def cuts(self, start: datetime, end: datetime) -> Iterable[datetime]:
        """The moments between two others at which business days begin or end."""
        self.position(end)  # grows the table
        first = start.astimezone(self.zone).toordinal() - self.first
        last = end.astimezone(self.zone).toordinal() - self.first
        for n in range(first + 1, last + 1):
            if self.works[n] != self.works[n - 1] and start < self.midnights[n] < end:
                yield self.midnights[n]


@lru_cache(maxsize=256)
def _table(zone: ZoneInfo, workdays: frozenset[int], days_off: frozenset[date]) -> Days:
    return Days(Calendar(zone, workdays, days_off))


@lru_cache(maxsize=128)
def _midnights(zone: ZoneInfo, years: int) -> list[datetime]:
    """When each local day begins, in UTC, and one more. Shared by all calendars of a zone."""
    first, last = date(FIRST_YEAR, 1, 1).toordinal(), date(FIRST_YEAR + years, 1, 1).toordinal()
    days = (date.fromordinal(n) for n in range(first, last + 1))
    return [datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC) for day in days]


def _clock_went_back(local: datetime) -> datetime:
    """For a local time in its second passing: what the clock showed when it went back. Without zone."""
    first = local.replace(fold=0)
    offset = first.utcoffset() or timedelta()
    low, high = first.astimezone(UTC), local.astimezone(UTC)
    while high - low > INSTANT:
        middle = low + (high - low) // 2
        if middle.astimezone(local.tzinfo).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return high.replace(tzinfo=None) + offset


def _reached(day: date, wall: timedelta, zone: ZoneInfo) -> datetime:
    """The first moment, in UTC, at which the local clock shows a time of a day or, where it skips that, a later one."""
    wanted = datetime.combine(day, time()) + wall
    found = wanted.replace(tzinfo=zone).astimezone(UTC)
    if found.astimezone(zone).replace(tzinfo=None) == wanted:
        return found
    low = wanted.replace(tzinfo=zone, fold=1).astimezone(UTC)  # skipped: the later offset gives the earlier moment
    while found - low > INSTANT:
        middle = low + (found - low) // 2
        if middle.astimezone(zone).replace(tzinfo=None) >= wanted:
            found = middle
        else:
            low = middle
    return found


def due_elapsed(start: datetime, hours: int) -> datetime:
    """`hours` real hours after an aware `start`, in UTC, whatever clocks are changed meanwhile."""
    return start.astimezone(UTC) + timedelta(hours=hours)


def due_business(start: datetime, days: int, calendar: Calendar) -> datetime:
    """The moment, in UTC, at which `days` business days have passed since an aware `start`."""
    return calendar.days.after(start, days)


def due(start: datetime, allowed: timedelta, scale: Scale, pauses: Sequence[Pause] = ()) -> datetime | None:
    """When `allowed` (positive, in the scale's time) is used up. None when a pause without end comes first.

    The pauses are in order and do not overlap; those before `start` do nothing.
    """
    wanted = scale.position(start) + allowed
    for pause in pauses:
        if pause.end is not None and pause.end <= start:
            continue
        begin = scale.position(max(pause.start, start))
        if begin >= wanted:
            break
        if pause.end is None:
            return None
        wanted += scale.position(pause.end) - begin
    return scale.moment(wanted)


def used(start: datetime, end: datetime, scale: Scale, pauses: Sequence[Pause] = ()) -> timedelta:
    """The time, in the scale's, that counts between two moments."""
    counted = scale.position(end) - scale.position(start)
    for pause in pauses:
        begin, finish = max(pause.start, start), end if pause.end is None else min(pause.end, end)
        if begin < finish:
            counted -= scale.position(finish) - scale.position(begin)
    return counted


def stretches(start: datetime, end: datetime, scale: Scale, pauses: Sequence[Pause] = ()) -> list[Stretch]:
    """What lies between two moments, without a gap: counted, paused, and days off (neither used nor a pause)."""
    found: list[Stretch] = []
    at = start
    for number, pause in enumerate(pauses):
        begin, finish = max(pause.start, start), end if pause.end is None else min(pause.end, end)
        if begin >= finish:
            continue
        found += _counted(at, begin, scale)
        found.append(Stretch(begin, finish, timedelta(), number))
        at = finish
    return found + _counted(at, end, scale)


def _counted(start: datetime, end: datetime, scale: Scale) -> list[Stretch]:
    """A time without pauses, cut where business days begin and end."""
    if start >= end:
        return []
    marks = [start, *scale.cuts(start, end), end]
    counted = [(mark, scale.position(mark)) for mark in marks]
    return [Stretch(start, end, after - before) for (start, before), (end, after) in pairwise(counted)]


def merged(pauses: Iterable[Pause]) -> list[Pause]:
    """The same times as pauses in order that do not overlap."""
    found: list[Pause] = []
    for pause in sorted(pauses, key=lambda p: p.start):
        last = found[-1] if found else None
        if last is None or (last.end is not None and pause.start > last.end):
            found.append(pause)
        elif last.end is not None and (pause.end is None or pause.end > last.end):
            found[-1] = Pause(last.start, pause.end)
    return found
