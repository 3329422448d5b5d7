"""Due date arithmetic with elapsed hours, business days, and pauses. Standard library only.

A business day is a whole local day of the calendar, counted in wall-clock time. A start inside a business day is due at
the same local time n business days later. A start on a day off counts from 00:00 of the next business day and is due at
the end of the last counted business day. docs/explanation/sla-clock.md explains the rule.

A `TimeScale` converts a moment into a position (the time counted since its origin) and back, both in constant time. The
length of a pause is a difference of positions, so a pause on a day off has no length.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from threading import Lock
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

from portal.core.local_time import find_clock_change, find_first_moment

DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_YEAR = 2008  # range of the business day tables
LAST_YEAR = 2187
TABLE_GROWTH_YEARS = 30  # initial size of a table, and its growth


@dataclass(frozen=True, slots=True)
class Calendar:
    """Business calendar: time zone, working weekdays (Monday is 0), and holidays with their names."""

    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    workdays: Set[int] = frozenset(range(5))
    days_off: Set[date] = frozenset()
    names: Mapping[date, str] = field(default_factory=dict, compare=False, repr=False)
    # A list, because a frozen dataclass can't assign the table when it is first needed.
    _days: "list[BusinessDayScale]" = field(default_factory=list, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.workdays:
            raise ValueError("Select at least one workday per week.")

    def is_business_day(self, day: date) -> bool:
        return day.weekday() in self.workdays and day not in self.days_off

    @property
    def days(self) -> "BusinessDayScale":
        """Return the table of business days, which equal calendars share."""
        if not self._days:
            self._days.append(_get_business_days(self.zone, frozenset(self.workdays), frozenset(self.days_off)))
        return self._days[0]


class ClockPause(NamedTuple):
    """Period that does not count. The end of an ongoing pause is None."""

    start: datetime
    end: datetime | None


class TimeScale(Protocol):
    """Way of counting time.

    Positions never decrease. `get_moment` returns the first moment with a position. `list_boundaries` returns the
    moments between two others at which counting starts or stops.
    """

    def get_position(self, moment: datetime) -> timedelta: ...
    def get_moment(self, position: timedelta) -> datetime: ...
    def list_boundaries(self, start: datetime, end: datetime) -> Iterable[datetime]: ...


class ElapsedScale:
    """Elapsed time in UTC."""

    def get_position(self, moment: datetime) -> timedelta:
        return moment.astimezone(UTC) - EPOCH

    def get_moment(self, position: timedelta) -> datetime:
        return EPOCH + position

    def list_boundaries(self, start: datetime, end: datetime) -> Iterable[datetime]:
        """Return no moments, because elapsed time always counts."""
        return ()


ELAPSED_SCALE = ElapsedScale()


class BusinessDayScale:
    """Business days of a calendar as a scale, with prefix sums per day. Day 0 is January 1 of FIRST_YEAR.

    An hour that the clocks skip counts at the moment of the change. An hour that they repeat counts once.

    Attributes:
        workdays: Whether day n is a business day.
        is_regular_day: Whether day n is a business day of 24 hours.
        midnights: The start of day n in UTC.
        workdays_before: The number of business days before day n.
        workday_numbers: The day number of the k-th business day.

    Raises:
        ValueError: A moment is outside the years from FIRST_YEAR to LAST_YEAR.
    """

    def __init__(self, calendar: Calendar) -> None:
        self.calendar = calendar
        self.zone = calendar.zone
        self.first = date(FIRST_YEAR, 1, 1).toordinal()
        self._lock = Lock()
        self.years = 0
        self.workdays: list[bool] = []
        self.is_regular_day: list[bool] = []
        self.workdays_before: list[int] = [0]
        self.workday_numbers: list[int] = []
        self._extend()

    def _extend_to(self, table: Sequence[object], position: int) -> None:
        """Extend all tables until this one has the position. Threads share them, but only one extends them."""
        with self._lock:
            while position >= len(table):
                self._extend()

    def _extend(self) -> None:
        """Extend all tables. The tables that readers check come last, because readers don't wait for the lock."""
        if FIRST_YEAR + self.years > LAST_YEAR:
            raise ValueError(f"Business days end in {LAST_YEAR}.")
        self.years += TABLE_GROWTH_YEARS
        self.midnights = _list_midnights(self.zone, self.years)
        for day_number in range(len(self.workdays), len(self.midnights) - 1):
            is_workday = self.calendar.is_business_day(date.fromordinal(self.first + day_number))
            self.workdays_before.append(self.workdays_before[-1] + is_workday)
            self.is_regular_day.append(
                is_workday and self.midnights[day_number + 1] - self.midnights[day_number] == DAY
            )
            self.workdays.append(is_workday)
            if is_workday:
                self.workday_numbers.append(day_number)

    def add_days(self, start: datetime, days: int) -> datetime:
        """Return `get_moment(get_position(start) + days)`, with a shortcut for business days of 24 hours."""
        day_number = start.astimezone(self.zone).toordinal() - self.first
        if (
            0 <= day_number < len(self.is_regular_day)
            and self.is_regular_day[day_number]
            and self.workdays_before[day_number] + days < len(self.workday_numbers)
        ):
            last_day = self.workday_numbers[self.workdays_before[day_number] + days]
            wall_time = start - self.midnights[day_number]
            # A start at 00:00 belongs to the end of the previous business day, which `get_moment` finds.
            if wall_time and self.is_regular_day[last_day]:
                return self.midnights[last_day] + wall_time
        return self.get_moment(self.get_position(start) + days * DAY)

    def get_position(self, moment: datetime) -> timedelta:
        local = moment.astimezone(self.zone)
        day_number = local.toordinal() - self.first
        if day_number < 0:
            raise ValueError(f"Business days start in {FIRST_YEAR}.")
        if day_number >= len(self.workdays):
            self._extend_to(self.workdays, day_number)
        if not self.workdays[day_number]:
            return self.workdays_before[day_number] * DAY
        if not self.is_regular_day[day_number]:
            return self._get_irregular_position(local)
        return self.workdays_before[day_number] * DAY + (moment - self.midnights[day_number])

    def _get_irregular_position(self, local: datetime) -> timedelta:
        """Return the position by wall-clock time. During a repeated hour, the position does not change."""
        if local.fold:
            local = find_clock_change(local)
        day_number = local.toordinal() - self.first
        wall_time = timedelta(
            hours=local.hour, minutes=local.minute, seconds=local.second, microseconds=local.microsecond
        )
        return self.workdays_before[day_number] * DAY + (wall_time if self.workdays[day_number] else timedelta())

    def get_moment(self, position: timedelta) -> datetime:
        days, rest = divmod(position, DAY)
        if days >= len(self.workday_numbers):
            self._extend_to(self.workday_numbers, days)
        if not rest:  # the end of a business day, not the start of the next
            return self.midnights[self.workday_numbers[days - 1] + 1]
        day_number = self.workday_numbers[days]
        if not self.is_regular_day[day_number]:
            return find_first_moment(date.fromordinal(self.first + day_number), rest, self.zone)
        return self.midnights[day_number] + rest

    def list_boundaries(self, start: datetime, end: datetime) -> Iterable[datetime]:
        """Yield the moments between two others at which business days start or end."""
        self.get_position(end)  # grows the table
        first = start.astimezone(self.zone).toordinal() - self.first
        last = end.astimezone(self.zone).toordinal() - self.first
        for day_number in range(first + 1, last + 1):
            if self.workdays[day_number] != self.workdays[day_number - 1] and start < self.midnights[day_number] < end:
                yield self.midnights[day_number]


# A table has thousands of days, and most partners of a country have the same calendar.
@lru_cache(maxsize=256)
def _get_business_days(zone: ZoneInfo, workdays: frozenset[int], days_off: frozenset[date]) -> BusinessDayScale:
    return BusinessDayScale(Calendar(zone, workdays, days_off))


@lru_cache(maxsize=128)
def _list_midnights(zone: ZoneInfo, years: int) -> list[datetime]:
    """Return the start of each local day in UTC, plus the end of the last day. All calendars of a zone share it."""
    first = date(FIRST_YEAR, 1, 1).toordinal()
    last = date(FIRST_YEAR + years, 1, 1).toordinal()
    days = (date.fromordinal(n) for n in range(first, last + 1))
    return [datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC) for day in days]


def add_business_days(start: datetime, days: int, calendar: Calendar) -> datetime:
    """Return the moment in UTC a number of business days after an aware start."""
    return calendar.days.add_days(start, days)


def calculate_due_at(
    start: datetime, allowed_time: timedelta, scale: TimeScale, pauses: Sequence[ClockPause] = ()
) -> datetime | None:
    """Return the moment at which the allowed time is used, or None if a pause without an end comes first.

    Args:
        start: When counting starts.
        allowed_time: A positive duration in the time of the scale.
        scale: How time counts.
        pauses: Sorted pauses that do not overlap. Pauses before the start have no effect.
    """
    due_position = scale.get_position(start) + allowed_time
    for pause in pauses:
        if pause.end is not None and pause.end <= start:
            continue
        pause_position = scale.get_position(max(pause.start, start))
        # A pause that begins after the due date must not move it.
        if pause_position >= due_position:
            break
        if pause.end is None:
            return None
        due_position += scale.get_position(pause.end) - pause_position
    return scale.get_moment(due_position)


def calculate_used_time(
    start: datetime, end: datetime, scale: TimeScale, pauses: Sequence[ClockPause] = ()
) -> timedelta:
    """Return the time of the scale that counts between two moments."""
    used_time = scale.get_position(end) - scale.get_position(start)
    for pause in pauses:
        paused_at = max(pause.start, start)
        resumed_at = end if pause.end is None else min(pause.end, end)
        if paused_at < resumed_at:
            used_time -= scale.get_position(resumed_at) - scale.get_position(paused_at)
    return used_time


def merge_pauses(pauses: Iterable[ClockPause]) -> list[ClockPause]:
    """Return sorted pauses that cover the same time without overlaps."""
    merged_pauses: list[ClockPause] = []
    for pause in sorted(pauses, key=lambda p: p.start):
        last = merged_pauses[-1] if merged_pauses else None
        if last is None or (last.end is not None and pause.start > last.end):
            merged_pauses.append(pause)
        elif last.end is not None and (pause.end is None or pause.end > last.end):
            merged_pauses[-1] = ClockPause(last.start, pause.end)
    return merged_pauses
