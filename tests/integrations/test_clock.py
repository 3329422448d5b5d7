"""When is it due?"""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from integrations.clock import Calendar, due_business, due_elapsed

NEW_YORK = ZoneInfo("America/New_York")
LOS_ANGELES = ZoneInfo("America/Los_Angeles")


def test_elapsed_hours_are_real_hours_across_a_clock_change() -> None:
    start = datetime(2026, 3, 7, 12, 0, tzinfo=LOS_ANGELES)
    assert due_elapsed(start, 48).astimezone(LOS_ANGELES) == datetime(2026, 3, 9, 13, 0, tzinfo=LOS_ANGELES)


@pytest.mark.parametrize(
    ("start", "days", "due"),
    [
        (datetime(2026, 4, 14, 15, 0), 5, datetime(2026, 4, 21, 15, 0)),
        (datetime(2026, 4, 10, 18, 0), 5, datetime(2026, 4, 17, 18, 0)),
        (datetime(2026, 4, 11, 15, 0), 5, datetime(2026, 4, 18, 0, 0)),
        (datetime(2026, 4, 12, 23, 59), 5, datetime(2026, 4, 18, 0, 0)),
        (datetime(2026, 4, 13, 0, 0), 1, datetime(2026, 4, 14, 0, 0)),
        (datetime(2026, 10, 30, 9, 0), 1, datetime(2026, 11, 2, 9, 0)),
    ],
)
def test_business_days_are_whole_local_days(start: datetime, days: int, due: datetime) -> None:
    found = due_business(start.replace(tzinfo=NEW_YORK), days, Calendar(zone=NEW_YORK))
    assert found == due.replace(tzinfo=NEW_YORK)


def test_a_day_off_does_not_count() -> None:
    calendar = Calendar(days_off=frozenset({date(2026, 4, 15)}))
    assert due_business(datetime(2026, 4, 14, 9, 0, tzinfo=UTC), 1, calendar) == datetime(2026, 4, 16, 9, 0, tzinfo=UTC)


def test_other_weekends_count_otherwise() -> None:
    calendar = Calendar(workdays=frozenset({6, 0, 1, 2, 3}))
    assert due_business(datetime(2026, 4, 16, 9, 0, tzinfo=UTC), 1, calendar) == datetime(2026, 4, 19, 9, 0, tzinfo=UTC)


def test_a_week_without_working_days_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one working day"):
        Calendar(workdays=frozenset())
