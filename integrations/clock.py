"""When is it due? Elapsed hours and business days; standard library only, `now` is always an argument.

The rule for business days: they are whole local days of the calendar. A start inside a business day is due at
the same local time n business days later. A start on a day off counts from the next business day 00:00, and
is due at the end of the last counted business day.
"""

from collections.abc import Set
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Calendar:
    """Whose days count: a zone, the weekdays worked (Monday is 0) and the days off."""

    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    workdays: Set[int] = frozenset(range(5))
    days_off: Set[date] = frozenset()

    def __post_init__(self) -> None:
        if not self.workdays:
            raise ValueError("A calendar needs at least one working day a week.")

    def is_business_day(self, day: date) -> bool:
        return day.weekday() in self.workdays and day not in self.days_off


def due_elapsed(start: datetime, hours: int) -> datetime:
    """`hours` real hours after an aware `start`, in UTC, whatever clocks are changed meanwhile."""
    return start.astimezone(UTC) + timedelta(hours=hours)


def due_business(start: datetime, days: int, calendar: Calendar) -> datetime:
    """The moment, in UTC, at which `days` business days have passed since an aware `start`."""
    local = start.astimezone(calendar.zone)
    if calendar.is_business_day(local.date()):
        day = _after(local.date(), days, calendar)
        return datetime.combine(day, local.time(), calendar.zone).astimezone(UTC)
    last = _after(local.date(), days, calendar)
    return datetime.combine(last + timedelta(days=1), time(), calendar.zone).astimezone(UTC)


def _after(day: date, count: int, calendar: Calendar) -> date:
    """The `count`-th business day after `day`."""
    while count:
        day += timedelta(days=1)
        count -= calendar.is_business_day(day)
    return day
