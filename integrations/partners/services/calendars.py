"""Services for partner calendars. Each change creates a new edition."""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Partner, PartnerCalendar
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.core.errors import ActionRefused

# Limits keep partners from extending their own SLA targets.
MIN_WEEKLY_WORKDAYS = 4
MAX_YEARLY_EXTRA_DAYS = 15
WEEKDAY_NAMES = (
    gettext_noop("Monday"),
    gettext_noop("Tuesday"),
    gettext_noop("Wednesday"),
    gettext_noop("Thursday"),
    gettext_noop("Friday"),
    gettext_noop("Saturday"),
    gettext_noop("Sunday"),
)


@dataclass(frozen=True, slots=True)
class CalendarDefinition:
    """Content of a calendar. In `workdays`, Monday is 0. `holidays` and `extra_days` map ISO dates to names."""

    zone: str
    workdays: tuple[int, ...]
    country: str
    subdivision: str
    holidays: dict[str, str]
    extra_days: dict[str, str]

    def build_edition(self, partner: Partner, now: datetime) -> PartnerCalendar:
        """Return an unsaved edition with this content."""
        fields = asdict(self) | {"workdays": list(self.workdays)}
        return PartnerCalendar(partner=partner, valid_from=now, created_at=now, **fields)


def explain_calendar_refusal(definition: CalendarDefinition) -> str:
    """Return why the calendar is not allowed, or an empty string."""
    if len(definition.workdays) < MIN_WEEKLY_WORKDAYS:
        return _("Select at least %(minimum)s working days per week, or ask the program for an exception.") % {
            "minimum": MIN_WEEKLY_WORKDAYS
        }
    years = [day[:4] for day in definition.extra_days]
    full_years = [year for year in sorted(set(years)) if years.count(year) > MAX_YEARLY_EXTRA_DAYS]
    if full_years:
        return _("Enter at most %(limit)s additional holidays for %(year)s, or ask the program for an exception.") % {
            "limit": MAX_YEARLY_EXTRA_DAYS,
            "year": full_years[0],
        }
    return ""


def set_calendar(partner: Partner, definition: CalendarDefinition, *, actor: User, now: datetime) -> PartnerCalendar:
    """Create a new edition unless the content is unchanged. Raises ActionRefused."""
    with transaction.atomic():
        locked_partner = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
        permissions.forget_roles(actor)
        if not permissions.can_edit_partner(locked_partner, actor):
            raise ActionRefused(permissions.get_refusal("can_edit"), "forbidden")
        if message := explain_calendar_refusal(definition):
            raise ActionRefused(message)
        current = locked_partner.calendars.in_force(now)
        new_edition = definition.build_edition(locked_partner, now)
        if current is not None and _is_same_calendar(current, new_edition):
            return current
        new_edition.by = actor
        new_edition.save()
        record_event(
            locked_partner,
            "partner.calendar_changed",
            actor=actor,
            now=now,
            note=describe_calendar(new_edition),
            edition=new_edition.pk,
        )
        return new_edition


def _is_same_calendar(first: PartnerCalendar, second: PartnerCalendar) -> bool:
    names = ("zone", "workdays", "country", "subdivision", "holidays", "extra_days")
    return all(getattr(first, name) == getattr(second, name) for name in names)


def describe_calendar(edition: PartnerCalendar) -> str:
    """Return a one-line summary of a calendar."""
    days = ", ".join(WEEKDAY_NAMES[day] for day in edition.workdays)
    region = "-".join(filter(None, (edition.country, edition.subdivision)))
    extra_days = f"; additional holidays: {len(edition.extra_days)}" if edition.extra_days else ""
    return f"{edition.zone}; {days}; {f'public holidays of {region}' if region else 'no public holidays'}{extra_days}"
