"""How does a company say which days count? A new edition of its calendar each time; those before stay as they were."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.partners.models import CalendarEdition, Partner
from portal.audit.services import record
from portal.core.errors import NotAllowed

WORKDAYS_AT_LEAST = 4  # a week
EXTRA_AT_MOST = 15  # own days off a year, beside the public holidays
WEEKDAYS = (
    gettext_noop("Monday"),
    gettext_noop("Tuesday"),
    gettext_noop("Wednesday"),
    gettext_noop("Thursday"),
    gettext_noop("Friday"),
    gettext_noop("Saturday"),
    gettext_noop("Sunday"),
)


@dataclass(frozen=True, slots=True)
class Facts:
    """A calendar as it is written down. `workdays`: Monday is 0; `holidays`, `extra_days`: {ISO date: name}."""

    zone: str
    workdays: tuple[int, ...]
    country: str
    subdivision: str
    holidays: dict[str, str]
    extra_days: dict[str, str]

    def edition(self, partner: Partner, now: datetime) -> CalendarEdition:
        """The same as a row, not saved."""
        fields = asdict(self) | {"workdays": list(self.workdays)}
        return CalendarEdition(partner=partner, valid_from=now, created_at=now, **fields)


def refusal(facts: Facts) -> str:
    """Why a calendar like that cannot be, or blank: whoever is measured must not stretch the measure."""
    if len(facts.workdays) < WORKDAYS_AT_LEAST:
        return _(
            "A calendar has at least %(WORKDAYS_AT_LEAST)s working days a week; ask the program for anything else."
        ) % {"WORKDAYS_AT_LEAST": WORKDAYS_AT_LEAST}
    years = [day[:4] for day in facts.extra_days]
    full = [year for year in sorted(set(years)) if years.count(year) > EXTRA_AT_MOST]
    if full:
        return _(
            "At most %(EXTRA_AT_MOST)s own days off a year: %(full)s has more. Ask the program for anything else."
        ) % {"EXTRA_AT_MOST": EXTRA_AT_MOST, "full": full[0]}
    return ""


def set_calendar(partner: Partner, facts: Facts, *, by: Any, now: datetime) -> CalendarEdition:
    """A new edition from now on. The same again changes nothing. Raises NotAllowed."""
    with transaction.atomic():
        row = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
        permissions.forget_roles(by)
        if not permissions.edits(row, by):
            raise NotAllowed(permissions.refusal("may_edit"), "may")
        if why := refusal(facts):
            raise NotAllowed(why)
        before = row.calendars.in_force(now)
        fresh = facts.edition(row, now)
        if before is not None and _same(before, fresh):
            return before
        fresh.by = by
        fresh.save()
        record(row, "calendar_changed", by=by, now=now, note=said(fresh), edition=fresh.pk)
        return fresh


def _same(one: CalendarEdition, other: CalendarEdition) -> bool:
    names = ("zone", "workdays", "country", "subdivision", "holidays", "extra_days")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def said(edition: CalendarEdition) -> str:
    """A calendar in one line."""
    days = ", ".join(WEEKDAYS[day] for day in edition.workdays)
    place = "-".join(filter(None, (edition.country, edition.subdivision)))
    own = f", {len(edition.extra_days)} own days off" if edition.extra_days else ""
    return f"{edition.zone}; {days}; {f'public holidays of {place}' if place else 'no public holidays'}{own}"
