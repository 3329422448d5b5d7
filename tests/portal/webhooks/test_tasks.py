"""Tests that events are delivered signed and at least once, and that no receiver delays another."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.jobs.context import JobContext
from portal.jobs.definitions import DEFAULT_LEASE, LeaseLost
from portal.jobs.execution import claim
from portal.jobs.models import Job
from portal.notifications.models import EmailMessage
from portal.webhooks import fanout, retry_policy, services, tasks
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from tests.conftest import NOW, begin, meet
from tests.fakes.receiver import Receiver
from tests.portal.webhooks.conftest import send_due_deliveries

pytestmark = pytest.mark.django_db
Make = Callable[..., WebhookEndpoint]
State = WebhookDelivery.State


def create_event_message(row: Any, by: Any, now: datetime = NOW) -> WebhookDelivery:
    """Something was written about an integration: the message of it."""
    findings.post_message(row, "Hello.", actor=by, now=now)
    return WebhookDelivery.objects.latest("pk")


def states(endpoint: WebhookEndpoint) -> list[str]:
    return list(endpoint.messages.order_by("pk").values_list("state", flat=True))


def test_message_is_signed_and_its_signature_holds(endpoint: Make, receiver: Receiver, rocket: Any, bob: Any) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, bob)
    assert send_due_deliveries(timezone.now()) == 1
    (delivery,) = receiver.taken
    event_body = Webhook(endpoint_row.made.value).verify(delivery.body, delivery.headers)  # type: ignore[attr-defined]
    assert event_body["type"] == "message.sent_to_program"
    assert event_body["data"]["integration"]["id"] == str(rocket.uuid)
    assert delivery.headers["webhook-id"] == message.message_id
    with pytest.raises(WebhookVerificationError):
        Webhook(endpoint_row.made.value).verify(delivery.body + " ", delivery.headers)  # type: ignore[attr-defined]
    assert states(endpoint_row) == [State.DELIVERED]


def test_payload_holds_nothing_that_people_wrote(endpoint: Make, rocket: Any, bob: Any) -> None:
    endpoint()
    findings.post_message(rocket, "Between us.", actor=bob, now=NOW)
    assert "Between us" not in WebhookDelivery.objects.get().body


def test_while_two_secrets_hold_both_sign(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint_row, now = endpoint(), timezone.now()
    fresh = services.rotate_secret(
        endpoint_row, actor=alice, now=now, expected_fingerprint=services.get_secret_fingerprint(endpoint_row)
    )
    create_event_message(rocket, alice, now)
    send_due_deliveries(now)
    delivery = receiver.taken[-1]
    for secret in (fresh.value, endpoint_row.made.value):  # type: ignore[attr-defined]
        Webhook(secret).verify(delivery.body, delivery.headers)
    WebhookDelivery.objects.all().delete()
    create_event_message(rocket, alice, now + timedelta(hours=25))
    send_due_deliveries(now + timedelta(hours=25))
    assert len(receiver.taken[-1].headers["webhook-signature"].split(" ")) == 1


def test_failure_is_tried_again_after_the_table_and_then_given_up(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint_row, now = endpoint(), NOW
    message = create_event_message(rocket, alice)
    receiver.answers.status = 500
    moments = []
    for _ in range(len(retry_policy.RETRY_DELAYS_SECONDS) + 1):
        assert send_due_deliveries(now) == 1
        message.refresh_from_db()
        moments.append(message.due_at)
        assert send_due_deliveries(message.due_at - timedelta(seconds=1)) == 0
        now = message.due_at + timedelta(seconds=1)
    assert states(endpoint_row) == [State.FAILED]
    assert timedelta(days=2.9) < moments[-2] - NOW < timedelta(days=3.5)
    assert len({delivery.headers["webhook-id"] for delivery in receiver.taken}) == 1
    assert [attempt.status for attempt in message.attempts.all()] == [500] * 11


@pytest.mark.parametrize(
    ("answers", "expected_message"),
    [
        ({"status": 302, "headers": {"Location": "http://127.0.0.1/x"}}, "Redirected with status 302."),
        ({"status": 400}, "The endpoint returned status 400."),
        ({"cut": True}, "sent an invalid response"),
    ],
)
def test_what_is_no_2xx_has_failed_and_the_log_says_why(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, answers: dict[str, Any], expected_message: str
) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, alice)
    vars(receiver.answers).update(answers)
    send_due_deliveries(NOW)
    assert expected_message in message.attempts.get().response_summary
    assert (states(endpoint_row), len(receiver.taken)) == ([State.WAITING], 1)


def test_receiver_that_asks_for_time_gets_it(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint()
    message = create_event_message(rocket, alice)
    vars(receiver.answers).update(status=429, headers={"Retry-After": "7200"})
    send_due_deliveries(NOW)
    message.refresh_from_db()
    assert message.due_at >= NOW + timedelta(hours=2)


def test_410_pauses_at_once_and_the_owner_learns_of_it(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, bob: Any
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


def test_what_waited_can_be_left_out(endpoint: Make, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    services.pause_endpoint(endpoint_row, actor=alice, now=NOW)
    create_event_message(rocket, alice)
    assert services.resume_endpoint(endpoint_row, actor=alice, now=NOW, skip=True) == 1
    assert states(endpoint_row) == [State.CANCELED]


def test_endpoint_that_fails_for_five_days_is_paused(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    receiver.answers.status = 503
    for days in (0, 4.9, 5.1):
        create_event_message(rocket, alice, NOW + timedelta(days=days))
        send_due_deliveries(NOW + timedelta(days=days))
        endpoint_row.refresh_from_db()
        assert bool(endpoint_row.pause) == (days > 5)
    assert endpoint_row.pause == WebhookEndpoint.Pause.UNREACHABLE


def test_failure_rests_the_endpoint_and_a_replay_ends_its_rest(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    failed = create_event_message(rocket, alice)
    receiver.answers.script = [500]
    assert send_due_deliveries(NOW) == 1
    create_event_message(rocket, alice, NOW + timedelta(seconds=1))
    assert send_due_deliveries(NOW + timedelta(seconds=4)) == 0
    services.replay_deliveries(endpoint_row, failed.created_at, actor=alice, now=NOW + timedelta(seconds=4))
    assert send_due_deliveries(NOW + timedelta(seconds=4)) == 2
    assert states(endpoint_row) == [State.DELIVERED] * 2


def test_one_success_forgets_the_failures(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    receiver.answers.script = [500]
    create_event_message(rocket, alice)
    send_due_deliveries(NOW)
    send_due_deliveries(NOW + timedelta(minutes=2))
    endpoint_row.refresh_from_db()
    assert (endpoint_row.failing_since, endpoint_row.failures, states(endpoint_row)) == (None, 0, [State.DELIVERED])


def test_sender_that_died_is_replaced_when_its_lease_ends(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, alice)
    tasks.enqueue_due_endpoints(NOW)
    died = claim(Job.objects.filter(kind="webhooks.deliver"), NOW)
    assert died is not None
    assert died.lease_token is not None
    assert send_due_deliveries(NOW) == 0
    assert send_due_deliveries(NOW + DEFAULT_LEASE) == 1
    assert states(endpoint_row) == [State.DELIVERED]
    with pytest.raises(LeaseLost):  # it writes nothing down
        JobContext(died.pk, died.attempts, died.lease_token, DEFAULT_LEASE).renew_lease()


def test_messages_whose_job_was_never_enqueued_are_found(endpoint: Make, rocket: Any, alice: Any) -> None:
    endpoint()
    create_event_message(rocket, alice)
    assert [tasks.enqueue_due_endpoints(NOW) for _ in range(2)] == [1, 0]
    Job.objects.filter(kind="webhooks.deliver").update(run_after=NOW + timedelta(days=1))
    assert [tasks.enqueue_due_endpoints(NOW) for _ in range(2)] == [1, 0]


def test_event_enqueues_the_job_of_its_endpoint(
    endpoint: Make, rocket: Any, alice: Any, django_capture_on_commit_callbacks: Any
) -> None:
    endpoint_row = endpoint()
    with django_capture_on_commit_callbacks(execute=True):
        create_event_message(rocket, alice)
    job = Job.objects.get(kind="webhooks.deliver")
    assert (job.dedup_key, job.run_after) == (str(endpoint_row.pk), NOW)


def test_address_within_the_network_is_never_asked(endpoint: Make, rocket: Any, alice: Any, settings: Any) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, alice)
    settings.ALLOW_LOOPBACK_HTTP = False
    send_due_deliveries(NOW)
    assert message.attempts.get().response_summary.startswith(
        "Request blocked: 127.0.0.1 is an address of this machine"
    )
    assert states(endpoint_row) == [State.WAITING]


def test_decision_learns_when_it_can_no_longer_be_undone(
    endpoint: Make, receiver: Receiver, at: Any, rita: Any
) -> None:
    row = at("review")
    endpoint_row = endpoint(kinds=["integration.approved"])
    meet(row, None, NOW)
    perform_transition(row, "approve", actor=rita, now=NOW)
    assert send_due_deliveries(NOW + timedelta(minutes=9)) == 0
    perform_transition(row, "undo_decision", actor=rita, now=NOW + timedelta(minutes=9))
    assert send_due_deliveries(NOW + timedelta(minutes=11)) == 0
    assert states(endpoint_row) == [State.CANCELED]


def test_replay_has_the_same_id_and_the_same_body(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, alice)
    send_due_deliveries(NOW)
    services.replay_delivery(message, actor=alice, now=NOW + timedelta(days=1))
    send_due_deliveries(NOW + timedelta(days=1))
    first, again = receiver.taken
    assert (first.body, first.headers["webhook-id"]) == (again.body, again.headers["webhook-id"])
    assert first.headers["webhook-signature"] != again.headers["webhook-signature"]
    assert states(endpoint_row) == [State.DELIVERED]


def test_all_that_failed_since_a_moment_is_sent_again(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
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
    assert states(endpoint_row) == [State.FAILED, State.DELIVERED]


def test_each_endpoint_learns_of_its_own_and_of_what_it_chose(
    endpoint: Make, acme: Any, globex: Any, alice: Any, charlie: Any, sam: Any
) -> None:
    ours, tier_endpoint = endpoint(), endpoint(kinds=["tier.granted"])
    theirs = endpoint(globex, charlie)
    office, other_program = endpoint(None, sam), endpoint(None, sam, program_key="vault")
    begin(acme, alice)
    message_counts = {row.pk: row.messages.count() for row in (ours, tier_endpoint, theirs, office, other_program)}
    assert list(message_counts.values()) == [1, 0, 0, 1, 0]


def test_programs_own_notes_reach_no_partner(endpoint: Make, rocket: Any, rita: Any) -> None:
    endpoint_row = endpoint()
    findings.post_message(rocket, "A note.", actor=rita, now=NOW, is_internal=True)
    assert endpoint_row.messages.count() == 0


def test_event_twice_is_one_message(endpoint: Make, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, alice)
    assert message.event is not None
    fanout.create_deliveries(message.event)
    assert endpoint_row.messages.count() == 1


def test_messages_are_kept_for_thirty_days(endpoint: Make, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, alice)
    services.delete_expired_data(NOW + timedelta(days=29))
    assert endpoint_row.messages.count() == 1
    services.delete_expired_data(NOW + timedelta(days=31))
    assert endpoint_row.messages.count() == 0


def test_log_keeps_no_more_than_a_person_reads(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint()
    message = create_event_message(rocket, alice)
    vars(receiver.answers).update(body=b"x" * 100_000, headers={"Set-Cookie": "a=b", "X-Long": "y" * 900})
    send_due_deliveries(NOW)
    attempt = message.attempts.get()
    assert (len(attempt.body), len(attempt.headers["x-long"])) == (2048, 200)
    assert attempt.headers["set-cookie"] == "(not stored)"
    assert json.dumps(attempt.sent_headers).count("whsec_") == 0


def test_removed_endpoint_keeps_no_secret(endpoint: Make, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, alice)
    services.remove_endpoint(endpoint_row, actor=alice, now=NOW)
    endpoint_row.refresh_from_db()
    assert (bytes(endpoint_row.address), endpoint_row.secret, states(endpoint_row)) == (b"", None, [State.CANCELED])
