"""Meetings: times are proposed, countered, accepted, moved, and canceled, with calendar invitations."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from integrations.reviews.services import claims
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration
from tests.journeys.person import Person

Visit = Callable[..., Person]


def propose(browser: Person, *days: int) -> Person:
    """Propose meetings in this many days, at the present time of day."""
    summary = browser.page.locator("summary", has_text="Propose other times")
    if summary.count():
        summary.click()
    for number, day in enumerate(days, start=1):
        moment = timezone.localtime(timezone.now() + timedelta(days=day))
        browser.write(f"Time {number}", f"{moment:%Y-%m-%dT%H:%M}")
    return browser.press("Propose times")


def download_calendar(browser: Person) -> str:
    with browser.page.expect_download() as file:
        browser.page.get_by_text("Add to calendar").click()
    return str(file.value.path().read_text())


def test_meeting_is_scheduled_moved_and_canceled(
    visit: Visit, find_email: Callable[..., EmailMessage], acme: Partner, alice: Any, rita: Any
) -> None:
    alice.zone = "Europe/Berlin"
    alice.save()
    row = create_integration(acme, alice, now=timezone.now())
    claims.assign_reviewer(row, rita, actor=rita, now=timezone.now())
    address = f"/integrations/{row.uuid}/requirements/NO-7/"
    partner = visit(alice)
    reviewer = visit(rita)
    propose(partner.go(address).sees("Europe/Berlin").write("Location", "https://meet.acme.example/r"), -1)
    propose(partner.sees("Enter a time in the future."), 2, 3)
    expect(partner.page.get_by_role("button", name="Accept time")).to_have_count(0)
    propose(reviewer.go(address).sees("Alice Archer proposed times for Acme"), 5, 6).shot("meeting")
    partner.go(address).sees("Rita Reyes proposed times for the program").press("Accept time")
    partner.sees("Select a time.").page.get_by_role("radio").first.check()
    partner.press("Accept time").sees("Meeting scheduled. All participants receive a calendar invitation by email.")
    first_calendar = download_calendar(partner)
    assert "METHOD:REQUEST" in find_email(rita.email, "meeting_agreed").calendar
    propose(reviewer.go(address), 9).sees("instead of")
    partner.go(address).page.get_by_role("radio").first.check()
    partner.press("Accept time")
    uid, moved_uid = [
        next(li for li in text.splitlines() if li.startswith("UID:"))
        for text in (first_calendar, download_calendar(partner))
    ]
    assert uid == moved_uid
    reviewer.go(address).page.locator("summary", has_text="Cancel meeting").click()
    reviewer.press("Cancel meeting").sees("Enter a reason. We send it to the other side.")
    reviewer.write("Reason", "I am ill.").press("Cancel meeting").sees("Meeting canceled. We notified the other side.")
    email = find_email(alice.email, "meeting_canceled")
    assert ("METHOD:CANCEL" in email.calendar, uid in email.calendar, "I am ill." in email.text) == (True, True, True)
    partner.go(address).sees("The last meeting was canceled.", "Propose times")
