"""Calendar strip below an SLA clock, with one cell per day and marks for start, now, and due date.

Days off are hatched and named, so that the strip does not depend on color.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop

from portal.core.business_time import Calendar
from portal.core.local_time import RESOLUTION
from portal.ui.components.moments import format_short

MAX_DAYS = 28  # longer periods show only their end
DAY = timedelta(days=1)
# labels of marks, which are also suffixes of CSS classes
MARK_LABELS = {
    "start": gettext_noop("start"),
    "now": gettext_noop("now"),
    "due": gettext_noop("due"),
    "stop": gettext_noop("stop"),
}


@dataclass(frozen=True, slots=True)
class CalendarCell:
    """Local day with the name of a day off (empty on business days) and its marks."""

    day: date
    name: str
    marks: tuple[str, ...]

    @property
    def short_name(self) -> str:
        return format_short(self.day)[:2]

    @property
    def mark_text(self) -> str:
        return ", ".join(_(MARK_LABELS[mark]) for mark in self.marks)

    @property
    def description(self) -> str:
        note = ", ".join(filter(None, (self.name, self.mark_text)))
        return ": ".join(filter(None, (format_short(self.day), note)))


def build_cells(
    calendar: Calendar, start: datetime, end: datetime, marks: dict[str, datetime | None]
) -> list[CalendarCell]:
    """Return the cells from start to end, at most the last MAX_DAYS."""
    first, last = (at.astimezone(calendar.zone).date() for at in (start, end))
    first = max(first, last - (MAX_DAYS - 1) * DAY)
    marks_by_day: dict[date, list[str]] = {}
    for kind, at in marks.items():
        if at is not None:
            marks_by_day.setdefault(_get_mark_day(at, calendar, kind), []).append(kind)
    days = [first + n * DAY for n in range((last - first).days + 1)]
    return [CalendarCell(day, get_day_name(day, calendar), tuple(marks_by_day.get(day, ()))) for day in days]


def _get_mark_day(at: datetime, calendar: Calendar, kind: str) -> date:
    """Return the day of a mark. A due date at the start of a day belongs to the previous day."""
    # Not compared with midnight, which a clock change can skip.
    moment = at - RESOLUTION if kind == "due" else at
    return moment.astimezone(calendar.zone).date()


def get_day_name(day: date, calendar: Calendar) -> str:
    """Return why a day does not count, or an empty string for a business day."""
    if day in calendar.days_off:
        return calendar.names.get(day, _("day off"))
    return "" if day.weekday() in calendar.workdays else _("weekend")


def render_strip(day_cells: list[CalendarCell], label: str) -> SafeString:
    """Render the strip as a list of days with accessible labels."""
    return render_to_string("ui/charts/calendar_strip.html", {"cells": day_cells, "label": label})
