"""Services for partner calendars. Each change creates a new edition."""

from datetime import datetime

from django.utils import translation
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.models import Partner, PartnerCalendar
from integrations.partners.services.changes import change_partner
from portal.accounts.models import User
from portal.core.errors import ActionRefused

# Limits keep partners from extending their own SLA targets.
MIN_WEEKLY_WORKDAYS = 4
MAX_YEARLY_EXTRA_DAYS = 15
CONTENT_FIELDS = ("zone", "workdays", "country", "subdivision", "holidays", "extra_days")


def explain_calendar_refusal(edition: PartnerCalendar) -> str:
    """Return why the calendar is not allowed, or an empty string."""
    if len(edition.workdays) < MIN_WEEKLY_WORKDAYS:
        message = _("Select at least %(minimum)s workdays per week, or ask the program for an exception.")
        return message % {"minimum": MIN_WEEKLY_WORKDAYS}
    years = [day[:4] for day in edition.extra_days]
    full_years = [year for year in sorted(set(years)) if years.count(year) > MAX_YEARLY_EXTRA_DAYS]
    if full_years:
        message = _("Enter at most %(limit)s additional holidays for %(year)s, or ask the program for an exception.")
        return message % {"limit": MAX_YEARLY_EXTRA_DAYS, "year": full_years[0]}
    return ""


def explain_conflict(partner: Partner, edition: PartnerCalendar, seen_id: int) -> str:
    """Return who saved another calendar after the edition `seen_id`, 0 for none, or an empty string."""
    current = partner.calendars.last()
    # The page asks to compare only if something would be lost.
    if current is None or current.pk == seen_id or has_same_content(current, edition):
        return ""
    message = _("%(name)s changed this calendar. Compare your changes with the current calendar, then save them.")
    return message % {"name": current.created_by or _("Someone")}


def has_same_content(edition: PartnerCalendar, other: PartnerCalendar) -> bool:
    return all(getattr(edition, name) == getattr(other, name) for name in CONTENT_FIELDS)


def set_calendar(
    partner: Partner, edition: PartnerCalendar, *, actor: User, now: datetime, seen_id: int | None = None
) -> None:
    """Save a new edition unless its content is unchanged.

    Raises ActionRefused, with kind "conflict" if there is a newer edition than `seen_id`, 0 for none.
    """
    with change_partner(partner.pk, actor=actor, now=now) as change:
        refusals.require_permission(permissions.can_edit_partner, change.partner, actor)
        if message := explain_calendar_refusal(edition):
            raise ActionRefused(message, "validation-error")
        if seen_id is not None and (message := explain_conflict(change.partner, edition, seen_id)):
            raise ActionRefused(message, "conflict")
        current = change.partner.calendars.last()
        # Each edition applies to the SLA clocks that start after it, so one without a change would only hide the real
        # ones.
        if current is not None and has_same_content(current, edition):
            return
        edition.partner = change.partner
        edition.created_by = actor
        edition.valid_from = edition.created_at = now
        edition.save()
        change.record("partner.calendar_changed", note=describe_calendar(edition), edition=edition.pk)


def describe_calendar(edition: PartnerCalendar) -> str:
    """Return a one-line summary of a calendar in English."""
    with translation.override("en"):
        days = ", ".join(str(WEEKDAYS[day]) for day in edition.workdays)
    region = "-".join(filter(None, (edition.country, edition.subdivision)))
    extra_days = f"; additional holidays: {len(edition.extra_days)}" if edition.extra_days else ""
    return f"{edition.zone}; {days}; {f'public holidays of {region}' if region else 'no public holidays'}{extra_days}"
