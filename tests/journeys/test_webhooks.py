"""Webhooks of a company, notification preferences, and calendar subscriptions."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.utils import timezone
from icalendar import Calendar
from standardwebhooks import Webhook

from integrations.submissions import digests
from integrations.submissions.services import findings
from portal.notifications.models import EmailMessage
from portal.webhooks.models import WebhookEndpoint
from tests.conftest import PASSWORD, create_integration
from tests.fakes.receiver import Receiver
from tests.journeys.person import Person
from tests.portal.webhooks.conftest import send_due_deliveries

Visit = Callable[..., Person]


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.ALLOW_LOOPBACK_HTTP = True
    server = Receiver()
    yield server
    server.stop()


def test_webhook_is_added_paused_after_a_failure_and_resumed(
    visit: Visit, receiver: Receiver, alice: Any, acme: Any
) -> None:
    owner = visit(alice).go("/webhooks/").sees("No webhooks yet").shot("webhooks-none").press("Add webhook")
    owner.write("Name", "Build pipeline").write("URL", "http://10.0.0.1/in").tick("A tier was granted.")
    owner.press("Add webhook").sees("10.0.0.1 is a private address. Use a public host.")
    owner.write("URL", receiver.url).press("Add webhook").sees("Confirm access")
    owner.write("Password", PASSWORD).press("Continue").sees("Copy this secret now")
    secret = owner.page.locator("code", has_text="whsec_").inner_text()
    owner.shot("webhook-new").press("Send test event").sees("Test event queued.")
    send_due_deliveries()
    event_body = Webhook(secret).verify(receiver.requests[-1].body, receiver.requests[-1].headers)
    assert event_body["type"] == "portal.test"
    owner.go(owner.page.url).sees("Delivered", "Working").never_receives(secret)
    log_url = owner.page.url
    receiver.answers.status = 410
    owner.press("Send test event")
    send_due_deliveries()
    owner.go(owner.page.url).sees("Paused", "The endpoint returned 410 Gone.").shot("webhook-paused")
    receiver.answers.status = 200
    owner.press("Resume and send pending deliveries").sees("1 delivery pending.")
    send_due_deliveries(timezone.now() + timedelta(minutes=2))
    owner.go(owner.page.url).page.get_by_role("link", name="portal.test").first.click()
    owner.wait_for_page().sees("Attempt 2", "The endpoint returned 410 Gone.", "Delivered with status 200.").shot(
        "webhook-message"
    )
    owner.press("Replay delivery").sees("Delivery queued again with the same webhook-id.")
    send_due_deliveries()
    ids = [delivery.headers["webhook-id"] for delivery in receiver.requests]
    assert (len(ids), len(set(ids))) == (4, 2)
    owner.go(log_url).choose("Event", "portal.test").press("Apply filters").sees("Deliveries, newest first")
    owner.press("Pending").sees("No matching deliveries").sees_value("Event", "portal.test").shot("webhook-log-empty")
    assert sorted(parse_qsl(urlsplit(owner.page.url).query)) == [("event_type", "portal.test"), ("state", "pending")]
    owner.press("Show all deliveries").sees("Deliveries, newest first").sees_value("Event", "")


def test_partner_selects_and_stops_a_digest_and_subscribes_to_a_calendar(
    visit: Visit, alice: Any, acme: Any, rita: Any
) -> None:
    reader = visit(alice).go("/notifications/").press("Preferences")
    reader.sees("Required notifications", "Decisions").choose("Messages", "Daily digest email").press(
        "Save preferences"
    )
    reader.sees("Preferences saved.").shot("choices")
    row = create_integration(acme, alice)
    findings.post_message(row, "Hello.", actor=rita, now=timezone.now())
    assert digests.send_due(timezone.now() + timedelta(days=2)) == 1
    email = EmailMessage.objects.get(name="digest")
    unsubscribe_link = re.search(r"Unsubscribe from [^:]+: \S+?(/notifications/stop/\S+)", email.text)
    assert unsubscribe_link
    visit().go(unsubscribe_link[1]).sees("Unsubscribe from these emails?").press("Unsubscribe").sees(
        "You are unsubscribed"
    )
    reader.go("/notifications/preferences/")
    assert reader.page.get_by_label("Messages").input_value() == "portal"
    reader.press("Create calendar URL").write("Password", PASSWORD).press("Continue").sees("Copy the calendar URL now")
    url = reader.page.locator("code", has_text=".ics").inner_text()
    response = reader.page.request.get(url)
    assert Calendar.from_ical(response.text())["x-wr-calname"] == "Partner portal: deadlines"
    reader.open_dialog("Delete calendar URL").press("Delete calendar URL").sees("Calendar URL deleted.")
    assert reader.page.request.get(url).status == 404


def test_webhooks_fit_a_phone_and_work_without_scripts(visit: Visit, receiver: Receiver, alice: Any, acme: Any) -> None:
    phone = visit(alice, phone=True, javascript=False).go("/webhooks/new/acme/")
    phone.write("Name", "Channel").write("URL", receiver.url).tick("Slack message").tick("A tier was granted.")
    phone.press("Add webhook").write("Password", PASSWORD).press("Continue")
    phone.sees("Webhook added").press("Pause webhook").sees("Webhook paused.")
    phone.go("/webhooks/new/acme/").write("Name", "Build pipeline").write("URL", receiver.url)
    phone.tick("A tier was granted.").press("Add webhook").sees("Copy this secret now")
    phone.go(phone.page.url).does_not_see("Copy this secret now")
    assert WebhookEndpoint.objects.filter(name="Build pipeline").count() == 1
    for path in (phone.page.url, "/webhooks/", "/webhooks/event-types/", "/notifications/preferences/"):
        assert phone.go(path).page.evaluate("document.documentElement.scrollWidth") <= 375
