"""Localized formatting of durations, reasons, percentages, and medians."""

from datetime import date, timedelta

from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext

from integrations.sla.engine.types import Segment
from portal.core.business_time import Calendar
from portal.core.local_time import RESOLUTION
from portal.core.time_segments import TimeSegment
from portal.ui.components.moments import format_short


def format_duration(length: timedelta) -> str:
    """Format a duration, such as "2 days 3 h 5 min". A day has 24 hours."""
    days, seconds = divmod(round(length.total_seconds()), 86400)
    hours = seconds // 3600
    minutes = seconds % 3600 // 60
    parts = [
        ngettext("%(count)s day", "%(count)s days", days) % {"count": days} if days else "",
        _("%(count)s h") % {"count": hours} if hours else "",
        _("%(count)s min") % {"count": minutes} if minutes else "",
        _("%(count)s s") % {"count": seconds % 60} if seconds % 60 and not days else "",
    ]
    return " ".join(filter(None, parts)) or _("%(count)s min") % {"count": 0}


def describe_reason(segment: Segment, calendar: Calendar) -> str:
    """Return the localized reason of a segment, with the names of days off."""
    return _(segment.reason) if segment.reason else describe_days_off(segment, calendar)


def describe_days_off(period: Segment | TimeSegment, calendar: Calendar) -> str:
    """Describe days off, such as "Days off: Sat, Apr 11; Sun, Apr 12", with the names of holidays."""
    first = period.start.astimezone(calendar.zone).date()
    # The end is 00:00 of the day after the last one.
    last = (period.end - RESOLUTION).astimezone(calendar.zone).date()
    days = [date.fromordinal(ordinal) for ordinal in range(first.toordinal(), last.toordinal() + 1)]
    day_names = "; ".join(
        format_short(day) + (f" ({calendar.names[day]})" if day in calendar.names else "") for day in days
    )
    return ngettext("Day off: %(days)s", "Days off: %(days)s", len(days)) % {"days": day_names}


def format_percent(share: float | None) -> str:
    """Format a percentage with one decimal, such as "97.5%" or "100.0%", or a dash for None."""
    return "–" if share is None else f"{number_format(share, 1)}%"


def format_hours(hours: float | None) -> str:
    """Format a median with one decimal, such as "30.0 h", or a dash for None."""
    return "–" if hours is None else _("%(count)s h") % {"count": number_format(hours, 1)}
