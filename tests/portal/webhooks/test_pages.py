"""Tests of the webhook pages and their permissions."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from django.utils import timezone

from integrations.submissions.services import findings
from portal.webhooks import services
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from tests.conftest import NOW
from tests.fakes.receiver import Receiver
from tests.portal.webhooks.conftest import send_due_deliveries

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]
Make = Callable[..., WebhookEndpoint]
FORM_DATA = {
    "format": "webhook",
    "name": "Build",
    "url": "https://hooks.acme.com/in",
    "event_types": ["integration.listed"],
    "program_key": "",
}


def read_page(client: Any, name: str, *args: Any, **query: Any) -> str:
    answer = client.get(reverse(name, args=args), query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_new_webhook_shows_its_secret_once(sign_in: Any, alice: Any, acme: Any) -> None:
    client = sign_in(alice)
    created = client.post(reverse("webhooks:create", args=["acme"]), FORM_DATA)
    row = WebhookEndpoint.objects.get()
    assert (created.status_code, created["Location"]) == (302, reverse("webhooks:detail", args=[row.uuid]))
    (secret,) = row.list_signing_secrets(NOW)
    pages = [client.get(created["Location"]) for _ in range(2)]
    assert [secret.value in page.content.decode() for page in pages] == [True, False]
    assert pages[0]["Cache-Control"] == "private, no-store"
    assert row.decrypt("url").value == FORM_DATA["url"]
    assert "added the webhook “Build”" in read_page(client, "partners:members", "acme")


@pytest.mark.parametrize(
    ("url", "expected_error"),
    [
        ("http://hooks.acme.com/in", "Use https."),
        ("https://127.0.0.1/in", "an address of this machine"),
        ("https://169.254.169.254/latest", "a link-local address"),
        ("https://localhost/in", "not a public host name"),
        ("https://user:pw@acme.com/", "is not a valid URL"),
        ("ftp://acme.com/", "is not a valid URL"),
    ],
)
def test_invalid_url_is_shown_as_field_error(
    sign_in: Any, alice: Any, acme: Any, url: str, expected_error: str
) -> None:
    answer = sign_in(alice).post(reverse("webhooks:create", args=["acme"]), FORM_DATA | {"url": url})
    assert answer.status_code == 422
    assert expected_error in answer.content.decode()
    assert WebhookEndpoint.objects.count() == 0


def test_new_webhook_is_restored_with_all_events_after_sign_in(
    client: Any, sign_in: Any, alice: Any, acme: Any
) -> None:
    url = reverse("webhooks:create", args=["acme"])
    event_types = ["integration.listed", "review.requested"]
    client.post(url, FORM_DATA | {"event_types": event_types})
    answer = sign_in(alice).get(url)
    assert (answer.status_code, answer.context["form"]["event_types"].value()) == (200, event_types)


def test_change_of_webhook_is_saved_after_sign_in(client: Any, sign_in: Any, alice: Any, endpoint: Make) -> None:
    row = endpoint(event_types=["integration.listed"])
    url = reverse("webhooks:edit", args=[row.uuid])
    seen = {"name": row.name, "event_types": row.event_types, "program_key": ""}
    initial = {f"initial-{name}": value for name, value in seen.items()}
    client.post(url, seen | initial | {"name": "Renamed"})
    restored = sign_in(alice).get(url)
    form = restored.context["form"]
    assert (restored.status_code, form["name"].value(), form.changed_data) == (200, "Renamed", ["name"])
    assert f'name="initial-name" value="{row.name}"' in restored.text


def test_slack_url_is_never_shown_completely(sign_in: Any, alice: Any, acme: Any) -> None:
    client = sign_in(alice)
    address = "https://hooks.slack.com/services/T01/B02/verysecretpart"
    client.post(reverse("webhooks:create", args=["acme"]), FORM_DATA | {"format": "slack", "url": address})
    row = WebhookEndpoint.objects.get()
    assert row.secret is None
    for page_text in (
        read_page(client, "webhooks:detail", row.uuid),
        read_page(client, "webhooks:list"),
        read_page(client, "partners:members", "acme"),
    ):
        assert "verysecret" not in page_text


def test_log_has_pages_and_filters(sign_in: Any, endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    row = endpoint()
    for _ in range(30):
        findings.post_message(rocket, "Hello.", actor=alice, now=NOW)
    WebhookDelivery.objects.filter(pk=WebhookDelivery.objects.latest("pk").pk).update(state="failed")
    client = sign_in(alice)
    assert read_page(client, "webhooks:detail", row.uuid).count('<td class="main">') == 25
    assert read_page(client, "webhooks:detail", row.uuid, page="2").count('<td class="main">') == 5
    assert read_page(client, "webhooks:detail", row.uuid, state="failed").count('<td class="main">') == 1
    assert "No matching deliveries" in read_page(client, "webhooks:detail", row.uuid, state="delivered")
    assert read_page(client, "webhooks:detail", row.uuid, event_type="issue.breached").count('<td class="main">') == 0
    # Like an unknown event type, because partners must not learn which internal ones exist.
    page_text = read_page(client, "webhooks:detail", row.uuid, event_type="program.email_delivery_failed")
    assert page_text.count('<td class="main">') == 25
    page_text = read_page(client, "webhooks:detail", row.uuid, event_type="message.sent_to_partner")
    assert "<option selected>message.sent_to_partner</option>" in page_text
    assert 'href="?state=failed&amp;event_type=message.sent_to_partner#log"' in page_text


def test_program_staff_see_who_manages_webhooks_of_the_program(sign_in: Any, rita: Any) -> None:
    assert "Program staff manage the webhooks of the program." in read_page(sign_in(rita), "webhooks:list")


def test_message_page_shows_request_and_response_as_text(
    sign_in: Any, endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    row = endpoint()
    findings.post_message(rocket, "Hello.", actor=alice, now=NOW)
    vars(receiver.answers).update(status=500, body=b"<script>alert(1)</script>")
    send_due_deliveries(NOW)
    page_text = read_page(sign_in(alice), "webhooks:delivery", row.uuid, WebhookDelivery.objects.get().uuid)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page_text
    assert "<script>alert" not in page_text
    assert "webhook-signature: v1," in page_text


def test_buttons_perform_their_actions(
    sign_in: Any, endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    row = endpoint()
    client = sign_in(alice)

    def press(act: str, **fields: str) -> str:
        answer = client.post(reverse("webhooks:action", args=[row.uuid, act]), fields, follow=True)
        return str(answer.content.decode())

    assert "Test event queued" in press("test")
    assert "Webhook paused" in press("pause")
    assert "1 delivery pending." in press("resume")
    since = f"{timezone.now() - timedelta(hours=1):%Y-%m-%dT%H:%M}"
    assert "0 deliveries queued again." in press("replay", since=since)
    message = WebhookDelivery.objects.get()
    send_due_deliveries()
    client.post(reverse("webhooks:delivery", args=[row.uuid, message.uuid]))
    message.refresh_from_db()
    assert message.state == "pending"
    refused = client.post(reverse("webhooks:remove", args=[row.uuid]), {"confirm_name": "Build"})
    assert (refused.status_code, "Enter the name “Build pipeline” to confirm." in refused.content.decode()) == (
        422,
        True,
    )
    client.post(reverse("webhooks:remove", args=[row.uuid]), {"confirm_name": row.name})
    assert client.get(reverse("webhooks:detail", args=[row.uuid])).status_code == 404


def test_replay_of_deliveries_that_are_no_longer_stored_is_refused_at_the_field(
    sign_in: Any, endpoint: Make, alice: Any
) -> None:
    since = f"{timezone.now() - timedelta(days=40):%Y-%m-%dT%H:%M}"
    answer = sign_in(alice).post(reverse("webhooks:action", args=[endpoint().uuid, "replay"]), {"since": since})
    page = BeautifulSoup(answer.content, "html.parser")
    assert page.select("#id_since_error")[0].text.strip() == "Deliveries are stored for 30 days. Enter a later time."
    assert (answer.status_code, page.select("#id_since")[0]["value"]) == (422, since)


def test_rotating_the_secret_twice_creates_one_secret(sign_in: Any, endpoint: Make, alice: Any) -> None:
    row = endpoint()
    client = sign_in(alice)
    first = client.get(reverse("webhooks:detail", args=[row.uuid])).context["endpoint"].secret_fingerprint
    rotated = client.post(reverse("webhooks:rotate_secret", args=[row.uuid]), {"seen": first})
    pages = [client.get(rotated["Location"]).content.decode() for _ in range(2)]
    assert ["whsec_" in page for page in pages] == [True, False]
    again = client.post(
        reverse("webhooks:rotate_secret", args=[row.uuid]), {"seen": first}, follow=True
    ).content.decode()
    assert "The secret was rotated after you opened this page" in again


@pytest.mark.parametrize("who", ["bob", "charlie", "rita", "sam"])
def test_endpoint_is_visible_to_its_owners_only(sign_in: Any, endpoint: Make, who: str, request: Any) -> None:
    row = endpoint()
    client = sign_in(request.getfixturevalue(who))
    for name in ("webhooks:detail", "webhooks:edit", "webhooks:remove", "webhooks:rotate_secret"):
        assert client.get(reverse(name, args=[row.uuid])).status_code == 404
    assert "Build pipeline" not in read_page(client, "webhooks:list")


def test_change_without_a_url_keeps_the_old_one(sign_in: Any, endpoint: Make, alice: Any) -> None:
    row = endpoint()
    before = row.decrypt("url").value
    form_data = {"name": "Other", "url": "", "event_types": ["tier.granted"], "program_key": "nomad"}
    sign_in(alice).post(reverse("webhooks:edit", args=[row.uuid]), form_data)
    row.refresh_from_db()
    assert (row.name, row.event_types, row.program_key) == ("Other", ["tier.granted"], "nomad")
    assert row.decrypt("url").value == before


def test_edit_retains_fields_that_a_colleague_changed(sign_in: Any, endpoint: Make, alice: Any, acme: Any) -> None:
    row = endpoint(event_types=["tier.granted"])
    client = sign_in(alice)
    url = reverse("webhooks:edit", args=[row.uuid])
    seen = {"name": "Build pipeline", "event_types": ["tier.granted"], "program_key": "", "url": ""}
    assert [name for name in seen if f'name="initial-{name}"' not in client.get(url).content.decode()] == []
    changes = {"event_types": ["integration.listed"], "program_key": "nomad"}
    services.change_endpoint(row, changes, actor=alice, now=NOW)
    client.post(url, seen | {"name": "Renamed"} | {f"initial-{name}": value for name, value in seen.items()})
    row.refresh_from_db()
    assert (row.name, row.event_types, row.program_key) == ("Renamed", ["integration.listed"], "nomad")


def test_edit_without_a_change_records_nothing(sign_in: Any, endpoint: Make, alice: Any, acme: Any) -> None:
    row = endpoint(event_types=["tier.granted"])
    client = sign_in(alice)
    seen = {"name": "Build pipeline", "event_types": ["tier.granted"], "program_key": "", "url": ""}
    form_data = seen | {f"initial-{name}": value for name, value in seen.items()}
    client.post(reverse("webhooks:edit", args=[row.uuid]), form_data)
    assert acme.events.last().event_type == "webhook.created"


def test_partner_sees_event_types_for_partners_only(sign_in: Any, alice: Any) -> None:
    page_text = read_page(sign_in(alice), "webhooks:event_types")
    assert "integration.listed" in page_text
    assert "program.action_overdue" not in page_text


def test_log_updates_until_the_due_delivery_is_sent(
    sign_in: Any, alice: Any, endpoint: Make, receiver: Receiver
) -> None:
    row = endpoint()
    url = reverse("webhooks:detail", args=[row.uuid])
    client = sign_in(alice)
    client.post(reverse("webhooks:action", args=[row.uuid, "test"]))
    htmx = {"HX-Request": "true"}
    pages = [client.get(url), client.get(url, headers=htmx)]
    send_due_deliveries(timezone.now())
    pages.append(client.get(url, headers=htmx))
    request = f'hx-get="{url}" hx-trigger="every 2s"'
    assert [(request in page.text, "Delivered" in page.text, "<html" in page.text) for page in pages] == [
        (True, True, True),
        (True, False, False),
        (False, True, False),
    ]


@pytest.mark.parametrize("page", ["detail", "delivery"])
def test_page_is_restored_as_a_whole(sign_in: Any, alice: Any, endpoint: Make, page: str) -> None:
    row = endpoint()
    services.send_test_event(row, actor=alice, now=NOW)
    arguments = [row.uuid] if page == "detail" else [row.uuid, WebhookDelivery.objects.get().uuid]
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    response = sign_in(alice).get(reverse(f"webhooks:{page}", args=arguments), headers=headers)
    assert ("<html" in response.text, "hx-swap-oob" in response.text) == (True, False)


def test_delivery_page_updates_until_the_delivery_is_sent(
    sign_in: Any, alice: Any, endpoint: Make, receiver: Receiver
) -> None:
    row = endpoint()
    services.send_test_event(row, actor=alice, now=NOW)
    url = reverse("webhooks:delivery", args=[row.uuid, WebhookDelivery.objects.get().uuid])
    client = sign_in(alice)
    htmx = {"HX-Request": "true"}
    pages = [client.get(url), client.get(url, headers=htmx)]
    send_due_deliveries(timezone.now())
    pages.append(client.get(url, headers=htmx))
    request = f'hx-get="{url}" hx-trigger="every 2s"'
    texts = (request, "Replay delivery", "Attempt 1", "<html", 'hx-swap-oob="true"')
    assert [[text in page.text for text in texts] for page in pages] == [
        [True, False, False, True, False],
        [True, False, False, False, True],
        [False, True, True, False, True],
    ]
