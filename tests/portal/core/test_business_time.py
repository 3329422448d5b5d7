"""Tests of due dates in business time."""

import sys
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import accumulate
from zoneinfo import ZoneInfo

import pytest

from portal.core import business_time
from portal.core.business_time import ELAPSED_SCALE, Calendar, ClockPause, add_business_days
from portal.core.holidays import load_holidays
from portal.core.time_segments import TimeSegment, split_into_segments
from tests.concurrency import run_concurrently

NEW_YORK = ZoneInfo("America/New_York")
LOS_ANGELES = ZoneInfo("America/Los_Angeles")


def test_elapsed_hours_are_real_hours_across_a_clock_change() -> None:
    start = datetime(2026, 3, 7, 12, 0, tzinfo=LOS_ANGELES)
    due = business_time.calculate_due_at(start, timedelta(hours=48), ELAPSED_SCALE)
    assert due == datetime(2026, 3, 9, 13, 0, tzinfo=LOS_ANGELES)


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
    due_at = add_business_days(start.replace(tzinfo=NEW_YORK), days, Calendar(zone=NEW_YORK))
    assert due_at == due.replace(tzinfo=NEW_YORK)


def test_day_off_does_not_count() -> None:
    calendar = Calendar(days_off=frozenset({date(2026, 4, 15)}))
    assert add_business_days(datetime(2026, 4, 14, 9, 0, tzinfo=UTC), 1, calendar) == datetime(
        2026, 4, 16, 9, 0, tzinfo=UTC
    )


def test_weekends_of_the_calendar_do_not_count() -> None:
    calendar = Calendar(workdays=frozenset({6, 0, 1, 2, 3}))
    assert add_business_days(datetime(2026, 4, 16, 9, 0, tzinfo=UTC), 1, calendar) == datetime(
        2026, 4, 19, 9, 0, tzinfo=UTC
    )


def test_week_without_workdays_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one workday"):
        Calendar(workdays=frozenset())


def test_threads_that_extend_a_table_at_once_find_the_same_days() -> None:
    """A table that two threads extend at once would count days twice."""
    position = timedelta(days=30_000)
    interval = sys.getswitchinterval()
    expected = business_time.BusinessDayScale(Calendar(zone=NEW_YORK)).get_moment(position)
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(3):
            scale = business_time.BusinessDayScale(Calendar(zone=NEW_YORK))
            assert run_concurrently(*[partial(scale.get_moment, position)] * 8) == [expected] * 8
            assert scale.workdays_before == list(accumulate(scale.workdays, initial=0))
    finally:
        sys.setswitchinterval(interval)


def build_calendar(zone: str, country: str, part: str = "") -> Calendar:
    return Calendar(ZoneInfo(zone), days_off=frozenset(load_holidays(country, part, 2025, 2027)))


CALIFORNIA = build_calendar("America/Los_Angeles", "US", "CA")
GERMANY = build_calendar("Europe/Berlin", "DE")
JAPAN = build_calendar("Asia/Tokyo", "JP")


@pytest.mark.parametrize(
    ("calendar", "start", "due"),
    [
        pytest.param(CALIFORNIA, "2026-04-14T15:00", "2026-04-21T15:00", id="plain"),
        pytest.param(CALIFORNIA, "2026-04-10T18:00", "2026-04-17T18:00", id="Friday evening"),
        pytest.param(CALIFORNIA, "2026-04-11T15:00", "2026-04-18T00:00", id="Saturday"),
        pytest.param(CALIFORNIA, "2026-04-12T23:30", "2026-04-18T00:00", id="Sunday night"),
        pytest.param(CALIFORNIA, "2026-01-15T09:00", "2026-01-23T09:00", id="a holiday inside"),
        pytest.param(CALIFORNIA, "2026-01-19T09:00", "2026-01-27T00:00", id="a start on a holiday"),
        pytest.param(CALIFORNIA, "2026-06-30T09:00", "2026-07-08T09:00", id="a holiday observed on 3 July"),
        pytest.param(CALIFORNIA, "2026-03-05T10:00", "2026-03-12T10:00", id="clocks go forward"),
        pytest.param(CALIFORNIA, "2026-10-29T10:00", "2026-11-05T10:00", id="clocks go back"),
        pytest.param(CALIFORNIA, "2026-04-13T02:00+00:00", "2026-04-18T00:00", id="Monday in UTC, Sunday there"),
        pytest.param(CALIFORNIA, "2026-04-11T02:00+00:00", "2026-04-17T19:00", id="Saturday in UTC, Friday there"),
        pytest.param(GERMANY, "2026-12-23T16:00", "2026-12-31T16:00", id="German year end"),
        pytest.param(JAPAN, "2026-04-28T10:00", "2026-05-11T10:00", id="Golden Week"),
    ],
)
def test_due_dates_account_for_clock_changes_and_holidays(calendar: Calendar, start: str, due: str) -> None:
    opened_at = datetime.fromisoformat(start)
    opened_at = opened_at if opened_at.tzinfo else opened_at.replace(tzinfo=calendar.zone)
    assert add_business_days(opened_at, 5, calendar) == datetime.fromisoformat(due).replace(tzinfo=calendar.zone)


def test_midnight_is_the_end_of_the_previous_day() -> None:
    start = datetime(2026, 4, 13, 0, 0, tzinfo=UTC)
    assert add_business_days(start, 5, Calendar()) == datetime(2026, 4, 18, 0, 0, tzinfo=UTC)


CAIRO = Calendar(ZoneInfo("Africa/Cairo"))  # DST begins on a Friday at 00:00 and ends at the end of a Thursday


@pytest.mark.parametrize(
    ("start", "due"),
    [
        ("2026-04-23T00:30+02:00", "2026-04-24T01:00+03:00"),  # Friday 00:30 does not exist
        ("2026-04-22T23:30+02:00", "2026-04-23T23:30+02:00"),
        ("2026-10-28T23:30+03:00", "2026-10-29T23:30+03:00"),  # the first of the two
        ("2026-10-28T00:00+03:00", "2026-10-29T00:00+03:00"),
        ("2026-10-29T00:00+03:00", "2026-10-30T00:00+02:00"),  # a day of 25 hours
    ],
)
def test_business_day_of_23_or_25_hours_is_one_day(start: str, due: str) -> None:
    assert add_business_days(datetime.fromisoformat(start), 1, CAIRO) == datetime.fromisoformat(due)


HALF_HOUR = Calendar(ZoneInfo("Asia/Kolkata"))


@pytest.mark.parametrize(
    ("calendar", "start", "days", "due"),
    [
        (HALF_HOUR, "2026-04-14T15:10+05:30", 1, "2026-04-15T15:10+05:30"),
        (Calendar(), "2028-02-28T12:00+00:00", 1, "2028-02-29T12:00+00:00"),
        (Calendar(), "2028-02-25T12:00+00:00", 5, "2028-03-03T12:00+00:00"),
        (Calendar(), "2026-12-31T12:00+00:00", 1, "2027-01-01T12:00+00:00"),
        (Calendar(), "2026-04-10T12:00+00:00", 30, "2026-05-22T12:00+00:00"),
        (Calendar(), "2037-12-31T12:00+00:00", 5, "2038-01-07T12:00+00:00"),  # the table of days is extended
    ],
)
def test_business_days_count_in_unusual_zones_and_on_leap_days(
    calendar: Calendar, start: str, days: int, due: str
) -> None:
    assert add_business_days(datetime.fromisoformat(start), days, calendar) == datetime.fromisoformat(due)


def test_business_days_before_2008_are_refused() -> None:
    with pytest.raises(ValueError, match="Business days start in 2008"):
        add_business_days(datetime(2007, 12, 31, tzinfo=UTC), 5, Calendar())


def test_calendar_that_has_run_out_of_business_days_is_refused() -> None:
    start = date(2027, 1, 1)
    empty = Calendar(days_off=frozenset(start + timedelta(days=n) for n in range(60_000)))
    with pytest.raises(ValueError, match="Business days end in 2187"):
        add_business_days(datetime(2026, 12, 31, tzinfo=UTC), 5, empty)


OPENED_AT = datetime(2026, 4, 10, 18, 0, tzinfo=NEW_YORK)
WEEK = timedelta(days=5)


def build_pause(start: datetime, hours: int | None) -> ClockPause:
    return ClockPause(start, None if hours is None else start + timedelta(hours=hours))


@pytest.mark.parametrize(
    ("pauses", "due"),
    [
        ([build_pause(datetime(2026, 4, 13, 9, tzinfo=NEW_YORK), 24)], datetime(2026, 4, 20, 18)),
        ([build_pause(datetime(2026, 4, 11, 9, tzinfo=NEW_YORK), 12)], datetime(2026, 4, 17, 18)),  # on a day off
        ([build_pause(datetime(2026, 4, 17, 18, tzinfo=NEW_YORK), 24)], datetime(2026, 4, 17, 18)),  # when it is due
        ([build_pause(datetime(2026, 4, 9, 9, tzinfo=NEW_YORK), 24)], datetime(2026, 4, 17, 18)),  # before it began
        (
            [build_pause(datetime(2026, 4, 10, 9, tzinfo=NEW_YORK), 10)],
            datetime(2026, 4, 17, 19),
        ),  # around its beginning
        ([build_pause(datetime(2026, 4, 18, 9, tzinfo=NEW_YORK), None)], datetime(2026, 4, 17, 18)),  # after it was due
    ],
)
def test_pause_excludes_only_time_that_counts(pauses: list[ClockPause], due: datetime) -> None:
    calendar = Calendar(NEW_YORK)
    assert business_time.calculate_due_at(OPENED_AT, WEEK, calendar.days, pauses) == due.replace(tzinfo=NEW_YORK)


def test_pause_without_end_has_no_due_date() -> None:
    pauses = [build_pause(OPENED_AT + timedelta(hours=1), None)]
    assert business_time.calculate_due_at(OPENED_AT, timedelta(hours=48), ELAPSED_SCALE, pauses) is None


def test_elapsed_pauses_are_real_hours() -> None:
    start = datetime(2026, 3, 7, 12, 0, tzinfo=LOS_ANGELES)
    due = business_time.calculate_due_at(
        start, timedelta(hours=48), ELAPSED_SCALE, [build_pause(start + timedelta(hours=1), 10)]
    )
    assert due == datetime(2026, 3, 9, 23, 0, tzinfo=LOS_ANGELES)


def test_segments_show_what_counts() -> None:
    monday = datetime(2026, 4, 13, tzinfo=NEW_YORK)
    parts = split_into_segments(
        OPENED_AT, monday + timedelta(hours=20), Calendar(NEW_YORK).days, [build_pause(monday, 9)]
    )
    saturday = datetime(2026, 4, 11, tzinfo=NEW_YORK)
    assert parts == [
        TimeSegment(OPENED_AT, saturday, timedelta(hours=6)),
        TimeSegment(saturday, monday, timedelta()),
        TimeSegment(monday, monday + timedelta(hours=9), timedelta(), 0),
        TimeSegment(monday + timedelta(hours=9), monday + timedelta(hours=20), timedelta(hours=11)),
    ]
    assert business_time.calculate_used_time(
        OPENED_AT, monday + timedelta(hours=20), Calendar(NEW_YORK).days, [build_pause(monday, 9)]
    ) == timedelta(hours=17)


def test_overlapping_pauses_are_merged() -> None:
    one = build_pause(OPENED_AT, 5)
    two = build_pause(OPENED_AT + timedelta(hours=3), 4)
    later = build_pause(OPENED_AT + timedelta(hours=9), None)
    assert business_time.merge_pauses([later, two, one, build_pause(OPENED_AT + timedelta(hours=11), 1)]) == [
        build_pause(OPENED_AT, 7),
        later,
    ]
