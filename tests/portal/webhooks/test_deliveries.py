"""Tests of single deliveries: signature, payload, log, and retention."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from integrations.submissions.services import findings
from portal.webhooks import services
from portal.webhooks.models import WebhookDelivery
from tests.conftest import NOW
from tests.fakes.receiver import Receiver
from tests.portal.webhooks.conftest import send_due_deliveries
from tests.portal.webhooks.messages import CreateEndpoint, State, create_event_message, list_states

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]


def test_message_has_a_valid_signature(endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, bob: Any) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, bob)
    assert send_due_deliveries(timezone.now()) == 1
    (delivery,) = receiver.requests
    event_body = Webhook(endpoint_row.initial_secret.value).verify(delivery.body, delivery.headers)  # type: ignore[attr-defined]
    assert event_body["type"] == "message.sent_to_program"
    assert event_body["data"]["integration"]["uuid"] == str(rocket.uuid)
    assert delivery.headers["webhook-id"] == message.message_id
    with pytest.raises(WebhookVerificationError):
        Webhook(endpoint_row.initial_secret.value).verify(delivery.body + " ", delivery.headers)  # type: ignore[attr-defined]
    assert list_states(endpoint_row) == [State.DELIVERED]


def test_payload_contains_no_user_text(endpoint: CreateEndpoint, rocket: Any, bob: Any) -> None:
    endpoint()
    findings.post_message(rocket, "Between us.", actor=bob, now=NOW)
    assert "Between us" not in WebhookDelivery.objects.get().body


@pytest.mark.every_database
def test_both_valid_secrets_sign_the_message(
    endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    now = timezone.now()
    fresh = services.rotate_secret(
        endpoint_row, actor=alice, now=now, expected_fingerprint=endpoint_row.secret_fingerprint
    )
    create_event_message(rocket, alice, now)
    send_due_deliveries(now)
    delivery = receiver.requests[-1]
    for secret in (fresh.value, endpoint_row.initial_secret.value):  # type: ignore[attr-defined]
        Webhook(secret).verify(delivery.body, delivery.headers)
    WebhookDelivery.objects.all().delete()
    create_event_message(rocket, alice, now + timedelta(hours=25))
    send_due_deliveries(now + timedelta(hours=25))
    assert len(receiver.requests[-1].headers["webhook-signature"].split(" ")) == 1


@pytest.mark.parametrize(
    ("answers", "expected_message"),
    [
        ({"status": 302, "headers": {"Location": "http://127.0.0.1/x"}}, "Redirected with status 302."),
        ({"status": 400}, "The endpoint returned status 400."),
        ({"cut": True}, "sent an invalid response"),
    ],
)
def test_status_other_than_2xx_is_a_failure_with_a_logged_reason(
    endpoint: CreateEndpoint,
    receiver: Receiver,
    rocket: Any,
    alice: Any,
    answers: dict[str, Any],
    expected_message: str,
) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, alice)
    vars(receiver.answers).update(answers)
    send_due_deliveries(NOW)
    assert expected_message in message.attempts.get().response_summary
    assert (list_states(endpoint_row), len(receiver.requests)) == ([State.PENDING], 1)


def test_address_in_the_private_network_is_never_requested(
    endpoint: CreateEndpoint, rocket: Any, alice: Any, settings: Any
) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, alice)
    settings.ALLOW_LOOPBACK_HTTP = False
    send_due_deliveries(NOW)
    assert message.attempts.get().response_summary.startswith(
        "Request blocked: 127.0.0.1 is an address of this machine"
    )
    assert list_states(endpoint_row) == [State.PENDING]


@pytest.mark.every_database
def test_messages_are_kept_for_thirty_days(endpoint: CreateEndpoint, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, alice)
    services.delete_expired_data(NOW + timedelta(days=29))
    assert endpoint_row.deliveries.count() == 1
    services.delete_expired_data(NOW + timedelta(days=31))
    assert endpoint_row.deliveries.count() == 0


@pytest.mark.every_database
def test_logged_response_is_truncated(endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint()
    message = create_event_message(rocket, alice)
    vars(receiver.answers).update(body=b"x" * 100_000, headers={"Set-Cookie": "a=b", "X-Long": "y" * 900})
    send_due_deliveries(NOW)
    attempt = message.attempts.get()
    assert (len(attempt.body), len(attempt.headers["x-long"])) == (2048, 200)
    assert attempt.headers["set-cookie"] == "(not stored)"
    assert json.dumps(attempt.sent_headers).count("whsec_") == 0


@pytest.mark.every_database
def test_deleted_endpoint_has_no_secret(endpoint: CreateEndpoint, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, alice)
    services.remove_endpoint(endpoint_row, actor=alice, now=NOW)
    endpoint_row.refresh_from_db()
    assert (bytes(endpoint_row.url), endpoint_row.secret, list_states(endpoint_row)) == (
        b"",
        None,
        [State.SKIPPED],
    )
