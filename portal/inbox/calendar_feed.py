"""Calendar feed of a person's deadlines at a secret URL; the output is deterministic."""

import secrets
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from icalendar import Calendar, Event

from portal.accounts.models import User
from portal.accounts.second_factor import is_second_factor_missing
from portal.core.crypto import hash_token
from portal.core.site_urls import build_absolute_url
from portal.inbox.deadlines import CalendarDeadline, list_deadlines
from portal.inbox.models import CalendarFeed

TOKEN_BYTES = 32
REFRESH_INTERVAL = timedelta(hours=1)
SEQUENCE_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)  # keeps the numbers within the range of calendars


def create_feed(person: User, now: datetime) -> str:
    """Create the feed of a person and return its URL. Any earlier URL stops working."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    values = {"token_hash": hash_token(token), "created_at": now}
    CalendarFeed.objects.update_or_create(user=person, defaults=values)
    return build_absolute_url("inbox:calendar_feed", token)


def delete_feed(person: User) -> None:
    CalendarFeed.objects.filter(user=person).delete()


def handle_access_revoked(sender: object, *, user: User, **_: object) -> None:
    """Delete the feed when a person loses access, because its URL works like a password."""
    delete_feed(user)


def find_reader(token: str) -> User | None:
    """Return the owner of a token, or None if it is unknown or the account is inactive."""
    feeds = CalendarFeed.objects.filter(token_hash=hash_token(token), user__is_active=True).select_related("user")
    feed = feeds.first()
    # The URL must not be a way around the second factor that the person needs for the pages.
    return None if feed is None or is_second_factor_missing(feed.user) else feed.user


def render_calendar(person: User, now: datetime) -> str:
    """Return the deadlines of a person in iCalendar format."""
    calendar = Calendar()
    calendar.add("prodid", "-//Partner portal//Deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", "Partner portal: deadlines")
    calendar.add("refresh-interval", REFRESH_INTERVAL, parameters={"value": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")
    for deadline in list_deadlines(person, now):
        calendar.add_component(_build_event(deadline))
    text: str = calendar.to_ical().decode()
    return text


def _build_event(deadline: CalendarDeadline) -> Event:
    event = Event()
    event.add("uid", f"{deadline.uid}@{urlsplit(settings.SITE_URL).hostname}")
    event.add("sequence", calculate_sequence(deadline))
    # Not the current time: without changes, the feed must have the same bytes, so that conditional requests get a 304.
    event.add("dtstamp", deadline.changed_at.astimezone(UTC))
    event.add("dtstart", deadline.starts_at.astimezone(UTC))
    event.add("dtend", deadline.ends_at.astimezone(UTC))
    event.add("summary", deadline.title)
    event.add("url", deadline.page)
    event.add("description", deadline.page)
    event.add("status", "CANCELLED" if deadline.is_done else "CONFIRMED")
    event.add("transp", "OPAQUE" if deadline.is_busy else "TRANSPARENT")
    return event


def calculate_sequence(deadline: CalendarDeadline) -> int:
    """Return a number that grows with each change, so that a later change overrides a cancellation."""
    return 2 * max(0, int((deadline.changed_at - SEQUENCE_EPOCH).total_seconds())) + deadline.is_done
