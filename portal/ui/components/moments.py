"""Formatting of times: exact in the reader's time zone, relative, and due dates."""

from datetime import UTC, date, datetime
from functools import lru_cache

from django.utils import dates, timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from portal.ui.components.markup import EMPTY, render_icon, require_choice

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MINUTE, HOUR, DAY = 60, 3600, 86400
FORMS = ("exact", "relative", "both")
UTC_NAME = "UTC"


@lru_cache(maxsize=64)
def _get_names(language: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the short names of weekdays and months, cached per language because a page shows dozens of times."""
    months = [str(dates.MONTHS_3[number]).title() for number in range(1, 13)]
    return tuple(str(dates.WEEKDAYS_ABBR[number]) for number in range(7)), tuple(months)


def format_short(moment: date) -> str:
    """Return a date without its year, such as "Tue 14 Apr"."""
    weekdays, months = _get_names(get_language())
    return f"{weekdays[moment.weekday()]} {moment.day} {months[moment.month - 1]}"


def format_day(moment: date, now: datetime) -> str:
    """Return a date such as "Tue 14 Apr", with the year unless it is the current year."""
    words = format_short(moment)
    return words if moment.year == now.year else f"{words} {moment.year}"


def format_exact(moment: date, now: datetime) -> str:
    """Return a time such as "Tue 14 Apr, 14:10" in the active time zone, or only the day of a date.

    UTC is shown, because it is the default, which the script replaces with the browser's time zone.
    """
    if not isinstance(moment, datetime):
        return format_day(moment, now)
    local = timezone.localtime(moment)
    zone = f" {UTC_NAME}" if timezone.get_current_timezone_name() == UTC_NAME else ""
    return f"{format_day(local, now)}, {local.hour:02}:{local.minute:02}{zone}"


def format_full(moment: date) -> str:
    """Return a time with year and time zone for tooltips."""
    if not isinstance(moment, datetime):
        return f"{format_short(moment)} {moment.year}"
    local = timezone.localtime(moment)
    return f"{format_short(local)} {local.year}, {local.hour:02}:{local.minute:02} {local.tzname()}"


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


def when(moment: date | None, *, form: str = "exact", now: datetime | None = None) -> SafeString:
    """Render a <time> element with the full time as its title, or nothing for None."""
    if moment is None:
        return EMPTY
    require_choice(form, FORMS, "form")
    now = now or timezone.now()
    stamp, kind, words = format_iso(moment), "", ""
    if not isinstance(moment, datetime):
        words = format_day(moment, timezone.localtime(now))
    elif form == "exact":
        kind, words = " data-exact", format_exact(moment, timezone.localtime(now))
    elif form == "relative":
        kind, words = f' data-relative="ago" data-moment="{stamp}"', format_relative(moment, now)
    else:
        relative_html = f'<span data-relative="ago" data-moment="{stamp}">{format_relative(moment, now)}</span>'
        words = f"<span data-exact>{format_exact(moment, timezone.localtime(now))}</span> · {relative_html}"
    # Contains no user input, so it skips escaping for speed.
    return SafeString(f'<time datetime="{stamp}" title="{format_full(moment)}"{kind}>{words}</time>')


def format_due(moment: datetime, now: datetime) -> tuple[str, str]:
    """Return the tone and the text of a due date: a warning below one day, and bad if overdue."""
    remaining_seconds = (moment - now).total_seconds()
    if remaining_seconds < 0:
        return "bad", _("overdue by %(span)s") % {
            "span": format_span(-remaining_seconds)
        } if remaining_seconds <= -MINUTE else _("due now")
    return ("warn" if remaining_seconds < DAY else "neutral"), (
        _("due in %(span)s") % {"span": format_span(remaining_seconds)} if remaining_seconds >= MINUTE else _("due now")
    )


def due(moment: datetime | None, *, paused: bool = False, now: datetime | None = None) -> SafeString:
    """Render a due date such as "due in 3 h" with the full time as its title, or nothing for None."""
    if moment is None:
        return EMPTY
    now = now or timezone.now()
    tone, words = ("neutral", _("paused")) if paused else format_due(moment, now)
    kind = "" if paused else ' data-relative="due"'
    stamp, title, mark = format_iso(moment), format_full(moment), render_icon("circle-pause" if paused else "clock", 14)
    return SafeString(
        f'<time class="due due-{tone}" datetime="{stamp}" title="{title}">{mark}'
        f'<span{kind} data-moment="{stamp}">{words}</span>'
        f'<span class="visually-hidden" data-full>, {title}</span></time>'
    )
