"""Tests of weeks, months, and quarters and their bounds."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from portal.core.periods import PeriodKind, get_last_complete_period, get_period, parse_period

LA = ZoneInfo("America/Los_Angeles")
AUCKLAND = ZoneInfo("Pacific/Auckland")
WEEK = PeriodKind.WEEK
MONTH = PeriodKind.MONTH
QUARTER = PeriodKind.QUARTER


@pytest.mark.parametrize(
    ("day", "kind", "name"),
    [
        (date(2026, 4, 13), WEEK, "2026-W16"),
        (date(2026, 4, 19), WEEK, "2026-W16"),
        (date(2026, 12, 31), WEEK, "2026-W53"),
        (date(2027, 1, 3), WEEK, "2026-W53"),
        (date(2027, 1, 4), WEEK, "2027-W01"),
        (date(2024, 12, 30), WEEK, "2025-W01"),
        (date(2026, 1, 1), MONTH, "2026-01"),
        (date(2024, 2, 29), MONTH, "2024-02"),
        (date(2026, 12, 31), MONTH, "2026-12"),
        (date(2026, 3, 31), QUARTER, "2026-Q1"),
        (date(2026, 4, 1), QUARTER, "2026-Q2"),
        (date(2026, 12, 31), QUARTER, "2026-Q4"),
    ],
)
def test_day_is_in_its_period(day: date, kind: PeriodKind, name: str) -> None:
    period = get_period(kind, day)
    assert (str(period), parse_period(name)) == (name, period)
    assert period.first_day <= day < period.end_day


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("2026-W53", "2026-W52", "2027-W01"),
        ("2026-01", "2025-12", "2026-02"),
        ("2026-Q4", "2026-Q3", "2027-Q1"),
    ],
)
def test_periods_follow_each_other_over_the_end_of_a_year(name: str, before: str, after: str) -> None:
    period = parse_period(name)
    assert [str(period.previous), str(period.next), period.previous.next, period.next.previous] == [
        before,
        after,
        period,
        period,
    ]


@pytest.mark.parametrize(
    ("name", "hours"),
    [
        ("2026-W10", 167),
        ("2026-W11", 168),
        ("2026-W44", 169),
        ("2026-02", 28 * 24),
        ("2024-02", 29 * 24),
        ("2026-03", 31 * 24 - 1),
        ("2026-11", 30 * 24 + 1),
        ("2026-Q1", 90 * 24 - 1),
        ("2026-Q3", 92 * 24),
    ],
)
def test_period_has_the_length_of_its_zone(name: str, hours: int) -> None:
    start, end = parse_period(name).get_bounds(LA)
    assert (end - start).total_seconds() / 3600 == hours


@pytest.mark.parametrize(
    "text",
    ["2026-W54", "2025-W53", "2026-W00", "W16", "", "2026-W1x", "x-W01", "2026-13", "2026-00", "2026-Q5", "2026-4"],
)
def test_invalid_period_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_period(text)


def test_last_complete_period_ends_at_midnight_of_the_zone() -> None:
    sunday_evening = datetime(2026, 4, 19, 20, 0, tzinfo=UTC)  # Monday 08:00 in Auckland
    assert str(get_last_complete_period(WEEK, sunday_evening, ZoneInfo("UTC"))) == "2026-W15"
    assert str(get_last_complete_period(WEEK, sunday_evening, AUCKLAND)) == "2026-W16"
    last_evening = datetime(2026, 6, 30, 20, 0, tzinfo=UTC)
    names = [str(get_last_complete_period(kind, last_evening, AUCKLAND)) for kind in (MONTH, QUARTER)]
    assert names == ["2026-06", "2026-Q2"]
