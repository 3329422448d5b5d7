"""Meeting invitations as iCalendar text with times in UTC."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from icalendar import STATUS, Calendar, Event, vCalAddress

from integrations.submissions.models import Meeting
from portal.accounts.models import User
from portal.core.site_urls import build_absolute_url

REQUEST_METHOD = "REQUEST"
CANCEL_METHOD = "CANCEL"
PUBLISH_METHOD = "PUBLISH"


def build_description(meeting: Meeting, page_url: str) -> str:
    """Return the agenda, one item per line, and the URL of the requirement's page, in English for all invitees."""
    requirement = meeting.integration.edition.get_requirement(meeting.requirement_id)
    items = requirement.meeting_items if requirement else ()
    # Not translated: all invitees receive the same entry.
    agenda = ["Agenda:", *(f"- {item}" for item in items), ""] if items else []
    return "\n".join([*agenda, page_url])


def build_invitation(
    meeting: Meeting, people: Iterable[User], *, title: str, now: datetime, method: str = REQUEST_METHOD
) -> str:
    """Return the invitation text. The program mailbox is the organizer.

    The same UID with a higher SEQUENCE moves or cancels an event that a calendar already has.
    """
    assert meeting.starts_at is not None
    starts_at = meeting.starts_at.astimezone(UTC)
    edition = meeting.integration.edition
    page_url = build_absolute_url("submissions:requirement", meeting.integration.uuid, meeting.requirement_id)
    event = Event.new(
        # RFC 5545, section 3.8.4.7: calendars recognize an update by the UID, which has to be globally unique.
        uid=f"{meeting.uuid}@{urlsplit(settings.SITE_URL).hostname}",
        sequence=meeting.sequence,
        stamp=now.astimezone(UTC),
        start=starts_at,
        end=starts_at + timedelta(minutes=meeting.minutes),
        summary=f"{meeting.integration.name}: {title}",
        location=meeting.place,
        description=build_description(meeting, page_url),
        url=page_url,
        status=STATUS.CANCELLED if method == CANCEL_METHOD else STATUS.CONFIRMED,
        organizer=vCalAddress.new(edition.mailbox, cn=edition.title),
        attendees=[
            vCalAddress.new(
                person.email, cn=person.name or person.email, role="REQ-PARTICIPANT", partstat="NEEDS-ACTION"
            )
            for person in people
        ],
    )
    calendar = Calendar(prodid="-//Partner portal//Meetings//EN", version="2.0", method=method)
    calendar.add_component(event)
    return calendar.to_ical().decode()
