"""Tests of working hours."""

from datetime import UTC, datetime

import pytest

from portal.core.business_time import Calendar
from portal.core.working_hours import get_next_working_time, get_working_hours_end


@pytest.mark.parametrize(
    ("at", "opens"),
    [
        ("2026-04-14T08:59", "2026-04-14T09:00"),
        ("2026-04-14T16:59", "2026-04-14T16:59"),
        ("2026-04-14T17:00", "2026-04-15T09:00"),
        ("2026-04-17T17:00", "2026-04-20T09:00"),
        ("2026-04-18T12:00", "2026-04-20T09:00"),
    ],
)
def test_next_working_time_is_in_working_hours(at: str, opens: str) -> None:
    moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert get_next_working_time(moment, Calendar()) == datetime.fromisoformat(opens).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "closes"),
    [
        ("2026-04-14T08:59", None),
        ("2026-04-14T09:00", "2026-04-14T17:00"),
        ("2026-04-14T16:59", "2026-04-14T17:00"),
        ("2026-04-14T17:00", None),
        ("2026-04-18T12:00", None),
    ],
)
def test_end_of_working_hours_is_known_only_in_working_hours(at: str, closes: str | None) -> None:
    moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
    expected = datetime.fromisoformat(closes).replace(tzinfo=UTC) if closes else None
    assert get_working_hours_end(moment, Calendar()) == expected
