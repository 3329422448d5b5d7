"""What does a Slack channel get, and what can people put into it?"""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from portal.audit.services import record
from portal.webhooks import services, slack, tasks
from portal.webhooks.models import Endpoint, EndpointMessage
from tests.conftest import NOW
from tests.fakes.receiver import Receiver
from tests.portal.notifications.test_email_templates import NEWS

pytestmark = pytest.mark.django_db
Make = Callable[..., Endpoint]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("<!channel> hello", "&lt;!channel&gt; hello"),
        ("<@U0123>", "&lt;@\u2060U0123&gt;"),
        ("<https://evil.example|Click>", "&lt;https://evil.example|Click&gt;"),
        ("@here & now", "@\u2060here &amp; now"),
        ("two\nlines\u202e", "two lines"),
        ("x" * 400, "x" * 149 + "…"),
    ],
)
def test_what_people_typed_has_no_meaning(typed: str, shown: str) -> None:
    assert slack.plain(typed) == shown


def test_a_name_cannot_break_out_of_its_link() -> None:
    assert slack.link("https://portal.example/x", "a|b>c") == "<https://portal.example/x|a¦b&gt;c>"


def test_a_message_has_blocks_and_a_text_and_no_signature(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    rocket.name = "<!everyone> Rocket"
    rocket.save()
    endpoint(form="slack", kinds=["issue.breached"])
    with transaction.atomic():
        record(rocket, "issues_breached", by=None, now=NOW, **NEWS)
    assert tasks.send_due(NOW) == 1
    (taken,) = receiver.taken
    told = json.loads(taken.body)
    assert "<!" not in taken.body
    assert told["text"] == "&lt;!everyone&gt; Rocket by Acme: The portal found issues past their due moment: 1"
    assert told["link_names"] is False
    block = told["blocks"][0]["text"]["text"]
    assert f"/integrations/{rocket.uuid}/|&lt;!everyone&gt; Rocket>" in block
    assert "<https://github.com/acme/rocket/issues/7|acme/rocket#7>" in block
    assert "It does not start" not in taken.body
    assert "webhook-signature" not in taken.headers


def test_a_channel_that_is_gone_pauses_the_endpoint(endpoint: Make, receiver: Receiver, alice: Any) -> None:
    made = endpoint(form="slack")
    services.send_test(made, by=alice, now=NOW)
    vars(receiver.answers).update(status=404, body=b"no_service")
    tasks.send_due(NOW)
    made.refresh_from_db()
    assert made.pause == Endpoint.Pause.GONE


def test_slack_that_is_busy_is_asked_later(endpoint: Make, receiver: Receiver, alice: Any) -> None:
    made = endpoint(form="slack")
    services.send_test(made, by=alice, now=NOW)
    vars(receiver.answers).update(status=429, headers={"Retry-After": "120"}, body=b"rate_limited")
    tasks.send_due(NOW)
    assert EndpointMessage.objects.get().due_at >= NOW + timedelta(minutes=2)
    made.refresh_from_db()
    assert made.pause == ""
