"""What do the pages of webhooks show, and to whom?"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from integrations.submissions.services import findings
from portal.core.crypto import unseal
from portal.webhooks import secrets as sealing
from portal.webhooks import tasks
from portal.webhooks.models import Endpoint, EndpointMessage
from tests.conftest import NOW
from tests.fakes.receiver import Receiver

pytestmark = pytest.mark.django_db
Make = Callable[..., Endpoint]
FILLED = {
    "form": "webhook", "name": "Build", "address": "https://hooks.acme.com/in", "kinds": ["integration.listed"],
    "program_key": "",
}  # fmt: skip


def page(client: Any, name: str, *args: Any, **query: Any) -> str:
    answer = client.get(reverse(name, args=args), query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_new_webhook_shows_its_secret_once(sign_in: Any, alice: Any, acme: Any) -> None:
    client = sign_in(alice)
    answer = client.post(reverse("webhook_new", args=["acme"]), FILLED)
    row = Endpoint.objects.get()
    (secret,) = sealing.secrets(row, NOW)
    assert secret.value in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    assert secret.value not in page(client, "webhook", row.uuid)
    assert unseal(bytes(row.address), sealing.place(row, "address")).value == FILLED["address"]
    assert "added the webhook “Build”" in page(client, "company", "acme")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://hooks.acme.com/in", "only https is read"),
        ("https://127.0.0.1/in", "an address of this machine"),
        ("https://169.254.169.254/latest", "a link-local address"),
        ("https://localhost/in", "not the name of a public host"),
        ("https://user:pw@acme.com/", "is not of the form"),
        ("ftp://acme.com/", "is not of the form"),
    ],
)
def test_an_address_that_cannot_be_is_said_beside_the_field(
    sign_in: Any, alice: Any, acme: Any, address: str, said: str
) -> None:
    answer = sign_in(alice).post(reverse("webhook_new", args=["acme"]), FILLED | {"address": address})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert Endpoint.objects.count() == 0


def test_a_slack_address_is_never_shown_whole(sign_in: Any, alice: Any, acme: Any) -> None:
    client = sign_in(alice)
    address = "https://hooks.slack.com/services/T01/B02/verysecretpart"
    client.post(reverse("webhook_new", args=["acme"]), FILLED | {"form": "slack", "address": address})
    row = Endpoint.objects.get()
    assert row.secret is None
    for shown in (page(client, "webhook", row.uuid), page(client, "webhooks"), page(client, "company", "acme")):
        assert "verysecret" not in shown


def test_the_log_has_pages_and_filters(
    sign_in: Any, endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    row = endpoint()
    for _ in range(30):
        findings.say(rocket, "Hello.", by=alice, now=NOW)
    EndpointMessage.objects.filter(pk=EndpointMessage.objects.latest("pk").pk).update(state="failed")
    client = sign_in(alice)
    assert page(client, "webhook", row.uuid).count('<td class="main">') == 25
    assert page(client, "webhook", row.uuid, page="2").count('<td class="main">') == 5
    assert page(client, "webhook", row.uuid, state="failed").count('<td class="main">') == 1
    assert "No message like this" in page(client, "webhook", row.uuid, state="delivered")
    assert page(client, "webhook", row.uuid, kind="issue.breached").count('<td class="main">') == 0
    narrowed = page(client, "webhook", row.uuid, kind="message.written")
    assert "<option selected>message.written</option>" in narrowed
    assert 'href="?state=failed&amp;kind=message.written#log"' in narrowed


def test_people_of_the_program_are_told_who_looks_after_its_own(sign_in: Any, rita: Any) -> None:
    assert "The program’s own are looked after by its staff." in page(sign_in(rita), "webhooks")


def test_a_message_shows_request_and_answer_as_text(
    sign_in: Any, endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    row = endpoint()
    findings.say(rocket, "Hello.", by=alice, now=NOW)
    vars(receiver.answers).update(status=500, body=b"<script>alert(1)</script>")
    tasks.send_due(NOW)
    shown = page(sign_in(alice), "webhook_message", row.uuid, EndpointMessage.objects.get().uuid)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "<script>alert" not in shown
    assert "webhook-signature: v1," in shown


def test_the_buttons_do_what_they_say(
    sign_in: Any, endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    row, client = endpoint(), sign_in(alice)

    def press(act: str, **fields: str) -> str:
        answer = client.post(reverse("webhook_act", args=[row.uuid, act]), fields, follow=True)
        return str(answer.content.decode())

    assert "A test event is on its way" in press("test")
    assert "is paused" in press("pause")
    assert "messages that waited: 1" in press("resume")
    since = f"{timezone.now() - timedelta(hours=1):%Y-%m-%dT%H:%M}"
    assert "Messages sent again: 0" in press("replay", since=since)
    message = EndpointMessage.objects.get()
    tasks.send_due()
    client.post(reverse("webhook_message", args=[row.uuid, message.uuid]))
    message.refresh_from_db()
    assert message.state == "waiting"
    client.post(reverse("webhook_end", args=[row.uuid]))
    assert client.get(reverse("webhook", args=[row.uuid])).status_code == 404


def test_pressed_twice_a_new_secret_is_made_once(sign_in: Any, endpoint: Make, alice: Any) -> None:
    row, client = endpoint(), sign_in(alice)
    first = client.get(reverse("webhook", args=[row.uuid])).context["seen"]
    assert "whsec_" in client.post(reverse("webhook_secret", args=[row.uuid]), {"seen": first}).content.decode()
    again = client.post(reverse("webhook_secret", args=[row.uuid]), {"seen": first}, follow=True).content.decode()
    assert "A secret has been made since this page was shown" in again


@pytest.mark.parametrize("who", ["bob", "charlie", "rita", "sam"])
def test_an_endpoint_is_there_for_its_owners_alone(sign_in: Any, endpoint: Make, who: str, request: Any) -> None:
    row = endpoint()
    client = sign_in(request.getfixturevalue(who))
    for name in ("webhook", "webhook_change", "webhook_end", "webhook_secret"):
        assert client.get(reverse(name, args=[row.uuid])).status_code == 404
    assert "Build pipeline" not in page(client, "webhooks")


def test_a_change_keeps_the_address_where_none_is_typed(sign_in: Any, endpoint: Make, alice: Any) -> None:
    row = endpoint()
    before = sealing.address(row).value
    changed = {"name": "Other", "address": "", "kinds": ["tier.granted"], "program_key": "nomad"}
    sign_in(alice).post(reverse("webhook_change", args=[row.uuid]), changed)
    row.refresh_from_db()
    assert (row.name, row.kinds, row.program_key) == ("Other", ["tier.granted"], "nomad")
    assert sealing.address(row).value == before


def test_every_kind_has_an_example_of_its_shape(sign_in: Any, alice: Any) -> None:
    shown = page(sign_in(alice), "webhook_kinds")
    assert "integration.listed" in shown
    assert "office.turn_overdue" not in shown
