"""Notifications of a person: all of them, or those that are unread."""

from datetime import datetime
from typing import Any

from bs4 import BeautifulSoup

from portal.notifications.models import EmailMessage


def create_notification(person: Any, subject: str, now: datetime, seen_at: datetime | None) -> None:
    EmailMessage.objects.create(
        key=subject,
        name="message",
        to=person.email,
        person=person,
        subject=subject,
        state="sent",
        created_at=now,
        seen_at=seen_at,
    )


def read_page(client: Any, address: str) -> tuple[list[str], list[str]]:
    """Return the texts of the tabs and of the rows."""
    document = BeautifulSoup(client.get(address).content, "html.parser")
    tabs, rows = document.select(".tabs a"), document.select("td.main a")
    return [" ".join(tab.get_text(" ").split()) for tab in tabs], [row.get_text() for row in rows]


def test_unread_notifications_have_their_own_list(sign_in: Any, alice: Any, now: datetime) -> None:
    client = sign_in(alice)
    assert read_page(client, "/notifications/") == ([], [])
    create_notification(alice, "Read", now, now)
    create_notification(alice, "Unread", now, None)
    assert read_page(client, "/notifications/") == (["All 2", "Unread 1"], ["Unread", "Read"])
    assert read_page(client, "/notifications/?tab=unread") == (["All 2", "Unread 1"], ["Unread"])
    client.post("/notifications/read/")
    assert read_page(client, "/notifications/?tab=unread") == (["All 2", "Unread 0"], [])
    assert "No unread notifications" in client.get("/notifications/?tab=unread").text
