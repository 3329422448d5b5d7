"""Tests of the calendar strip below an SLA clock."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from portal.core.business_time import Calendar
from portal.ui.charts.calendar_strip import build_cells


@pytest.mark.parametrize(
    ("zone", "due_at", "day"),
    [
        ("UTC", datetime(2026, 4, 24, tzinfo=UTC), date(2026, 4, 23)),
        ("UTC", datetime(2026, 4, 24, 0, 1, tzinfo=UTC), date(2026, 4, 24)),
        ("Africa/Cairo", datetime(2026, 4, 23, 22, tzinfo=UTC), date(2026, 4, 23)),  # the clock skips this midnight
    ],
)
def test_end_of_a_day_is_marked_on_it(zone: str, due_at: datetime, day: date) -> None:
    start = datetime(2026, 4, 22, 12, tzinfo=UTC)
    cells = build_cells(Calendar(ZoneInfo(zone)), start, datetime(2026, 4, 25, 12, tzinfo=UTC), {"due": due_at})
    assert [cell.day for cell in cells if cell.marks] == [day]
