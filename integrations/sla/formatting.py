"""How are a clock's moments, lengths and reasons said in the reader's language?

The rule of the clock says them in English, without Django, and so they stay in JSON, in evidence and on the command
line. Its sentences are named here once more, so that they can be translated where a page shows them.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from integrations.sla.engine.clock import list_days
from integrations.sla.engine.explanation import split_duration
from integrations.sla.engine.types import Segment
from portal.core.business_time import Calendar
from portal.ui.components.moments import format_short

REASONS = (
    gettext_noop("The clock runs"),
    gettext_noop("Waiting for the reporter to answer a question"),
    gettext_noop("Answered; the answer was taken back later"),
    gettext_noop("Closed by the partner"),
    gettext_noop("Closed by the reporter"),
    gettext_noop("Closed"),
    gettext_noop("Closed by a machine"),
    gettext_noop("Closed by the partner; reopened later"),
    gettext_noop("Closed by the reporter; reopened later"),
    gettext_noop("Closed; reopened later"),
    gettext_noop("Closed by a machine; reopened later"),
)
NOTES = (
    gettext_noop("A question was edited away: the pause ended then."),
    gettext_noop("A question was deleted: the pause ended then."),
    gettext_noop("The same question was asked again: it pauses nothing."),
    gettext_noop("A question in a locked conversation pauses nothing: the reporter cannot answer."),
    gettext_noop("A machine put a pause label: it pauses nothing."),
    gettext_noop("A pause label was put without a question: it pauses nothing."),
    gettext_noop("The conversation was locked while the reporter was asked: the pause ended then."),
    gettext_noop("What a comment said before it was edited, nobody told us: it counts from the edit."),
    gettext_noop("An answer within seconds of the opening is an automatic one: it does not count."),
    gettext_noop("A comment of the partner that says nothing does not count as an answer."),
    gettext_noop("A comment became an answer when it was edited: it counts from then."),
    gettext_noop("An answer was deleted: it does not count from then on."),
    gettext_noop("A machine closed the issue: that does not count."),
    gettext_noop("We do not know who closed the issue: that does not count."),
    gettext_noop("The issue was closed while the reporter was asked and nothing else said: that does not count."),
    gettext_noop("The issue was closed without an answer: that does not count before a person of the partner answers."),
    gettext_noop("Closed and reopened again and again: the time between counts."),
    gettext_noop("The issue was transferred: its clocks go on."),
    gettext_noop("The issue was deleted: its clocks go on."),
    gettext_noop("The conversation was locked: the clocks go on."),
    gettext_noop("A machine opened this issue: no promise covers it."),
    gettext_noop("The partner opened this issue itself: it is covered until the program lets it off."),
    gettext_noop("A webhook told of something that GitHub does not know: it does not count."),
    gettext_noop("The severity was lowered after the due moment: what was late stays late."),
)


def format_moment(timestamp: datetime, zone: ZoneInfo) -> str:
    """ "Tue 14 Apr, 14:10" of the calendar."""
    local_time = timestamp.astimezone(zone)
    return f"{format_short(local_time)}, {local_time:%H:%M}"


def format_duration(length: timedelta) -> str:
    """ "2 days 3 h 5 min"; a day is 24 hours."""
    days, hours, minutes, seconds = split_duration(length)
    parts = [
        ngettext("%(count)s day", "%(count)s days", days) % {"count": days} if days else "",
        _("%(count)s h") % {"count": hours} if hours else "",
        _("%(count)s min") % {"count": minutes} if minutes else "",
        _("%(count)s s") % {"count": seconds} if seconds and not days else "",
    ]
    return " ".join(filter(None, parts)) or _("%(count)s min") % {"count": 0}


def describe_reason(segment: Segment, calendar: Calendar) -> str:
    """Why a time counts or does not; days off by their names."""
    return _(segment.why) if segment.counted or segment.key else _describe_days_off(segment, calendar)


def _describe_days_off(segment: Segment, calendar: Calendar) -> str:
    days = list_days(segment, calendar)
    day_names = ", ".join(
        format_short(day) + (f" ({calendar.names[day]})" if day in calendar.names else "") for day in days
    )
    return ngettext("Day off: %(days)s", "Days off: %(days)s", len(days)) % {"days": day_names}


def format_percent(share: float | None) -> str:
    """ "96 %", "97.5 %", or a dash where nothing was settled."""
    return "–" if share is None else f"{share:g} %"
