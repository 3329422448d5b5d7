"""Formatting of times: exact in the reader's time zone, relative, and due dates."""

from datetime import UTC, date, datetime, time, tzinfo
from functools import lru_cache

from django.utils import dateformat, timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext as _, pgettext

from portal.ui.components.markup import EMPTY, ENVIRONMENT, get_macro, register, require_choice

MINUTE = 60
HOUR = 3600
DAY = 86400
FORMS = ("exact", "relative", "age", "both")
UTC_NAME = "UTC"
MACROS = "ui/components/moments.html"


def format_short(moment: date) -> str:
    """Return a date without its year, such as "Tue, Apr 14"."""
    return _format_date(moment, pgettext("date format", "D, M j"))


def format_day(moment: date, now: datetime) -> str:
    """Return a date such as "Tue, Apr 14", with the year unless it is the current year."""
    return format_short(moment) if moment.year == now.year else _format_with_year(moment)


def _format_with_year(moment: date) -> str:
    return _format_date(moment, pgettext("date format", "D, M j, Y"))


def _format_date(moment: date, pattern: str) -> str:
    day = moment.date() if isinstance(moment, datetime) else moment
    return _format_cached(day, pattern, get_language())


@lru_cache(maxsize=4096)
def _format_cached(moment: date | time, pattern: str, _language: str | None) -> str:
    """Format a day or a time of day. A list repeats a few of them often, and Django takes long for each."""
    return dateformat.time_format(moment, pattern) if isinstance(moment, time) else dateformat.format(moment, pattern)


def format_time(moment: datetime | time) -> str:
    """Return a time of day such as "2:10 PM"."""
    return _format_cached(time(moment.hour, moment.minute), pgettext("time format", "g:i A"), get_language())


def format_in_zone(moment: datetime, zone: tzinfo) -> str:
    """Return "Tue, Apr 14, 2:10 PM" in a time zone, whatever that of the reader is."""
    local = moment.astimezone(zone)
    return f"{format_short(local)}, {format_time(local)}"


def format_clock(moment: datetime | None) -> str:
    """Return a time of day in the active time zone, with "UTC" if that is the zone, or an empty string for None."""
    if moment is None:
        return ""
    local = timezone.localtime(moment)
    return f"{format_time(local)} {UTC_NAME}" if str(local.tzinfo) == UTC_NAME else format_time(local)


def format_exact(moment: date, now: datetime) -> str:
    """Return a time such as "Tue, Apr 14, 2:10 PM" in the active time zone, or only the day of a date.

    UTC is shown, because it is the default, which the script replaces with the browser's time zone.
    """
    if not isinstance(moment, datetime):
        return format_day(moment, now)
    return f"{format_day(timezone.localtime(moment), now)}, {format_clock(moment)}"


def format_full(moment: date) -> str:
    """Return a time with year and time zone for tooltips."""
    if not isinstance(moment, datetime):
        return _format_with_year(moment)
    local = timezone.localtime(moment)
    return f"{_format_with_year(local)}, {format_time(local)} {local.tzname()}"


def format_span(seconds: float) -> str:
    """Return a duration in its largest unit, rounded down, such as "4 min", "47 h", or "6 d"."""
    if seconds < HOUR:
        return _("%(count)s min") % {"count": int(seconds // MINUTE)}
    if seconds < 2 * DAY:
        return _("%(count)s h") % {"count": int(seconds // HOUR)}
    return _("%(count)s d") % {"count": int(seconds // DAY)}


def format_relative(moment: datetime, now: datetime) -> str:
    """Return a relative time, such as "just now", "12 min ago", or "in 3 h"."""
    seconds = (now - moment).total_seconds()
    if abs(seconds) < MINUTE:
        return _("just now")
    parameters = {"span": format_span(abs(seconds))}
    return _("%(span)s ago") % parameters if seconds > 0 else _("in %(span)s") % parameters


def format_iso(moment: date) -> str:
    """Return the value of a datetime attribute, always in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="seconds") if isinstance(moment, datetime) else str(moment)


@register.simple_tag
def when(moment: date | None, *, form: str = "exact", now: datetime | None = None) -> SafeString:
    """Render a <time> element with the full time as its title, or nothing for None."""
    if moment is None:
        return EMPTY
    require_choice(form, FORMS, "form")
    now = now or timezone.now()
    relative = ""
    if not isinstance(moment, datetime):
        form = "day"
    elif form != "exact":
        # A clock that is ahead must not make an age negative.
        age_seconds = max(0.0, (now - moment).total_seconds())
        relative = format_span(age_seconds) if form == "age" else format_relative(moment, now)
    exact = "" if form in ("relative", "age") else format_exact(moment, timezone.localtime(now))
    return SafeString(get_macro(MACROS, "when")(form, format_iso(moment), format_full(moment), exact, relative))


def format_due(moment: datetime, now: datetime) -> tuple[str, str]:
    """Return the tone and the text of a due date: a warning below one day, and bad if overdue."""
    remaining_seconds = (moment - now).total_seconds()
    tone = "neutral"
    if remaining_seconds < 0:
        tone = "bad"
    elif remaining_seconds < DAY:
        tone = "warn"
    if abs(remaining_seconds) < MINUTE:
        return tone, _("due now")
    parameters = {"span": format_span(abs(remaining_seconds))}
    return tone, (_("overdue by %(span)s") if remaining_seconds < 0 else _("due in %(span)s")) % parameters


@register.simple_tag
def due(moment: datetime | None, *, now: datetime | None = None) -> SafeString:
    """Render a due date such as "due in 3 h" with the full time as its title, or nothing for None."""
    if moment is None:
        return EMPTY
    tone, text = format_due(moment, now or timezone.now())
    return SafeString(get_macro(MACROS, "due")(tone, format_iso(moment), format_full(moment), text))


ENVIRONMENT.filters |= {"when": when, "due": due}
