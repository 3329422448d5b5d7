"""Tests of the format of times in the reader's zone."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from bs4 import BeautifulSoup
from django.utils import timezone

from portal.ui.components import moments

NOW = datetime(2026, 4, 14, 12, 10, tzinfo=UTC)


def get_text(html):
    return BeautifulSoup(html, "html.parser").get_text()


def test_when_uses_the_zone_of_the_reader():
    with timezone.override(ZoneInfo("Europe/Berlin")):
        element = BeautifulSoup(moments.when(NOW, now=NOW), "html.parser").time
    assert element.text == "Tue, Apr 14, 2:10 PM"
    assert element["title"] == "Tue, Apr 14, 2026, 2:10 PM CEST"
    assert element["datetime"] == "2026-04-14T12:10:00+00:00"


def test_when_of_another_year_has_the_year():
    assert get_text(moments.when(NOW, now=NOW + timedelta(days=365))) == "Tue, Apr 14, 2026, 12:10 PM UTC"


def test_when_at_the_end_of_the_year_uses_the_date_of_the_reader():
    moment = datetime(2026, 12, 31, 23, 30, tzinfo=UTC)
    with timezone.override(ZoneInfo("Asia/Tokyo")):
        assert get_text(moments.when(moment, now=moment)) == "Fri, Jan 1, 8:30 AM"


def test_when_of_a_date_is_its_day():
    assert get_text(moments.when(date(2026, 4, 14), form="relative", now=NOW)) == "Tue, Apr 14"


def test_when_of_none_is_empty():
    assert moments.when(None) == ""
    assert moments.due(None) == ""


def test_when_both_has_relative_and_exact_time():
    element = moments.when(NOW - timedelta(minutes=12), form="both", now=NOW)
    assert get_text(element) == "Tue, Apr 14, 11:58 AM UTC · 12 min ago"


def test_age_of_a_moment_ahead_of_the_clock_is_not_negative():
    assert ">0 min<" in moments.when(NOW + timedelta(minutes=2), form="age", now=NOW)


def test_when_age_has_only_the_duration():
    element = moments.when(NOW - timedelta(days=19), form="age", now=NOW)
    assert get_text(element) == "19 d"


def test_when_of_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="form must be one of exact, relative, age, both"):
        moments.when(NOW, form="long", now=NOW)


@pytest.mark.parametrize(
    ("ago", "expected"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=1), "1 h ago"),
        (timedelta(hours=47, minutes=59), "47 h ago"),
        (timedelta(days=2), "2 d ago"),
        (timedelta(seconds=-59), "just now"),
        (-timedelta(hours=3), "in 3 h"),
    ],
)
def test_relative_rounds_down(ago, expected):
    assert moments.format_relative(NOW - ago, NOW) == expected


@pytest.mark.parametrize(
    ("remaining_time", "tone", "expected"),
    [
        (timedelta(days=3), "neutral", "due in 3 d"),
        (timedelta(days=1), "neutral", "due in 24 h"),
        (timedelta(hours=3, minutes=59), "warn", "due in 3 h"),
        (timedelta(seconds=30), "warn", "due now"),
        (-timedelta(seconds=30), "bad", "due now"),
        (-timedelta(hours=2), "bad", "overdue by 2 h"),
    ],
)
def test_due_date_warns_for_a_day_and_is_then_overdue(remaining_time, tone, expected):
    element = BeautifulSoup(moments.due(NOW + remaining_time, now=NOW), "html.parser").time
    assert element["class"] == ["due", f"due-{tone}"]
    assert element.select_one("[data-relative=due]").text == expected


def test_due_date_has_the_exact_time_for_screen_readers():
    page = BeautifulSoup(moments.due(NOW, now=NOW), "html.parser")
    assert page.select_one(".visually-hidden").text == ", Tue, Apr 14, 2026, 12:10 PM UTC"
