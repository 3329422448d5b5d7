"""How does a calendar subscribe to a person's deadlines? By a secret address; the same facts give the same text."""

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from icalendar import Calendar, Event

from portal.accounts.second_factor import is_second_factor_missing
from portal.core.crypto import token_hash
from portal.notifications.deadlines import Deadline, deadlines_of
from portal.notifications.models.preferences import CalendarFeed

TOKEN_BYTES = 32
REFRESH = timedelta(hours=1)
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)  # so that the numbers stay below those that calendars read


def make(person: Any, now: datetime) -> str:
    """A new address; whoever holds an older one reads nothing from now on."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    kept = {"token_hash": token_hash(token), "made_at": now}
    CalendarFeed.objects.update_or_create(user=person, defaults=kept)
    return settings.SITE_URL + reverse("calendar_feed", args=[token])


def end(person: Any) -> None:
    CalendarFeed.objects.filter(user=person).delete()


def revoke(sender: Any, *, user: Any, **_: Any) -> None:
    """Receive the end of a person's access: the address is as good as a password for what it shows."""
    end(user)


def reader_of(token: str) -> Any | None:
    """Return whose deadlines a token opens; None for a token that is unknown or must not be used now."""
    found = CalendarFeed.objects.filter(token_hash=token_hash(token), user__is_active=True).select_related("user")
    feed = found.first()
    return None if feed is None or is_second_factor_missing(feed.user) else feed.user


def text_of(person: Any, now: datetime) -> str:
    """The .ics text of a person's deadlines."""
    calendar = Calendar()
    calendar.add("prodid", "-//Partner portal//Deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", "Partner portal: deadlines")
    calendar.add("refresh-interval", REFRESH, parameters={"value": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")
    for each in deadlines_of(person, now):
        calendar.add_component(_entry(each))
    text: str = calendar.to_ical().decode()
    return text


def _entry(each: Deadline) -> Event:
    event = Event()
    event.add("uid", f"{each.uid}@{urlsplit(settings.SITE_URL).hostname}")
    event.add("sequence", sequence(each))
    event.add("dtstamp", each.changed.astimezone(UTC))
    event.add("dtstart", each.begins.astimezone(UTC))
    event.add("dtend", each.ends.astimezone(UTC))
    event.add("summary", each.title)
    event.add("url", each.page)
    event.add("description", each.page)
    event.add("status", "CANCELLED" if each.done else "TENTATIVE" if each.tentative else "CONFIRMED")
    event.add("transp", "OPAQUE" if each.busy else "TRANSPARENT")
    return event


def sequence(each: Deadline) -> int:
    """A number that grows with each change: what was cancelled and is due again is later than its cancellation."""
    return 2 * max(0, int((each.changed - BEGINNING).total_seconds())) + each.done


def etag_of(text: str) -> str:
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
