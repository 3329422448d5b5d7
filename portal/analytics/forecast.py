"""How long will the program take? Told from how long it took before, and tried out on the past. Pure.

A forecast is made of the times for which the program had the turn in a stage, as far as they had ended when it was
made. Nine of ten is ranked carefully (one more than there are), so that it holds for the next one, not for the last.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from portal.analytics.metrics import working_days
from portal.core.business_time import Calendar

WINDOWS = (90, 180, 365)  # days that are looked at: more, until there are enough
ENOUGH = 20
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Wait:
    """One time for which the program had the turn; `until` None while it has it."""

    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """Working days at the middle and for nine of ten, from so many waits within so many days."""

    p50: float
    p90: float
    count: int
    window: int


@dataclass(frozen=True, slots=True)
class Week:
    """One week of the past: what was forecast in it, and how many of the waits that began in it it held for."""

    monday: datetime
    p90: float
    count: int
    held: int
    held_middle: int


@dataclass(frozen=True, slots=True)
class Held:
    """How often the forecasts of the past held. `unknown`: waits that still last and are not past it."""

    weeks: tuple[Week, ...]
    unknown: int

    @property
    def count(self) -> int:
        return sum(week.count for week in self.weeks)

    @property
    def share(self) -> float | None:
        """How often nine of ten held, in per cent; None where nothing was forecast."""
        return 100 * sum(week.held for week in self.weeks) / self.count if self.count else None

    @property
    def middle(self) -> float | None:
        return 100 * sum(week.held_middle for week in self.weeks) / self.count if self.count else None


def careful(days: Sequence[float]) -> float | None:
    """The value that the next one stays under with nine chances of ten; None where there are too few for that."""
    rank = ceil(round(0.9 * (len(days) + 1), 9))
    return sorted(days)[rank - 1] if 0 < rank <= len(days) else None


class Past:
    """Waits that have ended, by their end, each with its working days: any window of them without another look."""

    def __init__(self, waits: Iterable[Wait], calendar: Calendar) -> None:
        ended = [(wait.until, wait.since) for wait in waits if wait.until is not None]
        rows = sorted((until, working_days(since, until, calendar)) for until, since in ended)
        self.ends = [until for until, _ in rows]
        self.days = [days for _, days in rows]

    def forecast(self, now: datetime) -> Forecast | None:
        """From what had ended by `now`; None where even the longest window holds too few."""
        last = bisect_right(self.ends, now)
        for window in WINDOWS:
            days = self.days[bisect_right(self.ends, now - timedelta(days=window)) : last]
            if len(days) >= ENOUGH:
                days.sort()
                p50, p90 = days[(len(days) + 1) // 2 - 1], careful(days)
                return Forecast(p50, p90 or 0.0, len(days), window)
        return None


def backtest(
    waits: Sequence[Wait], now: datetime, calendar: Calendar, *, weeks: int = 0, past: Past | None = None
) -> Held:
    """Replay the past (`weeks` of it, 0: all) week by week: what would have been told on its Monday, and did it hold
    for what began then?"""
    if not waits:
        return Held((), 0)
    past = past or Past(waits, calendar)
    began = sorted(waits, key=lambda wait: wait.since)
    starts = [wait.since for wait in began]
    monday = _monday(max(starts[0], now - weeks * WEEK) if weeks else starts[0])
    found, unknown = [], 0
    while monday < now:
        told = past.forecast(monday)
        if told is not None:
            of_week = began[bisect_left(starts, monday) : bisect_left(starts, monday + WEEK)]
            week, open_ones = _tried(told, of_week, monday, now, calendar)
            found += [week] if week.count else []
            unknown += open_ones
        monday += WEEK
    return Held(tuple(found), unknown)


def _tried(told: Forecast, began: list[Wait], monday: datetime, now: datetime, calendar: Calendar) -> tuple[Week, int]:
    """What began in a week beside its forecast. What lasts still and is past it did not hold; else it is not known."""
    lengths = [(working_days(w.since, w.until or now, calendar), w.until is not None and w.until <= now) for w in began]
    known = [days for days, ended in lengths if ended or days > told.p90]
    held, middle = (sum(days <= bound for days in known) for bound in (told.p90, told.p50))
    return Week(monday, told.p90, len(known), held, middle), len(lengths) - len(known)


def _monday(at: datetime) -> datetime:
    return (at - timedelta(days=at.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)


def expected(told: Forecast, since: datetime, calendar: Calendar) -> tuple[datetime, datetime]:
    """When the middle and nine of ten are reached by what waits since a moment."""
    start, day = calendar.days.position(since), timedelta(days=1)
    return calendar.days.moment(start + told.p50 * day), calendar.days.moment(start + told.p90 * day)
