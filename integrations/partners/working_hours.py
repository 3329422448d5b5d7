"""When does a reader work? Nine to five on the working days of where they are."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from integrations.partners import permissions
from integrations.partners.models import PartnerCalendar
from integrations.submissions.models import Integration
from portal.core.business_time import Calendar

DEFAULT_ZONE = "UTC"  # the zone of whoever has none yet


def get_reader_calendar(receiver: Any, integration: Integration, now: datetime) -> Calendar:
    """The days that a reader of an integration's mail works, in their own zone.

    A company's people have the days of its calendar, and its zone as long as theirs is not known. A mailbox of the
    program is read in UTC.
    """
    zone = getattr(receiver, "zone", DEFAULT_ZONE)
    if isinstance(receiver, str) or permissions.can_act_for_program(integration, receiver):
        return Calendar(ZoneInfo(zone))
    edition = PartnerCalendar.objects.filter(partner=integration.partner).in_force(now)
    if edition is None:
        return Calendar(ZoneInfo(zone))
    partner_calendar = edition.calendar
    zone_name = zone if receiver.zone_chosen or zone != DEFAULT_ZONE else edition.zone
    return Calendar(ZoneInfo(zone_name), partner_calendar.workdays, partner_calendar.days_off, partner_calendar.names)
