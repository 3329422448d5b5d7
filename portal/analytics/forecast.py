"""Forecasts of the program's response time, and backtests on past data, as pure functions.

A forecast uses the ended periods in which the program was the responsible party in a stage.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from portal.analytics.metrics import count_business_days
from portal.core.business_time import Calendar

WINDOW_DAYS = (90, 180, 365)  # widened until there are enough waits
MIN_WAITS = 20
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class ProgramWait:
    """Period in which the program was the responsible party. An open period has no `ended_at`."""

    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """Median and 90th percentile in business days, from `count` waits within `window` days."""

    p50: float
    p90: float
    count: int
    window: int


@dataclass(frozen=True, slots=True)
class BacktestWeek:
    """Past week with its forecast. `within_p90` and `within_p50` count the waits within its percentiles."""

    monday: datetime
    p90: float
    count: int
    within_p90: int
    within_p50: int


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """Accuracy of past forecasts. `unknown` counts open waits that have not exceeded the forecast."""

    weeks: tuple[BacktestWeek, ...]
    unknown: int

    @property
    def count(self) -> int:
        return sum(week.count for week in self.weeks)

    @property
    def p90_percentage(self) -> float | None:
        """Return the percentage of waits within the 90th percentile, or None without forecasts."""
        return 100 * sum(week.within_p90 for week in self.weeks) / self.count if self.count else None

    @property
    def p50_percentage(self) -> float | None:
        return 100 * sum(week.within_p50 for week in self.weeks) / self.count if self.count else None


def estimate_upper_bound(days: Sequence[float]) -> float | None:
    """Return the value that the next one stays within with 90% probability, or None without enough values."""
    # The rank is among one value more than observed, so that the next wait is covered and not only past ones. It is
    # not calculated with 0.9, which isn't an exact binary fraction.
    rank = ceil(9 * (len(days) + 1) / 10)
    return sorted(days)[rank - 1] if 0 < rank <= len(days) else None


class WaitHistory:
    """Ended waits sorted by end, with their business days, for forecasts at any time."""

    def __init__(self, waits: Iterable[ProgramWait], calendar: Calendar) -> None:
        ended_waits = [(wait.ended_at, wait.started_at) for wait in waits if wait.ended_at is not None]
        rows = sorted((end, count_business_days(start, end, calendar)) for end, start in ended_waits)
        self.ends = [end for end, _ in rows]
        self.days = [days for _, days in rows]

    def forecast(self, now: datetime) -> Forecast | None:
        """Return the forecast from waits that ended by `now`, or None if even the longest window has too few."""
        # A forecast of a past Monday must not use waits that ended later.
        last = bisect_right(self.ends, now)
        for window in WINDOW_DAYS:
            days = self.days[bisect_right(self.ends, now - timedelta(days=window)) : last]
            if len(days) >= MIN_WAITS:
                days.sort()
                p50 = days[(len(days) + 1) // 2 - 1]
                p90 = estimate_upper_bound(days)
                return Forecast(p50, p90 or 0.0, len(days), window)
        return None


def backtest(
    waits: Sequence[ProgramWait], now: datetime, calendar: Calendar, *, weeks: int = 0, past: WaitHistory | None = None
) -> BacktestResult:
    """Compare the forecast of each past Monday with the waits that started in that week.

    `weeks` limits the number of weeks, 0 means all.
    """
    if not waits:
        return BacktestResult((), 0)
    past = past or WaitHistory(waits, calendar)
    waits_by_start = sorted(waits, key=lambda wait: wait.started_at)
    starts = [wait.started_at for wait in waits_by_start]
    monday = _get_monday(max(starts[0], now - weeks * WEEK) if weeks else starts[0])
    results = []
    unknown = 0
    while monday < now:
        forecast = past.forecast(monday)
        if forecast is not None:
            week_waits = waits_by_start[bisect_left(starts, monday) : bisect_left(starts, monday + WEEK)]
            week, open_count = _evaluate_week(forecast, week_waits, monday, now, calendar)
            if week.count:
                results.append(week)
            unknown += open_count
        monday += WEEK
    return BacktestResult(tuple(results), unknown)


def _evaluate_week(
    forecast: Forecast, waits: list[ProgramWait], monday: datetime, now: datetime, calendar: Calendar
) -> tuple[BacktestWeek, int]:
    """Compare the waits of a week with its forecast. Open waits count only if they have exceeded it."""
    lengths = [
        (count_business_days(w.started_at, w.ended_at or now, calendar), w.ended_at is not None and w.ended_at <= now)
        for w in waits
    ]
    # An open wait within the forecast can still exceed it, so counting it as a success would flatter the forecast.
    known_days = [days for days, has_ended in lengths if has_ended or days > forecast.p90]
    within_p90, within_p50 = (sum(days <= limit for days in known_days) for limit in (forecast.p90, forecast.p50))
    return BacktestWeek(monday, forecast.p90, len(known_days), within_p90, within_p50), len(lengths) - len(known_days)


def _get_monday(at: datetime) -> datetime:
    return (at - timedelta(days=at.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)


def estimate_end(forecast: Forecast, started_at: datetime, calendar: Calendar) -> tuple[datetime, datetime]:
    """Return when a wait reaches the median and the 90th percentile."""
    start = calendar.days.get_position(started_at)
    day = timedelta(days=1)
    return calendar.days.get_moment(start + forecast.p50 * day), calendar.days.get_moment(start + forecast.p90 * day)
