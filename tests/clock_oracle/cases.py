"""Random cases for the clock from a seed: zones, calendars, starts, pauses, and targets."""

import random
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

from portal.core import business_time
from portal.core.business_time import Calendar, ClockPause
from portal.core.holidays import load_holidays
from portal.core.time_segments import TimeSegment, split_into_segments
from tests.clock_oracle.minute_clock import DAY, EPOCH, MINUTE, MinuteCounter, WallClock, get_wall_clock

ZONE_NAMES = (
    "UTC Africa/Cairo Africa/Casablanca Africa/Johannesburg America/Argentina/Buenos_Aires America/Asuncion "
    "America/Chicago America/Denver America/Halifax America/Havana America/Los_Angeles America/Mexico_City "
    "America/New_York America/Nuuk America/Phoenix America/Santiago America/Sao_Paulo America/St_Johns "
    "Antarctica/Troll Asia/Amman Asia/Beirut Asia/Dubai Asia/Gaza Asia/Jerusalem Asia/Kathmandu Asia/Kolkata "
    "Asia/Shanghai Asia/Tehran Asia/Tokyo Atlantic/Azores Australia/Adelaide Australia/Eucla Australia/Lord_Howe "
    "Australia/Sydney Europe/Berlin Europe/Dublin Europe/London Pacific/Apia Pacific/Chatham Pacific/Marquesas"
)
ZONES = ZONE_NAMES.split()
HOLIDAY_REGIONS = (
    ("US", "CA"),
    ("US", ""),
    ("DE", "BY"),
    ("JP", ""),
    ("GB", "ENG"),
    ("IN", ""),
    ("IL", ""),
    ("BR", ""),
)
# Repeated ones are drawn more often.
WORKWEEKS = (
    frozenset(range(5)),
    frozenset(range(5)),
    frozenset({6, 0, 1, 2, 3}),
    frozenset(range(7)),
    frozenset(range(7)),
    frozenset(range(6)),
    frozenset({1, 4}),
)
FIRST_START = datetime(2020, 1, 1, tzinfo=EPOCH.tzinfo)
LAST_START = datetime(2035, 12, 31, tzinfo=EPOCH.tzinfo)
SPECIAL_DATES = (date(2020, 2, 29), date(2024, 2, 28), date(2028, 2, 29), date(2026, 12, 31), date(2032, 12, 30))


@dataclass(frozen=True)
class Case:
    """Input for the clock and the oracle. Times are minutes from the oracle's EPOCH."""

    calendar: Calendar
    start: int
    allowed: int
    elapsed: bool
    pauses: tuple[tuple[int, int | None], ...]
    at: int

    @property
    def scale(self) -> business_time.TimeScale:
        return business_time.ELAPSED_SCALE if self.elapsed else self.calendar.days


@lru_cache(maxsize=1024)
def draw_calendar(zone: str, number: int) -> Calendar:
    """Return a calendar of a zone by number: half with the holidays of a country, half with random days off."""
    draw = random.Random(f"{zone} {number}")
    country, part = draw.choice(HOLIDAY_REGIONS)
    if number % 2:
        days = frozenset(_list_holidays(country, part))
    else:
        every = (FIRST_START.date() + timedelta(days=n) for n in range(5900))
        days = frozenset(day for day in every if draw.random() < 0.06)
    return Calendar(ZoneInfo(zone), draw.choice(WORKWEEKS), days)


@lru_cache
def _list_holidays(country: str, part: str) -> frozenset[date]:
    return frozenset(load_holidays(country, part, 2020, 2036))


@lru_cache
def list_offset_changes(zone: str) -> list[int]:
    """Return the minutes from EPOCH at which the UTC offset of a zone changes."""
    wall = get_wall_clock(ZoneInfo(zone))
    days = range((FIRST_START - EPOCH).days, (LAST_START - EPOCH).days)
    return [_find_offset_change(wall, day) for day in days if wall.get_constant_offset(day * DAY) is None]


def _find_offset_change(wall: WallClock, day: int) -> int:
    """Return the first minute with the new offset on a UTC day on which it changes."""
    midnight = day * DAY
    offset = wall.get_offset(midnight)
    return midnight + bisect_left(range(DAY), True, key=lambda minute: wall.get_offset(midnight + minute) != offset)


def draw_cases(count: int, seed: int, calendars: int = 2) -> Iterator[Case]:
    draw = random.Random(seed)
    for n in range(count):
        zone = ZONES[n % len(ZONES)]
        yield _draw_case(draw, zone, draw_calendar(zone, draw.randrange(calendars)))


def _draw_case(draw: random.Random, zone: str, calendar: Calendar) -> Case:
    is_elapsed = draw.random() < 0.3
    hours = draw.choice((48, 48, 24, draw.randrange(1, 721)))
    days_allowed = draw.choice((1, 2, 3, 5, 5, draw.randrange(1, 31)))
    allowed_minutes = hours * 60 if is_elapsed else days_allowed * DAY
    start = _draw_start(draw, zone, allowed_minutes)
    span = allowed_minutes + 3 * DAY
    pauses: list[tuple[int, int | None]] = []
    at = start - draw.randrange(DAY)
    near = [change + draw.randrange(-90, 90) for change in list_offset_changes(zone) if 0 < change - start < span]
    for _ in range(draw.choice((0, 0, 1, 2, 4))):
        begin = max(at + 1, draw.choice((*near, at + draw.randrange(1, span))))
        at = begin + draw.choice((1, 59, 600, DAY, 5 * DAY, draw.randrange(1, 3 * DAY)))
        pauses.append((begin, at))
    if pauses and draw.random() < 0.1:
        pauses[-1] = (pauses[-1][0], None)
    return Case(calendar, start, allowed_minutes, is_elapsed, tuple(pauses), start + draw.randrange(span))


def _draw_start(draw: random.Random, zone: str, allowed_minutes: int) -> int:
    """Return a minute from 2020 to 2035, often a special one.

    It is often on a Friday, or near a leap day, the end of a year, or a clock change. Often, the due date is near one.
    """
    roll = draw.random()
    change_days = list_offset_changes(zone)
    if roll < 0.3 and change_days:
        before = draw.choice((0, 0, allowed_minutes, allowed_minutes + draw.randrange(3) * DAY))
        off = (draw.randrange(60), draw.randrange(-90, 90), draw.randrange(-DAY, DAY))
        return draw.choice(change_days) - before + draw.choice(off)
    day = (draw.choice(SPECIAL_DATES) - EPOCH.date()).days if roll < 0.4 else draw.randrange(366, 6200)
    if roll > 0.85:
        day -= (day + 4) % 7  # January 1, 2019, day 0, was a Tuesday: this gives a Friday
    return day * DAY + draw.choice((draw.randrange(DAY), draw.randrange(0, DAY, 60)))


def describe_difference(case: Case) -> str:
    """Describe how the clock and the oracle differ on a case. Return "" if they agree."""
    start = to_datetime(case.start)
    at = to_datetime(case.at)
    pauses = [ClockPause(to_datetime(a), None if b is None else to_datetime(b)) for a, b in case.pauses]
    due = business_time.calculate_due_at(start, case.allowed * MINUTE, case.scale, pauses)
    parts = split_into_segments(start, at, case.scale, pauses)
    until = to_minutes(due) if due else max((a for a, b in case.pauses if b is None), default=0)
    calendar = case.calendar
    counter = MinuteCounter(
        get_wall_clock(calendar.zone), calendar.workdays, calendar.days_off, case.start, case.pauses, case.elapsed
    )
    true_due, true_used = counter.count(case.allowed, case.at, max(until, case.at) + 2 * DAY)
    due_minute = to_minutes(due) if due else None
    used = sum((part.used for part in parts), timedelta()) // MINUTE
    is_complete = sum((part.end - part.start for part in parts), timedelta()) == at - start
    is_same_result = (due_minute, used) == (true_due, true_used)
    if is_same_result and is_complete and are_contiguous(parts):
        return ""
    week = sorted(calendar.workdays)
    case_text = f"{calendar.zone}, week {week}, start {start}, allowed {case.allowed}, elapsed {case.elapsed}"
    theirs = f"oracle: {true_due}, used {true_used}"
    ours = f"clock: {due_minute}, used {used}, complete {is_complete}"
    return f"{case_text}, pauses {case.pauses}, at {case.at}\n  {ours}\n  {theirs}"


def are_contiguous(parts: list[TimeSegment]) -> bool:
    """Return whether each part begins where the previous one ended."""
    return all(a.end == b.start for a, b in pairwise(parts))


def to_datetime(minute: int) -> datetime:
    return EPOCH + minute * MINUTE


def to_minutes(at: datetime) -> int:
    minutes_since_epoch, rest = divmod(at - EPOCH, MINUTE)
    assert not rest
    return minutes_since_epoch
