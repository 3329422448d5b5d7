"""Working hours of email recipients."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from integrations.partners import permissions
from integrations.partners.models import PartnerCalendar
from integrations.submissions.models import Integration
from portal.core.business_time import Calendar

DEFAULT_ZONE = "UTC"  # time zone of new accounts


def get_recipient_calendar(recipient: Any, integration: Integration, now: datetime) -> Calendar:
    """Return the working days of an email recipient in their time zone.

    Members use the partner's calendar, and its time zone until their own is known. Program mailboxes use UTC.
    """
    zone = getattr(recipient, "zone", DEFAULT_ZONE)
    if isinstance(recipient, str) or permissions.can_act_for_program(integration, recipient):
        return Calendar(ZoneInfo(zone))
    edition = PartnerCalendar.objects.filter(partner=integration.partner).get_in_force(now)
    if edition is None:
        return Calendar(ZoneInfo(zone))
    partner_calendar = edition.calendar
    zone_name = zone if recipient.zone_chosen or zone != DEFAULT_ZONE else edition.zone
    return Calendar(ZoneInfo(zone_name), partner_calendar.workdays, partner_calendar.days_off, partner_calendar.names)
