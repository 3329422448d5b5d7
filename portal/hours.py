"""When does a reader work? Nine to five on the working days of where they are."""

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from integrations import rules
from integrations.clock import Calendar
from integrations.models import CalendarEdition, Integration

OFFICE = (time(9), time(17))
DAY = timedelta(days=1)
UNKNOWN = "UTC"  # the zone of whoever has none yet


def hours_of(receiver: Any, integration: Integration, now: datetime) -> Calendar:
    """The days that a reader of an integration's mail works, in their own zone.

    A company's people have the days of its calendar, and its zone as long as theirs is not known. A mailbox of the
    program is read in UTC.
    """
    zone = getattr(receiver, "zone", UNKNOWN)
    if isinstance(receiver, str) or rules.is_of_program(integration, receiver):
        return Calendar(ZoneInfo(zone))
    edition = CalendarEdition.objects.filter(partner=integration.partner).in_force(now)
    if edition is None:
        return Calendar(ZoneInfo(zone))
    theirs = edition.calendar
    known = zone if receiver.zone_chosen or zone != UNKNOWN else edition.zone
    return Calendar(ZoneInfo(known), theirs.workdays, theirs.days_off, theirs.names)


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
