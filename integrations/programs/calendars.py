"""Calendar of a program, part of the schema of program editions."""

from datetime import date
from functools import cache
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from integrations.programs.field_types import CountryCode, Day, Text, TimeZone
from portal.core.business_time import FIRST_YEAR, LAST_YEAR, Calendar
from portal.core.content_files import Content
from portal.core.holidays import load_holidays

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)


class Holiday(Content):
    """Day off that the program states with its name."""

    date: Day
    name: Text


class ProgramCalendar(Content):
    """Business days of a program's own targets, such as its review time.

    The public holidays of `country` and `subdivision`, the second part of an ISO 3166-2 code, are days off, and so are
    `additional_holidays`.
    """

    zone: TimeZone
    workdays: tuple[Weekday, ...] = WEEKDAYS[:5]
    country: CountryCode = ""
    subdivision: str = ""
    additional_holidays: tuple[Holiday, ...] = ()

    @property
    def business_calendar(self) -> Calendar:
        """Return the calendar in the form that due dates are calculated with."""
        return _build_business_calendar(self)


# docs/explanation/sla-clock.md, "Due dates": without a calendar, Monday to Friday in UTC count, without holidays.
DEFAULT_CALENDAR = ProgramCalendar("UTC")


@cache
def _build_business_calendar(calendar: ProgramCalendar) -> Calendar:
    names = load_holidays(calendar.country, calendar.subdivision, FIRST_YEAR, LAST_YEAR) if calendar.country else {}
    names |= {date.fromisoformat(each.date): each.name for each in calendar.additional_holidays}
    workdays = frozenset(WEEKDAYS.index(day) for day in calendar.workdays)
    return Calendar(ZoneInfo(calendar.zone), workdays, frozenset(names), names)
