"""Localized formatting of clock times, durations, and reasons.

The engine writes English texts without Django. They stay English in JSON, evidence, and commands. This module marks
them for translation on pages.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.sla.engine.clock import list_days
from integrations.sla.engine.explanation import split_duration
from integrations.sla.engine.types import Segment
from portal.core.business_time import Calendar
from portal.ui.components.moments import format_short, format_time

REASONS = (
    gettext_noop("The clock runs"),
    gettext_noop("Waiting for the reporter to answer a question"),
    gettext_noop("Answered; the reply was deleted later"),
    gettext_noop("Closed by the partner"),
    gettext_noop("Closed by the reporter"),
    gettext_noop("Closed"),
    gettext_noop("Closed by a bot"),
    gettext_noop("Closed by the partner; reopened later"),
    gettext_noop("Closed by the reporter; reopened later"),
    gettext_noop("Closed; reopened later"),
    gettext_noop("Closed by a bot; reopened later"),
)
NOTES = (
    gettext_noop("A question was removed by an edit. The pause ended with the edit."),
    gettext_noop("A question was deleted. The pause ended with the deletion."),
    gettext_noop("The partner repeated a question. The clock keeps running."),
    gettext_noop("The conversation is locked, so the reporter can't answer the question. The clock keeps running."),
    gettext_noop("A bot added a pause label. The clock keeps running."),
    gettext_noop("The pause label has no matching question. The clock keeps running."),
    gettext_noop("The conversation was locked during a pause. The pause ended."),
    gettext_noop("We don't have the original text of this comment. It counts from the edit."),
    gettext_noop("A reply came within 30 seconds. It counts as automatic and doesn't stop the clock."),
    gettext_noop("A partner comment has no content that answers the issue. It doesn't stop the clock."),
    gettext_noop("An edit turned a comment into a reply. It counts from the edit."),
    gettext_noop("A reply was deleted. It doesn't count after the deletion."),
    gettext_noop("A bot closed the issue. This doesn't stop the clock."),
    gettext_noop("We don't know who closed the issue. This doesn't stop the clock."),
    gettext_noop("The issue was closed with an open question and without another reply. This doesn't stop the clock."),
    gettext_noop("The issue was closed without a reply. This counts only after the partner replies."),
    gettext_noop("The issue was closed and reopened repeatedly. The time in between counts."),
    gettext_noop("The issue was transferred. The clocks keep running."),
    gettext_noop("The issue was deleted. The clocks keep running."),
    gettext_noop("The conversation was locked. The clocks keep running."),
    gettext_noop("A bot opened this issue. No SLA target applies."),
    gettext_noop("The partner opened this issue. SLA targets apply unless the program excludes it."),
    gettext_noop("GitHub doesn't confirm a webhook event. It doesn't affect the clock."),
    gettext_noop("The severity was lowered after the due date. The breach stays on record."),
)


def format_moment(timestamp: datetime, zone: ZoneInfo) -> str:
    """Format a time in the calendar's time zone, such as "Tue, Apr 14, 2:10 PM"."""
    local_time = timestamp.astimezone(zone)
    return f"{format_short(local_time)}, {format_time(local_time)}"


def format_duration(length: timedelta) -> str:
    """Format a duration, such as "2 days 3 h 5 min". A day has 24 hours."""
    days, hours, minutes, seconds = split_duration(length)
    parts = [
        ngettext("%(count)s day", "%(count)s days", days) % {"count": days} if days else "",
        _("%(count)s h") % {"count": hours} if hours else "",
        _("%(count)s min") % {"count": minutes} if minutes else "",
        _("%(count)s s") % {"count": seconds} if seconds and not days else "",
    ]
    return " ".join(filter(None, parts)) or _("%(count)s min") % {"count": 0}


def describe_reason(segment: Segment, calendar: Calendar) -> str:
    """Return the localized reason of a segment, with the names of days off."""
    return _(segment.why) if segment.counted or segment.key else _describe_days_off(segment, calendar)


def _describe_days_off(segment: Segment, calendar: Calendar) -> str:
    days = list_days(segment, calendar)
    day_names = "; ".join(
        format_short(day) + (f" ({calendar.names[day]})" if day in calendar.names else "") for day in days
    )
    return ngettext("Day off: %(days)s", "Days off: %(days)s", len(days)) % {"days": day_names}


def format_percent(share: float | None) -> str:
    """Format a percentage, such as "97.5%", or a dash for None."""
    return "–" if share is None else f"{share:g}%"
