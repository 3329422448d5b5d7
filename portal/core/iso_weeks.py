"""ISO weeks, from Monday 00:00 to Monday 00:00 in the program's time zone."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings


@dataclass(frozen=True, slots=True, order=True)
class IsoWeek:
    """ISO week. `number` is 1 to 53."""

    year: int
    number: int

    def __str__(self) -> str:
        return f"{self.year}-W{self.number:02}"

    @property
    def monday(self) -> date:
        return date.fromisocalendar(self.year, self.number, 1)

    def span(self, zone: ZoneInfo) -> tuple[datetime, datetime]:
        """Return the start and the exclusive end in UTC: 167, 168, or 169 hours, because of clock changes."""
        ends = (self.monday, self.monday + timedelta(days=7))
        start, end = (datetime.combine(day, time(), zone).astimezone(UTC) for day in ends)
        return start, end

    @property
    def before(self) -> "IsoWeek":
        return get_week(self.monday - timedelta(days=7))

    @property
    def after(self) -> "IsoWeek":
        return get_week(self.monday + timedelta(days=7))


def get_week(day: date) -> IsoWeek:
    """Return the ISO week of a day."""
    year, number, _ = day.isocalendar()
    return IsoWeek(year, number)


def parse_week(text: str) -> IsoWeek:
    """Return the week of a text such as "2026-W47".

    Raises:
        ValueError: The text is not a week.
    """
    year, _, number = text.partition("-W")
    week = IsoWeek(int(year), int(number))
    _ = week.monday  # raises if the year has no such week
    return week


def get_last_complete_week(now: datetime, zone: ZoneInfo) -> IsoWeek:
    """Return the latest week that has ended."""
    return get_week(now.astimezone(zone).date()).before


def get_program_zone() -> ZoneInfo:
    """Return the program's time zone."""
    return ZoneInfo(settings.REPORT_ZONE)
