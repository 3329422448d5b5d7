"""Independent clock that counts minute by minute: slow, and without code of the portal.

Every minute of UTC shows one minute on the wall. It counts when no pause covers it and, for business days, when the
wall shows it for the first time and on a business day. Minutes that the wall skips count at the moment of the skip.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
DAY = 1440
EPOCH = datetime(2019, 1, 1, tzinfo=UTC)
FIRST_DAY = date(2019, 1, 1)
INFINITY = 10**9
LOOK_BACK_MINUTES = 4 * 60  # longer than any clock is turned back


@dataclass
class WallClock:
    """Wall clock of a zone. Minutes are numbered from EPOCH, and wall minutes from its date.

    With a longer `step`, all numbers count steps of that many minutes.
    """

    zone: ZoneInfo
    step: int = 1
    offsets: dict[int, int] = field(default_factory=dict)

    @property
    def day(self) -> int:
        return DAY // self.step

    def get_offset(self, minute: int) -> int:
        moment = EPOCH + minute * self.step * MINUTE
        offset = moment.astimezone(self.zone).utcoffset()
        assert offset is not None
        return offset // MINUTE // self.step

    def get_constant_offset(self, minute: int) -> int | None:
        """Return the offset on the UTC day of a minute, or None if it changes on that day."""
        day = minute // self.day
        first = self._get_offset_at_midnight(day)
        return first if first == self._get_offset_at_midnight(day + 1) else None

    def _get_offset_at_midnight(self, day: int) -> int:
        if day not in self.offsets:
            self.offsets[day] = self.get_offset(day * self.day)
        return self.offsets[day]

    def read(self, minute: int) -> int:
        return minute + self.get_offset(minute)


@dataclass
class MinuteCounter:
    """Counter of minutes from `start` on.

    `pauses` are pairs of first minute and end, or None if it has no end. If `elapsed`, every day counts.
    """

    wall: WallClock
    workdays: Set[int]
    days_off: Set[date]
    start: int
    pauses: Sequence[tuple[int, int | None]]
    elapsed: bool
    business_days: dict[int, bool] = field(default_factory=dict)

    def is_business_day(self, number: int) -> bool:
        """Return whether a day of the wall clock is a business day."""
        if number not in self.business_days:
            day = FIRST_DAY + timedelta(days=number)
            self.business_days[number] = day.weekday() in self.workdays and day not in self.days_off
        return self.business_days[number]

    def count(self, allowed_minutes: int, at: int, until: int) -> tuple[int | None, int]:
        """Return the minute at which `allowed_minutes` have counted, or None, and the number that counted by `at`."""
        paused_minutes = {m for a, b in self.pauses for m in range(a, until + 1 if b is None else b)}
        read_wall = self.wall.read
        elapsed = self.elapsed
        offset = self.wall.get_constant_offset(self.start)
        day = self.wall.day
        seen = max(read_wall(m) for m in range(self.start - LOOK_BACK_MINUTES // self.wall.step, self.start))
        wall_day = seen // day
        counts = elapsed or self.is_business_day(wall_day)
        due = None
        used = 0
        counted_minutes = 0
        minute = self.start
        idle = True
        while minute <= until and (due is None or minute <= at):
            if minute % day == 0:
                offset = self.wall.get_constant_offset(minute)
            on_wall = minute if elapsed else read_wall(minute) if offset is None else minute + offset
            while not elapsed and seen + 1 < on_wall:  # skipped at this moment, as idle as the minute before
                seen += 1
                counted_minutes += not idle and self.is_business_day(seen // day)
                due = minute if due is None and counted_minutes >= allowed_minutes else due
            used = counted_minutes if minute <= at else used
            idle = minute in paused_minutes
            if elapsed or on_wall == seen + 1:
                if not elapsed and on_wall // day != wall_day:
                    wall_day = on_wall // day
                    counts = self.is_business_day(wall_day)
                counted_minutes += not idle and counts
                seen = on_wall
            minute += 1
            if due is None and counted_minutes >= allowed_minutes:
                due = minute if elapsed else self.find_first_minute(seen + 1, minute)
        return due, used

    def find_first_minute(self, wall: int, minute: int) -> int:
        """Return the first minute at which the wall shows a minute or a later one, after a repeated hour."""
        while self.wall.read(minute) < wall:
            minute += 1
        return minute


@lru_cache
def get_wall_clock(zone: ZoneInfo, step: int = 1) -> WallClock:
    """Return the wall clock of a zone, which remembers the offsets of its days."""
    return WallClock(zone, step)
