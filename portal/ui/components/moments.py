"""How is a moment said? "Tue 14 Apr, 14:10" in the reader's zone, "12 min ago", "due in 3 h"."""

from datetime import UTC, date, datetime
from functools import lru_cache

from django.utils import dates, timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from portal.ui.components.markup import EMPTY, glyph, one_of

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MINUTE, HOUR, DAY = 60, 3600, 86400
FORMS = ("exact", "relative", "both")
UTC_NAME = "UTC"


@lru_cache(maxsize=64)
def _names(language: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The short names of weekdays and months: asked of Django once a language, since a page shows dozens."""
    months = [str(dates.MONTHS_3[number]).title() for number in range(1, 13)]
    return tuple(str(dates.WEEKDAYS_ABBR[number]) for number in range(7)), tuple(months)


def short(moment: date) -> str:
    """ "Tue 14 Apr", whatever the year."""
    weekdays, months = _names(get_language())
    return f"{weekdays[moment.weekday()]} {moment.day} {months[moment.month - 1]}"


def day(moment: date, now: datetime) -> str:
    """ "Tue 14 Apr", with the year where it is not this one."""
    words = short(moment)
    return words if moment.year == now.year else f"{words} {moment.year}"


def exact(moment: date, now: datetime) -> str:
    """ "Tue 14 Apr, 14:10" in the active zone; a plain date is its day alone.

    UTC is named: it is the zone of whoever chose none, and the script says the browser's own in its place.
    """
    if not isinstance(moment, datetime):
        return day(moment, now)
    local = timezone.localtime(moment)
    zone = f" {UTC_NAME}" if timezone.get_current_timezone_name() == UTC_NAME else ""
    return f"{day(local, now)}, {local.hour:02}:{local.minute:02}{zone}"


def full(moment: date) -> str:
    """The same with year and zone, for the hover and for comparing zones."""
    if not isinstance(moment, datetime):
        return f"{short(moment)} {moment.year}"
    local = timezone.localtime(moment)
    return f"{short(local)} {local.year}, {local.hour:02}:{local.minute:02} {local.tzname()}"


def span(seconds: float) -> str:
    """A length in its largest fitting unit, rounded down: "4 min", "47 h", "6 d"."""
    if seconds < HOUR:
        return _("%(count)s min") % {"count": int(seconds // MINUTE)}
    if seconds < 2 * DAY:
        return _("%(count)s h") % {"count": int(seconds // HOUR)}
    return _("%(count)s d") % {"count": int(seconds // DAY)}


def relative(moment: datetime, now: datetime) -> str:
    """ "just now", "12 min ago" or "in 3 h"."""
    seconds = (now - moment).total_seconds()
    if abs(seconds) < MINUTE:
        return _("just now")
    said = {"span": span(abs(seconds))}
    return _("%(span)s ago") % said if seconds > 0 else _("in %(span)s") % said


def machine(moment: date) -> str:
    """The value of a datetime attribute: always UTC, so that equal moments print equally."""
    return moment.astimezone(UTC).isoformat(timespec="seconds") if isinstance(moment, datetime) else str(moment)


def when(moment: date | None, *, form: str = "exact", now: datetime | None = None) -> SafeString:
    """A <time>; nothing for None. The form that is not shown stands in the title and for screen readers."""
    if moment is None:
        return EMPTY
    one_of(form, FORMS, "form")
    now = now or timezone.now()
    stamp, kind, words = machine(moment), "", ""
    if not isinstance(moment, datetime):
        words = day(moment, timezone.localtime(now))
    elif form == "exact":
        kind, words = " data-exact", exact(moment, timezone.localtime(now))
    elif form == "relative":
        kind, words = f' data-relative="ago" data-moment="{stamp}"', relative(moment, now)
    else:
        said = f'<span data-relative="ago" data-moment="{stamp}">{relative(moment, now)}</span>'
        words = f"<span data-exact>{exact(moment, timezone.localtime(now))}</span> · {said}"
    # Numbers and words of our own only, so nothing is left to escape; a page shows dozens.
    return SafeString(f'<time datetime="{stamp}" title="{full(moment)}"{kind}>{words}</time>')


def due_words(moment: datetime, now: datetime) -> tuple[str, str]:
    """The tone and the words of a due moment: under a day is a warning, past is bad."""
    left = (moment - now).total_seconds()
    if left < 0:
        return "bad", _("overdue by %(span)s") % {"span": span(-left)} if left <= -MINUTE else _("due now")
    return ("warn" if left < DAY else "neutral"), (
        _("due in %(span)s") % {"span": span(left)} if left >= MINUTE else _("due now")
    )


def due(moment: datetime | None, *, paused: bool = False, now: datetime | None = None) -> SafeString:
    """ "due in 3 h" with the exact moment on hover and for screen readers; nothing for None."""
    if moment is None:
        return EMPTY
    now = now or timezone.now()
    tone, words = ("neutral", _("paused")) if paused else due_words(moment, now)
    kind = "" if paused else ' data-relative="due"'
    stamp, title, mark = machine(moment), full(moment), glyph("circle-pause" if paused else "clock", 14)
    return SafeString(
        f'<time class="due due-{tone}" datetime="{stamp}" title="{title}">{mark}'
        f'<span{kind} data-moment="{stamp}">{words}</span>'
        f'<span class="visually-hidden" data-full>, {title}</span></time>'
    )
