"""Labels of a program's SLA policy and calendar."""

from datetime import date

from django.utils import dates, formats
from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.programs.calendars import WEEKDAYS, Holiday, ProgramCalendar
from integrations.programs.sla_policy import Sla, SlaTarget, TargetType
from portal.core.holidays import list_countries

TARGET_LABELS = {
    TargetType.RESPOND: gettext_noop("First response within %(time)s"),
    TargetType.RESOLVE: gettext_noop("Resolution within %(time)s"),
}
SEVERITY_LABELS = {"critical": gettext_noop("Critical issues"), "other": gettext_noop("Other issues")}


def format_target(target: SlaTarget) -> str:
    """Return "48 hours" or "5 business days (ideally)"."""
    if target.hours:
        amount = ngettext("%(count)s hour", "%(count)s hours", target.hours) % {"count": target.hours}
    else:
        # An edition states either hours or business days, see policy_consistency.py.
        days = target.business_days or 0
        amount = ngettext("%(count)s business day", "%(count)s business days", days) % {"count": days}
    return _("%(amount)s (ideally)") % {"amount": amount} if target.is_ideal else amount


def list_sla_rows(sla: Sla) -> list[tuple[str, str]]:
    """Return the SLA targets as (kind of issue, target), empty for a program without targets."""
    return [
        (_(SEVERITY_LABELS[severity]), _(TARGET_LABELS[target_type]) % {"time": format_target(target)})
        for target_type, severity, target in sla.list_targets()
    ]


def list_calendar_rows(calendar: ProgramCalendar) -> list[tuple[str, str]]:
    """Return the time zone, workdays, and holidays of a program's calendar with their labels."""
    rows = [(_("Time zone"), calendar.zone), (_("Workdays"), _format_workdays(calendar))]
    if calendar.country:
        country = dict(list_countries())[calendar.country]
        region = f"{country} ({calendar.subdivision})" if calendar.subdivision else country
        rows.append((_("Public holidays"), region))
    if calendar.additional_holidays:
        rows.append((_("Additional holidays"), "; ".join(map(_format_holiday, calendar.additional_holidays))))
    return rows


def _format_workdays(calendar: ProgramCalendar) -> str:
    if calendar.workdays == WEEKDAYS[:5]:
        return _("Monday to Friday")
    return ", ".join(str(dates.WEEKDAYS[WEEKDAYS.index(day)]) for day in calendar.workdays)


def _format_holiday(holiday: Holiday) -> str:
    return f"{formats.date_format(date.fromisoformat(holiday.date))} ({holiday.name})"
