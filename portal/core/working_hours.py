"""Working hours of a calendar."""

from datetime import datetime, time

from portal.core.business_time import DAY, Calendar

WORKING_HOURS = (time(9), time(17))


def get_next_working_time(now: datetime, calendar: Calendar) -> datetime:
    """Return now if it is within working hours, or else the start of the next working hours."""
    local = now.astimezone(calendar.zone)
    day = local.date()
    if calendar.is_business_day(day) and WORKING_HOURS[0] <= local.time() < WORKING_HOURS[1]:
        return now
    if local.time() >= WORKING_HOURS[1]:
        day += DAY
    # Every calendar has a workday in each week and an end of its holidays, so this ends.
    while not calendar.is_business_day(day):
        day += DAY
    return datetime.combine(day, WORKING_HOURS[0], calendar.zone)


def get_working_hours_end(now: datetime, calendar: Calendar) -> datetime | None:
    """Return the end of the current workday, or None outside working hours."""
    if get_next_working_time(now, calendar) != now:
        return None
    return datetime.combine(now.astimezone(calendar.zone).date(), WORKING_HOURS[1], calendar.zone)
