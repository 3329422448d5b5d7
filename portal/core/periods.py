"""Periods of reports: ISO weeks, months, and quarters, from 00:00 to 00:00 in the program's time zone."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from django.conf import settings

DAY = timedelta(days=1)
# Not \d, which also matches digits of other scripts.
PERIOD_PATTERN = re.compile(r"([0-9]{4})-(?:W([0-9]{2})|Q([1-4])|([0-9]{2}))")


class PeriodKind(StrEnum):
    """Length of a period."""

    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"


MONTH_COUNTS = {PeriodKind.MONTH: 1, PeriodKind.QUARTER: 3}
PERIOD_FORMATS = {PeriodKind.WEEK: "W{:02}", PeriodKind.MONTH: "{:02}", PeriodKind.QUARTER: "Q{}"}


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """Calendar period. Only those of one kind follow each other, so only these are compared."""

    kind: PeriodKind
    first_day: date

    def __str__(self) -> str:
        return f"{self.year:04}-{PERIOD_FORMATS[self.kind].format(self.number)}"

    @property
    def year(self) -> int:
        # Week 2026-W01 begins on December 29, 2025.
        return self.first_day.isocalendar().year if self.kind == PeriodKind.WEEK else self.first_day.year

    @property
    def number(self) -> int:
        """Return the number of the week (1 to 53), month, or quarter in its year."""
        if self.kind == PeriodKind.WEEK:
            return self.first_day.isocalendar().week
        return (self.first_day.month - 1) // MONTH_COUNTS[self.kind] + 1

    @property
    def end_day(self) -> date:
        """Return the first day after the period."""
        if self.kind == PeriodKind.WEEK:
            return self.first_day + 7 * DAY
        months = self.first_day.month - 1 + MONTH_COUNTS[self.kind]
        return date(self.first_day.year + months // 12, months % 12 + 1, 1)

    def get_bounds(self, zone: ZoneInfo) -> tuple[datetime, datetime]:
        """Return the start and the exclusive end in UTC. Clock changes make a week an hour longer or shorter."""
        start, end = (datetime.combine(day, time(), zone).astimezone(UTC) for day in (self.first_day, self.end_day))
        return start, end

    @property
    def previous(self) -> "Period":
        return get_period(self.kind, self.first_day - DAY)

    @property
    def next(self) -> "Period":
        return get_period(self.kind, self.end_day)


def get_period(kind: PeriodKind, day: date) -> Period:
    """Return the period of a kind that contains a day."""
    if kind == PeriodKind.WEEK:
        return Period(kind, day - day.weekday() * DAY)
    return Period(kind, day.replace(month=day.month - (day.month - 1) % MONTH_COUNTS[kind], day=1))


def parse_period(text: str) -> Period:
    """Return the period of a text such as "2026-W16", "2026-04", or "2026-Q2".

    Raises:
        ValueError: The text is not a period.
    """
    match = PERIOD_PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is not a period.")
    year, week, quarter, month = (int(part) if part else 0 for part in match.groups())
    if match[2]:
        return Period(PeriodKind.WEEK, date.fromisocalendar(year, week, 1))
    if quarter:
        return Period(PeriodKind.QUARTER, date(year, 3 * quarter - 2, 1))
    # `date` refuses a month 0 or 13 with the same error.
    return Period(PeriodKind.MONTH, date(year, month, 1))


def get_last_complete_period(kind: PeriodKind, now: datetime, zone: ZoneInfo) -> Period:
    """Return the latest period of a kind that has ended."""
    return get_period(kind, now.astimezone(zone).date()).previous


def get_program_zone() -> ZoneInfo:
    """Return the program's time zone."""
    return ZoneInfo(settings.REPORT_ZONE)
