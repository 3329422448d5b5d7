"""Which week is it? ISO weeks, Monday 00:00 to Monday 00:00 in the program's zone. Pure."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings


@dataclass(frozen=True, slots=True, order=True)
class IsoWeek:
    """An ISO week. `number` is 1 to 53."""

    year: int
    number: int

    def __str__(self) -> str:
        return f"{self.year}-W{self.number:02}"

    @property
    def monday(self) -> date:
        return date.fromisocalendar(self.year, self.number, 1)

    def span(self, zone: ZoneInfo) -> tuple[datetime, datetime]:
        """[start, end) in UTC: 167, 168 or 169 hours, as the zone's clocks are changed."""
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
    """The ISO week that holds a day."""
    year, number, _ = day.isocalendar()
    return IsoWeek(year, number)


def parse_week(text: str) -> IsoWeek:
    """ "2026-W47" as a week. Raises ValueError for what is none."""
    year, _, number = text.partition("-W")
    week = IsoWeek(int(year), int(number))
    _ = week.monday  # raises where the year has no such week
    return week


def get_last_complete_week(now: datetime, zone: ZoneInfo) -> IsoWeek:
    """The newest week that has ended."""
    return get_week(now.astimezone(zone).date()).before


def get_program_zone() -> ZoneInfo:
    """The program's zone, in which its weeks begin."""
    return ZoneInfo(settings.REPORT_ZONE)
