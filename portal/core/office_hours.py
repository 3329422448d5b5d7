"""Working hours of a calendar's days."""

from datetime import datetime, time, timedelta

from portal.core.business_time import Calendar

OFFICE = (time(9), time(17))
DAY = timedelta(days=1)


def office_opens(now: datetime, calendar: Calendar) -> datetime:
    """The next moment, or now, within working hours of the calendar."""
    local = now.astimezone(calendar.zone)
    day = local.date()
    if calendar.is_business_day(day) and OFFICE[0] <= local.time() < OFFICE[1]:
        return now
    if local.time() >= OFFICE[1]:
        day += DAY
    while not calendar.is_business_day(day):
        day += DAY
    return datetime.combine(day, OFFICE[0], calendar.zone)


def office_closes(now: datetime, calendar: Calendar) -> datetime | None:
    """The end of the working day that a moment is in; None outside of working hours."""
    if office_opens(now, calendar) != now:
        return None
    return datetime.combine(now.astimezone(calendar.zone).date(), OFFICE[1], calendar.zone)
