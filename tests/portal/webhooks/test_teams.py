"""Tests of Microsoft Teams messages and of user text in them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse

from portal.audit.services import record_event
from portal.webhooks import services, teams
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from tests.conftest import NOW
from tests.fakes.receiver import Receiver
from tests.portal.notifications.integration_events import ISSUE_DATA
from tests.portal.webhooks.conftest import send_due_deliveries
from tests.portal.webhooks.test_pages import FORM_DATA

pytestmark = pytest.mark.django_db
Make = Callable[..., WebhookEndpoint]
WORKFLOW = (
    "https://default0.e1.environment.api.powerplatform.com:443/workflows/a/triggers/manual/run?sig=verysecretpart"
)


def read_runs(body: str) -> list[list[dict[str, Any]]]:
    (attachment,) = json.loads(body)["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert (attachment["content"]["type"], attachment["content"]["version"]) == ("AdaptiveCard", "1.4")
    return [block["inlines"] for block in attachment["content"]["body"] if block["type"] == "RichTextBlock"]


def read_lines(body: str) -> list[str]:
    return ["".join(run["text"] for run in runs) for runs in read_runs(body)]


def test_message_is_a_card_of_literal_text_without_a_signature(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    rocket.name = "<at>Everyone</at> [Rocket](https://evil.example)"
    rocket.save()
    endpoint(format="teams", event_types=["issue.breached"])
    with transaction.atomic():
        record_event(rocket, "issue.breached", actor=None, now=NOW, **ISSUE_DATA)
    assert send_due_deliveries(NOW) == 1
    (delivery,) = receiver.requests
    lines = read_lines(delivery.body)
    assert lines[:2] == [
        "The portal reported overdue issues: acme/rocket#7",
        "<at>Everyone</at> [Rocket](https://evil.example) by Acme",
    ]
    assert lines[2].startswith("acme/rocket#7, due ")
    assert lines[3].startswith("issue.breached · ")
    urls = [run["selectAction"]["url"] for runs in read_runs(delivery.body) for run in runs if "selectAction" in run]
    assert [url.rpartition("/integrations/")[2] or url for url in urls] == [
        f"{rocket.uuid}/",
        "https://github.com/acme/rocket/issues/7",
    ]
    assert "msteams" not in delivery.body  # mentions need entities
    assert "webhook-signature" not in delivery.headers


def test_test_event_is_delivered(endpoint: Make, receiver: Receiver, alice: Any) -> None:
    services.send_test_event(endpoint(format="teams"), actor=alice, now=NOW)
    vars(receiver.answers).update(status=202)
    send_due_deliveries(NOW)
    assert WebhookDelivery.objects.get().state == WebhookDelivery.State.DELIVERED
    assert read_lines(receiver.requests[0].body)[-1] == "portal.test"


def test_deleted_workflow_pauses_the_endpoint(endpoint: Make, receiver: Receiver, alice: Any) -> None:
    endpoint_row = endpoint(format="teams")
    services.send_test_event(endpoint_row, actor=alice, now=NOW)
    vars(receiver.answers).update(status=404, body=b'{"error":{"code":"WorkflowNotFound"}}')
    send_due_deliveries(NOW)
    endpoint_row.refresh_from_db()
    assert endpoint_row.pause == WebhookEndpoint.Pause.ENDPOINT_GONE


@pytest.mark.parametrize(
    ("host", "is_accepted"),
    [
        ("prod-12.westeurope.logic.azure.com", True),
        ("default0.e1.environment.api.powerplatform.com", True),
        ("DEFAULT0.environment.API.powerplatform.com", True),
        ("logic.azure.com.evil.example", False),
        ("evillogic.azure.com", False),
        ("acme.webhook.office.com", False),
        ("", False),
    ],
)
def test_host_is_one_of_workflows(host: str, is_accepted: bool) -> None:
    assert teams.is_teams_host(host) == is_accepted


def test_page_accepts_workflow_urls_only_and_hides_them(sign_in: Any, alice: Any, acme: Any) -> None:
    client = sign_in(alice)
    address = reverse("webhooks:create", args=["acme"])
    refused = client.post(address, FORM_DATA | {"format": "teams"})
    assert (refused.status_code, WebhookEndpoint.objects.count()) == (422, 0)
    assert teams.build_host_message() in refused.text
    client.post(address, FORM_DATA | {"format": "teams", "url": WORKFLOW})
    row = WebhookEndpoint.objects.get()
    assert (row.format, row.secret) == ("teams", None)
    assert "verysecret" not in client.get(reverse("webhooks:detail", args=[row.uuid])).text
    changed = client.post(reverse("webhooks:edit", args=[row.uuid]), FORM_DATA)
    assert (changed.status_code, teams.build_host_message() in changed.text) == (422, True)
