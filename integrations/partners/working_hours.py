"""When does a reader work? Nine to five on the working days of where they are."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from integrations.partners import permissions
from integrations.partners.models import CalendarEdition
from integrations.submissions.models import Integration
from portal.core.business_time import Calendar

UNKNOWN = "UTC"  # the zone of whoever has none yet


def hours_of(receiver: Any, integration: Integration, now: datetime) -> Calendar:
    """The days that a reader of an integration's mail works, in their own zone.

    A company's people have the days of its calendar, and its zone as long as theirs is not known. A mailbox of the
    program is read in UTC.
    """
    zone = getattr(receiver, "zone", UNKNOWN)
    if isinstance(receiver, str) or permissions.is_of_program(integration, receiver):
        return Calendar(ZoneInfo(zone))
    edition = CalendarEdition.objects.filter(partner=integration.partner).in_force(now)
    if edition is None:
        return Calendar(ZoneInfo(zone))
    theirs = edition.calendar
    known = zone if receiver.zone_chosen or zone != UNKNOWN else edition.zone
    return Calendar(ZoneInfo(known), theirs.workdays, theirs.days_off, theirs.names)
