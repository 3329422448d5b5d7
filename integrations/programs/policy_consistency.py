"""Consistency rules of an edition's SLA policy, calendar, and contacts that types can't express."""

from collections.abc import Iterator

from integrations.programs.calendars import ProgramCalendar
from integrations.programs.consistency import Inconsistency
from integrations.programs.schema import Edition
from integrations.programs.sla_policy import Sla, TargetType
from portal.core.business_time import FIRST_YEAR
from portal.core.content_errors import Location
from portal.core.holidays import UnknownRegionError, load_holidays


def find_policy_errors(edition: Edition) -> Iterator[Inconsistency]:
    """Yield every violation in the policies and contacts of an edition."""
    yield from _find_target_errors(edition.sla)
    yield from _find_calendar_errors(edition.calendar)
    for number, contact in enumerate(edition.contacts):
        if not contact.email and not contact.url:
            problem = "The contact has neither an email address nor a link."
            yield Inconsistency(("edition", "contacts", number), problem, 'Add "email" or "url".')


def _find_target_errors(sla: Sla) -> Iterator[Inconsistency]:
    """Yield violations of the rules that a target type has a target, which has one time."""
    targets = list(sla.list_targets())
    for key in TargetType:
        if getattr(sla, key) is not None and all(target_type != key for target_type, _severity, _target in targets):
            fix = 'Add "critical" or "other", or remove the key.'
            yield Inconsistency(("edition", "sla", str(key)), "The target type has no target.", fix)
    for target_type, severity, target in targets:
        # The clock of a target counts either elapsed time or the days of a calendar.
        if (target.hours is None) == (target.business_days is None):
            problem = "A target must have either hours or business days."
            location: Location = ("edition", "sla", str(target_type), severity)
            yield Inconsistency(location, problem, 'Write one of "hours" and "business_days".')


def _find_calendar_errors(calendar: ProgramCalendar) -> Iterator[Inconsistency]:
    location: Location = ("edition", "calendar")
    if not calendar.workdays:
        yield Inconsistency((*location, "workdays"), "The calendar has no workday.", "Add a day, or omit the key.")
    if calendar.subdivision and not calendar.country:
        problem = "A subdivision requires a country."
        yield Inconsistency((*location, "subdivision"), problem, 'Add "country", or remove the subdivision.')
    if not calendar.country:
        return
    try:
        # One year is enough to know whether the region exists. Loading all years would slow down the startup.
        load_holidays(calendar.country, calendar.subdivision, FIRST_YEAR, FIRST_YEAR)
    except UnknownRegionError as error:
        problem, _, fix = str(error).partition(". ")
        yield Inconsistency((*location, "subdivision" if "part" in error.values else "country"), f"{problem}.", fix)
