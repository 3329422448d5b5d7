"""Tests of Slack messages and of user text in them."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from portal.audit.services import record_event
from portal.webhooks import services, slack
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from tests.conftest import NOW
from tests.fakes.receiver import Receiver
from tests.portal.notifications.integration_events import ISSUE_DATA
from tests.portal.webhooks.conftest import send_due_deliveries

pytestmark = pytest.mark.django_db
Make = Callable[..., WebhookEndpoint]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!channel> hello", "&lt;!channel&gt; hello"),
        ("<@U0123>", "&lt;@\u2060U0123&gt;"),
        ("<https://evil.example|Click>", "&lt;https://evil.example|Click&gt;"),
        ("@here & now", "@\u2060here &amp; now"),
        ("two\nlines\u202e", "two lines"),
        ("x" * 400, "x" * 149 + "…"),
    ],
)
def test_user_text_has_no_markup_in_slack(text: str, expected: str) -> None:
    assert slack.escape_text(text) == expected


def test_name_cannot_escape_from_its_link() -> None:
    assert slack.build_link("https://portal.example/x", "a|b>c") == "<https://portal.example/x|a¦b&gt;c>"


def test_message_has_blocks_and_a_text_and_no_signature(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    rocket.name = "<!everyone> Rocket"
    rocket.save()
    endpoint(format="slack", event_types=["issue.breached"])
    with transaction.atomic():
        record_event(rocket, "issue.breached", actor=None, now=NOW, **ISSUE_DATA)
    assert send_due_deliveries(NOW) == 1
    (delivery,) = receiver.requests
    data = json.loads(delivery.body)
    assert "<!" not in delivery.body
    assert data["text"] == "&lt;!everyone&gt; Rocket by Acme: The portal reported overdue issues: acme/rocket#7"
    assert data["link_names"] is False
    block = data["blocks"][0]["text"]["text"]
    assert f"/integrations/{rocket.uuid}/|&lt;!everyone&gt; Rocket>" in block
    assert "<https://github.com/acme/rocket/issues/7|acme/rocket#7>" in block
    assert "It does not start" not in delivery.body
    assert "webhook-signature" not in delivery.headers


def test_deleted_channel_pauses_the_endpoint(endpoint: Make, receiver: Receiver, alice: Any) -> None:
    endpoint_row = endpoint(format="slack")
    services.send_test_event(endpoint_row, actor=alice, now=NOW)
    vars(receiver.answers).update(status=404, body=b"no_service")
    send_due_deliveries(NOW)
    endpoint_row.refresh_from_db()
    assert endpoint_row.pause == WebhookEndpoint.Pause.ENDPOINT_GONE


def test_busy_slack_is_retried_later(endpoint: Make, receiver: Receiver, alice: Any) -> None:
    endpoint_row = endpoint(format="slack")
    services.send_test_event(endpoint_row, actor=alice, now=NOW)
    vars(receiver.answers).update(status=429, headers={"Retry-After": "120"}, body=b"rate_limited")
    send_due_deliveries(NOW)
    assert WebhookDelivery.objects.get().due_at >= NOW + timedelta(minutes=2)
    endpoint_row.refresh_from_db()
    assert endpoint_row.pause == ""


def test_long_message_keeps_the_limits_of_slack(endpoint: Make, rocket: Any, acme: Any) -> None:
    acme.name = "<" * 120
    acme.save()
    rocket.name = "@&" * 40
    rocket.save()
    endpoint(format="slack", event_types=["issue.breached"])
    issue = ISSUE_DATA["issues"][0] | {"name": "acme/rocket#7" + "&" * 300, "url": f"https://github.com/{'a' * 300}"}
    with transaction.atomic():
        record_event(rocket, "issue.breached", actor=None, now=NOW, issues=[issue] * 9, count=9)
    text = json.loads(WebhookDelivery.objects.get().body)["blocks"][0]["text"]["text"]
    lines = text.splitlines()
    link_lines = [line for line in lines[2:] if line.startswith("<https://") and ">, due " in line]
    assert (len(text) <= 3000, len(lines) > 2, len(link_lines)) == (True, True, len(lines) - 2)
