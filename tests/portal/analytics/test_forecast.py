"""Tests of forecasts: their basis, their minimum of data, and their accuracy."""

from datetime import timedelta
from math import ceil
from random import Random

import pytest

from portal.analytics.forecast import (
    MIN_WAITS,
    WEEK,
    WINDOW_DAYS,
    ProgramWait,
    WaitHistory,
    backtest,
    estimate_end,
    estimate_upper_bound,
)
from portal.analytics.metrics import count_business_days
from tests.portal.analytics.histories import DAY, START, UTC_CALENDAR

LATER = START + 400 * DAY


def build_decisions(seed: int, *, per_week: int = 3, weeks: int = 104, spread: float = 0.5) -> list[ProgramWait]:
    """Return decisions at even intervals whose durations follow one distribution."""
    random = Random(seed)
    waits = []
    for n in range(per_week * weeks):
        start = START + n * WEEK / per_week + timedelta(hours=random.random() * 40)
        waits.append(ProgramWait(start, start + DAY * random.lognormvariate(2, spread)))
    return waits


def build_ended_waits(count: int, days: float, before: float) -> list[ProgramWait]:
    return [ProgramWait(LATER - (before + days) * DAY, LATER - before * DAY)] * count


def test_too_few_decisions_give_no_forecast_after_a_longer_window() -> None:
    assert WaitHistory(build_ended_waits(MIN_WAITS - 1, 3, 10), UTC_CALENDAR).forecast(LATER) is None
    near = WaitHistory(build_ended_waits(MIN_WAITS, 7, 10), UTC_CALENDAR).forecast(LATER)
    far = WaitHistory(build_ended_waits(MIN_WAITS - 5, 7, 10) + build_ended_waits(5, 7, 100), UTC_CALENDAR).forecast(
        LATER
    )
    assert near is not None
    assert (near.count, near.window, near.p50) == (MIN_WAITS, 90, 5.0)
    assert far is not None
    assert (far.count, far.window) == (MIN_WAITS, 180)
    assert WaitHistory(build_ended_waits(50, 7, WINDOW_DAYS[-1] + 1), UTC_CALENDAR).forecast(LATER) is None


def test_decisions_in_the_future_are_unknown() -> None:
    past = WaitHistory(build_ended_waits(MIN_WAITS, 7, 10), UTC_CALENDAR)
    assert past.forecast(LATER - 11 * DAY) is None
    assert WaitHistory([ProgramWait(START, None)] * 99, UTC_CALENDAR).forecast(LATER) is None


def test_ninetieth_percentile_uses_the_rank_of_one_more_value() -> None:
    for length in range(1, 60):
        values = [float(n) for n in range(1, length + 1)]
        rank = ceil(9 * (length + 1) / 10)
        assert estimate_upper_bound(values[::-1]) == (values[rank - 1] if rank <= length else None)


@pytest.mark.parametrize("seed", range(6))
def test_ninetieth_percentile_holds_for_85_to_95_percent(seed: int) -> None:
    accuracy = backtest(build_decisions(seed), LATER + 400 * DAY, UTC_CALENDAR)
    assert accuracy.count > 200
    assert accuracy.p90_percentage is not None
    assert 85 <= accuracy.p90_percentage <= 95
    assert accuracy.p50_percentage is not None
    assert 40 <= accuracy.p50_percentage <= 60


def test_slowing_program_has_lower_accuracy() -> None:
    slower = [
        ProgramWait(wait.started_at, (wait.ended_at or LATER) + timedelta(days=n / 5))
        for n, wait in enumerate(build_decisions(1, weeks=80))
    ]
    accuracy = backtest(slower, LATER + 400 * DAY, UTC_CALENDAR)
    assert accuracy.p90_percentage is not None
    assert accuracy.p90_percentage < 85


def test_replay_equals_a_simple_calculation_of_each_week() -> None:
    waits = build_decisions(9, weeks=40)
    now = START + 250 * DAY
    waits = [
        wait if wait.ended_at and wait.ended_at <= now else ProgramWait(wait.started_at, None)
        for wait in waits
        if wait.started_at < now
    ]
    accuracy = backtest(waits, now, UTC_CALENDAR)
    count = held_count = unknown = 0
    monday = START.replace(hour=0)
    while monday < now:
        history_then = WaitHistory([w for w in waits if w.ended_at and w.ended_at <= monday], UTC_CALENDAR).forecast(
            monday
        )
        for wait in [w for w in waits if monday <= w.started_at < monday + WEEK and history_then]:
            days = count_business_days(wait.started_at, wait.ended_at or now, UTC_CALENDAR)
            assert history_then
            is_known = wait.ended_at is not None or days > history_then.p90
            count += is_known
            unknown += not is_known
            held_count += is_known and days <= history_then.p90
        monday += WEEK
    assert count > 50
    assert (accuracy.count, sum(week.within_p90 for week in accuracy.weeks), accuracy.unknown) == (
        count,
        held_count,
        unknown,
    )


def test_forecast_dates_are_relative_to_the_start_of_the_wait() -> None:
    forecast = WaitHistory(build_ended_waits(MIN_WAITS, 7, 10), UTC_CALENDAR).forecast(LATER)
    assert forecast is not None
    middle, latest = estimate_end(forecast, START, UTC_CALENDAR)
    assert (middle, latest) == (START + 7 * DAY, START + 7 * DAY)  # five business days from a Monday
