"""Meeting invitations as iCalendar text with times in UTC."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from icalendar import Calendar, Event, vCalAddress, vText

from integrations.submissions.models import Meeting

REQUEST_METHOD, CANCEL_METHOD, PUBLISH_METHOD = "REQUEST", "CANCEL", "PUBLISH"


def build_page_url(meeting: Meeting) -> str:
    """Return the absolute URL of the requirement's page."""
    path = reverse("submissions:requirement", args=[meeting.integration.uuid, meeting.requirement_id])
    return f"{settings.SITE_URL}{path}"


def build_invitation(
    meeting: Meeting, people: Iterable[object], *, title: str, now: datetime, method: str = REQUEST_METHOD
) -> str:
    """Return the invitation text. `people` have .name and .email; the program mailbox is the organizer.

    The same UID with a higher SEQUENCE moves or cancels an event that a calendar already has.
    """
    calendar = Calendar()
    calendar.add("prodid", "-//Partner portal//Meetings//EN")
    calendar.add("version", "2.0")
    calendar.add("method", method)
    calendar.add_component(_build_event(meeting, people, title, now, method))
    return calendar.to_ical().decode()


def _build_event(meeting: Meeting, people: Iterable[object], title: str, now: datetime, method: str) -> Event:
    assert meeting.starts_at is not None
    event = Event()
    starts_at = meeting.starts_at.astimezone(UTC)
    event.add("uid", f"{meeting.uuid}@{urlsplit(settings.SITE_URL).hostname}")
    event.add("sequence", meeting.sequence)
    event.add("dtstamp", now.astimezone(UTC))
    event.add("dtstart", starts_at)
    event.add("dtend", starts_at + timedelta(minutes=meeting.minutes))
    event.add("summary", f"{meeting.integration.name}: {title}")
    event.add("location", meeting.place)
    event.add("description", build_page_url(meeting))
    event.add("url", build_page_url(meeting))
    event.add("status", "CANCELLED" if method == CANCEL_METHOD else "CONFIRMED")
    edition = meeting.integration.edition
    event["organizer"] = _build_address(edition.mailbox, edition.title)
    for person in people:
        event.add("attendee", _build_attendee(person), encode=False)
    return event


def _build_address(email: str, name: str) -> vCalAddress:
    address = vCalAddress(f"mailto:{email}")
    address.params["cn"] = vText(name)
    return address


def _build_attendee(person: Any) -> vCalAddress:
    address = _build_address(person.email, person.name or person.email)
    address.params["role"] = vText("REQ-PARTICIPANT")
    address.params["partstat"] = vText("NEEDS-ACTION")
    return address
