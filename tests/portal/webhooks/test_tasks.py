"""Do events arrive: signed, at least once, in the end, and without one receiver holding up another?"""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform
from portal.notifications.models import Email
from portal.webhooks import fanout, retry_policy, services, settlement, tasks
from portal.webhooks.http_delivery import post_all
from portal.webhooks.models import Endpoint, EndpointAttempt, EndpointMessage
from tests.conftest import NOW, begin, meet
from tests.fakes.receiver import Receiver
from verification.sources import outbound

pytestmark = pytest.mark.django_db
Make = Callable[..., Endpoint]
State = EndpointMessage.State


def happened(row: Any, by: Any, now: datetime = NOW) -> EndpointMessage:
    """Something was written about an integration: the message of it."""
    findings.say(row, "Hello.", by=by, now=now)
    return EndpointMessage.objects.latest("pk")


def states(endpoint: Endpoint) -> list[str]:
    return list(endpoint.messages.order_by("pk").values_list("state", flat=True))


def test_a_message_is_signed_and_its_signature_holds(endpoint: Make, receiver: Receiver, rocket: Any, bob: Any) -> None:
    made = endpoint()
    message = happened(rocket, bob)
    assert tasks.send_due(timezone.now()) == 1
    (taken,) = receiver.taken
    told = Webhook(made.made.value).verify(taken.body, taken.headers)  # type: ignore[attr-defined]
    assert told["type"] == "message.written"
    assert told["data"]["integration"]["id"] == str(rocket.uuid)
    assert taken.headers["webhook-id"] == message.message_id
    with pytest.raises(WebhookVerificationError):
        Webhook(made.made.value).verify(taken.body + " ", taken.headers)  # type: ignore[attr-defined]
    assert states(made) == [State.DELIVERED]


def test_a_payload_holds_nothing_that_people_wrote(endpoint: Make, rocket: Any, bob: Any) -> None:
    endpoint()
    findings.say(rocket, "Between us.", by=bob, now=NOW)
    assert "Between us" not in EndpointMessage.objects.get().body


def test_while_two_secrets_hold_both_sign(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    made, now = endpoint(), timezone.now()
    fresh = services.rotate(made, by=alice, now=now, seen=services.state_of(made))
    happened(rocket, alice, now)
    tasks.send_due(now)
    taken = receiver.taken[-1]
    for secret in (fresh.value, made.made.value):  # type: ignore[attr-defined]
        Webhook(secret).verify(taken.body, taken.headers)
    EndpointMessage.objects.all().delete()
    happened(rocket, alice, now + timedelta(hours=25))
    tasks.send_due(now + timedelta(hours=25))
    assert len(receiver.taken[-1].headers["webhook-signature"].split(" ")) == 1


def test_a_failure_is_tried_again_after_the_table_and_then_given_up(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, now = endpoint(), NOW
    message = happened(rocket, alice)
    receiver.answers.status = 500
    moments = []
    for _ in range(len(retry_policy.WAITS) + 1):
        assert tasks.send_due(now) == 1
        message.refresh_from_db()
        moments.append(message.due_at)
        assert tasks.send_due(message.due_at - timedelta(seconds=1)) == 0
        now = max(message.due_at, Endpoint.objects.get().rests_until or now) + timedelta(seconds=1)
    assert states(made) == [State.FAILED]
    assert timedelta(days=2.9) < moments[-2] - NOW < timedelta(days=3.5)
    assert len({taken.headers["webhook-id"] for taken in receiver.taken}) == 1
    assert [attempt.status for attempt in message.attempts.all()] == [500] * 11


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"status": 302, "headers": {"Location": "http://127.0.0.1/x"}}, "Answered 302: redirects are not followed."),
        ({"status": 400}, "Answered 400."),
        ({"cut": True}, "did not answer usably"),
    ],
)  # fmt: skip
def test_what_is_no_2xx_has_failed_and_the_log_says_why(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, answers: dict[str, Any], said: str
) -> None:
    made = endpoint()
    message = happened(rocket, alice)
    vars(receiver.answers).update(answers)
    tasks.send_due(NOW)
    assert said in message.attempts.get().said
    assert (states(made), len(receiver.taken)) == ([State.WAITING], 1)


def test_a_receiver_that_asks_for_time_gets_it(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint()
    message = happened(rocket, alice)
    vars(receiver.answers).update(status=429, headers={"Retry-After": "7200"})
    tasks.send_due(NOW)
    message.refresh_from_db()
    assert message.due_at >= NOW + timedelta(hours=2)


def test_410_pauses_at_once_and_the_owner_hears_of_it(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, bob: Any
) -> None:
    made = endpoint()
    happened(rocket, bob)
    receiver.answers.status = 410
    tasks.send_due(NOW)
    made.refresh_from_db()
    assert made.pause == Endpoint.Pause.GONE
    assert [mail.to for mail in Email.objects.filter(name="webhook_paused")] == [alice.email]
    happened(rocket, bob, NOW + timedelta(minutes=1))
    assert tasks.send_due(NOW + timedelta(days=1)) == 0
    receiver.answers.status = 200
    assert services.resume(made, by=alice, now=NOW + timedelta(days=1)) == 2
    assert tasks.send_due(NOW + timedelta(days=1)) == 2


def test_what_waited_can_be_left_out(endpoint: Make, rocket: Any, alice: Any) -> None:
    made = endpoint()
    services.pause(made, by=alice, now=NOW)
    happened(rocket, alice)
    assert services.resume(made, by=alice, now=NOW, skip=True) == 1
    assert states(made) == [State.CANCELLED]


def test_an_endpoint_that_fails_for_five_days_is_paused(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    made = endpoint()
    receiver.answers.status = 503
    for days in (0, 4.9, 5.1):
        happened(rocket, alice, NOW + timedelta(days=days))
        Endpoint.objects.update(rests_until=None)
        tasks.send_due(NOW + timedelta(days=days))
        made.refresh_from_db()
        assert bool(made.pause) == (days > 5)
    assert made.pause == Endpoint.Pause.DEAD


def test_one_success_forgets_the_failures(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    made = endpoint()
    receiver.answers.script = [500]
    happened(rocket, alice)
    tasks.send_due(NOW)
    tasks.send_due(NOW + timedelta(minutes=2))
    made.refresh_from_db()
    assert (made.failing_since, made.failures, states(made)) == (None, 0, [State.DELIVERED])


def test_a_slow_receiver_holds_up_no_other(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow one is let go only after the quick one has everything, of two rounds."""
    monkeypatch.setattr(tasks, "BATCH", 1)
    slow, quick = endpoint(address=receiver.url.replace("/in", "/slow")), endpoint()
    for _ in range(3):
        happened(rocket, alice)

    def let_go() -> None:
        if [taken.path for taken in receiver.taken].count("/in") == 3:
            receiver.slow.set()

    receiver.answers.before = let_go
    tasks.send_due(NOW)
    assert [taken.path for taken in receiver.taken].index("/slow") < 3
    assert states(quick) == [State.DELIVERED] * 3
    assert states(slow) == [State.DELIVERED] * 3


def test_a_sender_that_died_is_replaced_when_its_claim_runs_out(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    """Killed between the answer and the writing down: sent again under the same id, and written down once."""
    made = endpoint()
    happened(rocket, alice)
    died = tasks.claim(made.pk, NOW)
    assert died is not None
    outcomes = post_all(died, outbound())
    assert tasks.send_due(NOW) == 0
    later = NOW + tasks.LEASE + timedelta(seconds=1)
    assert tasks.send_due(later) == 1
    assert settlement.settle(died, outcomes, later) is False
    assert len({taken.headers["webhook-id"] for taken in receiver.taken}) == 1
    assert (len(receiver.taken), states(made)) == (2, [State.DELIVERED])
    assert EndpointAttempt.objects.count() == 1


def test_an_address_within_the_network_is_never_asked(endpoint: Make, rocket: Any, alice: Any, settings: Any) -> None:
    made = endpoint()
    message = happened(rocket, alice)
    settings.LOOPBACK_SOURCES = False
    tasks.send_due(NOW)
    assert message.attempts.get().said.startswith("Not sent: 127.0.0.1 is an address of this machine")
    assert states(made) == [State.WAITING]


def test_a_decision_is_told_when_it_can_no_longer_be_undone(
    endpoint: Make, receiver: Receiver, at: Any, rita: Any
) -> None:
    row = at("review")
    made = endpoint(kinds=["integration.approved"])
    meet(row, None, NOW)
    perform(row, "approve", by=rita, now=NOW)
    assert tasks.send_due(NOW + timedelta(minutes=9)) == 0
    perform(row, "undo_decision", by=rita, now=NOW + timedelta(minutes=9))
    assert tasks.send_due(NOW + timedelta(minutes=11)) == 0
    assert states(made) == [State.CANCELLED]


def test_a_replay_has_the_same_id_and_the_same_body(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    made = endpoint()
    message = happened(rocket, alice)
    tasks.send_due(NOW)
    services.replay(message, by=alice, now=NOW + timedelta(days=1))
    tasks.send_due(NOW + timedelta(days=1))
    first, again = receiver.taken
    assert (first.body, first.headers["webhook-id"]) == (again.body, again.headers["webhook-id"])
    assert first.headers["webhook-signature"] != again.headers["webhook-signature"]
    assert states(made) == [State.DELIVERED]


def test_all_that_failed_since_a_moment_is_sent_again(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    made = endpoint()
    for hours in (0, 5):
        happened(rocket, alice, NOW + timedelta(hours=hours))
    EndpointMessage.objects.update(state=State.FAILED)
    assert services.replay_failed(made, NOW + timedelta(hours=1), by=alice, now=NOW + timedelta(hours=6)) == 1
    tasks.send_due(NOW + timedelta(hours=6))
    assert states(made) == [State.FAILED, State.DELIVERED]


def test_each_endpoint_hears_of_its_own_and_of_what_it_chose(
    endpoint: Make, acme: Any, globex: Any, alice: Any, charlie: Any, sam: Any
) -> None:
    ours, chosen = endpoint(), endpoint(kinds=["tier.granted"])
    theirs = endpoint(globex, charlie)
    office, other_program = endpoint(None, sam), endpoint(None, sam, program_key="vault")
    begin(acme, alice)
    heard = {row.pk: row.messages.count() for row in (ours, chosen, theirs, office, other_program)}
    assert list(heard.values()) == [1, 0, 0, 1, 0]


def test_the_programs_own_notes_reach_no_company(endpoint: Make, rocket: Any, rita: Any) -> None:
    made = endpoint()
    findings.say(rocket, "A note.", by=rita, now=NOW, internal=True)
    assert made.messages.count() == 0


def test_an_event_twice_is_one_message(endpoint: Make, rocket: Any, alice: Any) -> None:
    made = endpoint()
    message = happened(rocket, alice)
    assert message.event is not None
    fanout.tell(message.event)
    assert made.messages.count() == 1


def test_messages_are_kept_for_thirty_days(endpoint: Make, rocket: Any, alice: Any) -> None:
    made = endpoint()
    happened(rocket, alice)
    services.forget_due(NOW + timedelta(days=29))
    assert made.messages.count() == 1
    services.forget_due(NOW + timedelta(days=31))
    assert made.messages.count() == 0


def test_the_log_keeps_no_more_than_a_person_reads(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    endpoint()
    message = happened(rocket, alice)
    vars(receiver.answers).update(body=b"x" * 100_000, headers={"Set-Cookie": "a=b", "X-Long": "y" * 900})
    tasks.send_due(NOW)
    attempt = message.attempts.get()
    assert (len(attempt.body), len(attempt.headers["x-long"])) == (2048, 200)
    assert attempt.headers["set-cookie"] == "(not kept)"
    assert json.dumps(attempt.sent_headers).count("whsec_") == 0


def test_a_removed_endpoint_keeps_no_secret(endpoint: Make, rocket: Any, alice: Any) -> None:
    made = endpoint()
    happened(rocket, alice)
    services.end(made, by=alice, now=NOW)
    made.refresh_from_db()
    assert (bytes(made.address), made.secret, states(made)) == (b"", None, [State.CANCELLED])
