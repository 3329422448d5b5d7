"""Tests of retries, replays, and paused endpoints."""

from datetime import timedelta
from typing import Any

import pytest

from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from portal.webhooks import retry_policy, services
from portal.webhooks.delivery_results import save_outcomes
from portal.webhooks.http_delivery import DeliveryOutcome
from portal.webhooks.models import WebhookDelivery, WebhookDeliveryAttempt, WebhookEndpoint
from tests.conftest import NOW
from tests.fakes.receiver import Receiver
from tests.portal.webhooks.conftest import send_due_deliveries
from tests.portal.webhooks.messages import CreateEndpoint, State, create_event_message, list_states

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]


@pytest.mark.every_database
def test_failure_is_retried_by_the_schedule_and_then_final(
    endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint_row = endpoint()
    now = NOW
    message = create_event_message(rocket, alice)
    receiver.answers.status = 500
    moments = []
    for _ in range(len(retry_policy.RETRY_DELAYS_SECONDS) + 1):
        assert send_due_deliveries(now) == 1
        message.refresh_from_db()
        moments.append(message.due_at)
        assert send_due_deliveries(message.due_at - timedelta(seconds=1)) == 0
        now = message.due_at + timedelta(seconds=1)
    assert list_states(endpoint_row) == [State.FAILED]
    assert timedelta(days=2.9) < moments[-2] - NOW < timedelta(days=3.5)
    assert len({delivery.headers["webhook-id"] for delivery in receiver.requests}) == 1
    assert [attempt.status for attempt in message.attempts.all()] == [500] * 11


def test_retry_after_is_honored(endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint()
    message = create_event_message(rocket, alice)
    vars(receiver.answers).update(status=429, headers={"Retry-After": "7200"})
    send_due_deliveries(NOW)
    message.refresh_from_db()
    assert message.due_at >= NOW + timedelta(hours=2)


@pytest.mark.every_database
def test_status_410_pauses_the_endpoint_and_notifies_the_owner(
    endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any, bob: Any
) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, bob)
    receiver.answers.status = 410
    send_due_deliveries(NOW)
    endpoint_row.refresh_from_db()
    assert endpoint_row.pause == WebhookEndpoint.Pause.ENDPOINT_GONE
    assert [mail.to for mail in EmailMessage.objects.filter(name="webhook_paused")] == [alice.email]
    create_event_message(rocket, bob, NOW + timedelta(minutes=1))
    assert send_due_deliveries(NOW + timedelta(days=1)) == 0
    receiver.answers.status = 200
    assert services.resume_endpoint(endpoint_row, actor=alice, now=NOW + timedelta(days=1)) == 2
    assert send_due_deliveries(NOW + timedelta(days=1)) == 2


def test_endpoint_that_was_removed_during_a_request_is_not_paused(
    endpoint: CreateEndpoint, rocket: Any, alice: Any, bob: Any
) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, bob)
    delivery = endpoint_row.deliveries.get()
    services.remove_endpoint(endpoint_row, actor=alice, now=NOW)
    attempt = WebhookDeliveryAttempt(delivery=delivery, at=NOW, seconds=1, status=410)
    save_outcomes(endpoint_row.pk, [DeliveryOutcome(attempt, is_endpoint_gone=True)])
    endpoint_row.refresh_from_db()
    assert (endpoint_row.pause, EmailMessage.objects.filter(name="webhook_paused").count()) == ("", 0)


def test_delivery_that_was_deleted_during_its_request_is_left_out(
    endpoint: CreateEndpoint, rocket: Any, bob: Any
) -> None:
    endpoint_row = endpoint()
    messages = [create_event_message(rocket, bob) for _ in range(2)]
    attempts = [WebhookDeliveryAttempt(delivery=each, at=NOW, seconds=1, status=200) for each in messages]
    WebhookDelivery.objects.filter(pk=messages[0].pk).delete()
    save_outcomes(endpoint_row.pk, [DeliveryOutcome(attempt) for attempt in attempts])
    assert list_states(endpoint_row) == [State.DELIVERED]


@pytest.mark.every_database
def test_waiting_messages_can_be_skipped(endpoint: CreateEndpoint, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    services.pause_endpoint(endpoint_row, actor=alice, now=NOW)
    create_event_message(rocket, alice)
    assert services.resume_endpoint(endpoint_row, actor=alice, now=NOW, skip=True) == 1
    assert list_states(endpoint_row) == [State.SKIPPED]


def test_webhook_that_a_colleague_resumed_skips_nothing(endpoint: CreateEndpoint, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, alice)
    with pytest.raises(ActionRefused, match="isn't paused") as refusal:
        services.resume_endpoint(endpoint_row, actor=alice, now=NOW, skip=True)
    assert (refusal.value.kind, list_states(endpoint_row)) == ("conflict", [State.PENDING])


@pytest.mark.every_database
def test_delivery_that_failed_is_skipped_before_its_next_attempt(
    endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, alice)
    receiver.answers.status = 410
    send_due_deliveries(NOW)
    assert services.resume_endpoint(endpoint_row, actor=alice, now=NOW + timedelta(seconds=1), skip=True) == 1
    assert list_states(endpoint_row) == [State.SKIPPED]


def test_endpoint_that_fails_for_five_days_is_paused(
    endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    receiver.answers.status = 503
    for days in (0, 4.9, 5.1):
        create_event_message(rocket, alice, NOW + timedelta(days=days))
        send_due_deliveries(NOW + timedelta(days=days))
        endpoint_row.refresh_from_db()
        assert bool(endpoint_row.pause) == (days > 5)
    assert endpoint_row.pause == WebhookEndpoint.Pause.UNREACHABLE


def test_failure_delays_the_endpoint_until_a_replay(
    endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    failed = create_event_message(rocket, alice)
    receiver.answers.script = [500]
    assert send_due_deliveries(NOW) == 1
    create_event_message(rocket, alice, NOW + timedelta(seconds=1))
    assert send_due_deliveries(NOW + timedelta(seconds=4)) == 0
    services.replay_deliveries(endpoint_row, failed.created_at, actor=alice, now=NOW + timedelta(seconds=4))
    assert send_due_deliveries(NOW + timedelta(seconds=4)) == 2
    assert list_states(endpoint_row) == [State.DELIVERED] * 2


def test_success_resets_the_failures(endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    receiver.answers.script = [500]
    create_event_message(rocket, alice)
    send_due_deliveries(NOW)
    send_due_deliveries(NOW + timedelta(minutes=2))
    endpoint_row.refresh_from_db()
    assert (endpoint_row.failing_since, endpoint_row.failures, list_states(endpoint_row)) == (
        None,
        0,
        [State.DELIVERED],
    )


def test_replay_has_the_same_id_and_the_same_body(
    endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, alice)
    send_due_deliveries(NOW)
    services.replay_delivery(message, actor=alice, now=NOW + timedelta(days=1))
    send_due_deliveries(NOW + timedelta(days=1))
    first, again = receiver.requests
    assert (first.body, first.headers["webhook-id"]) == (again.body, again.headers["webhook-id"])
    assert first.headers["webhook-signature"] != again.headers["webhook-signature"]
    assert list_states(endpoint_row) == [State.DELIVERED]


@pytest.mark.every_database
def test_all_failures_since_a_time_are_replayed(
    endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    for hours in (0, 5):
        create_event_message(rocket, alice, NOW + timedelta(hours=hours))
    WebhookDelivery.objects.update(state=State.FAILED)
    assert (
        services.replay_deliveries(endpoint_row, NOW + timedelta(hours=1), actor=alice, now=NOW + timedelta(hours=6))
        == 1
    )
    send_due_deliveries(NOW + timedelta(hours=6))
    assert list_states(endpoint_row) == [State.FAILED, State.DELIVERED]
