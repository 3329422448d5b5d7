"""Tests of ISO weeks and their bounds."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from portal.core.iso_weeks import IsoWeek, get_last_complete_week, get_week, parse_week

LA, AUCKLAND = ZoneInfo("America/Los_Angeles"), ZoneInfo("Pacific/Auckland")


@pytest.mark.parametrize(
    ("day", "week"),
    [
        (date(2026, 4, 13), "2026-W16"),
        (date(2026, 4, 19), "2026-W16"),
        (date(2026, 12, 31), "2026-W53"),
        (date(2027, 1, 3), "2026-W53"),
        (date(2027, 1, 4), "2027-W01"),
        (date(2024, 12, 30), "2025-W01"),
    ],
)
def test_week_of_a_day(day: date, week: str) -> None:
    assert (str(get_week(day)), str(parse_week(week)), parse_week(week)) == (week, week, get_week(day))


def test_weeks_follow_each_other_over_week_53() -> None:
    assert [str(IsoWeek(2026, 53).before), str(IsoWeek(2026, 53).after)] == ["2026-W52", "2027-W01"]


@pytest.mark.parametrize(("week", "hours"), [("2026-W10", 167), ("2026-W11", 168), ("2026-W44", 169)])
def test_per_week_is_as_long_as_its_zone_says(week: str, hours: int) -> None:
    start, end = parse_week(week).span(LA)
    assert (end - start).total_seconds() / 3600 == hours


@pytest.mark.parametrize("text", ["2026-W54", "2025-W53", "2026-W00", "W16", "", "2026-W1x", "x-W01"])
def test_what_is_no_week(text: str) -> None:
    with pytest.raises(ValueError):
        parse_week(text)


def test_last_complete_week_ends_at_midnight_of_the_zone() -> None:
    sunday_evening = datetime(2026, 4, 19, 20, 0, tzinfo=UTC)  # Monday 08:00 in Auckland
    assert str(get_last_complete_week(sunday_evening, ZoneInfo("UTC"))) == "2026-W15"
    assert str(get_last_complete_week(sunday_evening, AUCKLAND)) == "2026-W16"
