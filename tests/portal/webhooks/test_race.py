"""Tests of concurrent senders on PostgreSQL: each message is sent once, even if a sender dies."""

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from integrations.submissions import digests
from integrations.submissions.services import findings
from portal.core.errors import ActionRefused
from portal.jobs.execution import run_due_jobs
from portal.jobs.models import Job
from portal.notifications import preferences
from portal.notifications.categories import DeliveryMode
from portal.notifications.models import EmailMessage
from portal.webhooks import services, tasks
from portal.webhooks.models import WebhookDelivery, WebhookDeliveryAttempt, WebhookEndpoint
from tests.concurrency import list_errors, run_concurrently
from tests.conftest import NOW
from tests.fakes.receiver import Receiver

SENDERS = 4
MESSAGES = 25
LATER = NOW + timedelta(days=3)
Make = Callable[..., WebhookEndpoint]
State = WebhookDelivery.State

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def run_in_threads(work: Callable[[], Any], count: int = SENDERS) -> list[Any]:
    """Do the same work in many threads that start at the same time."""
    gate = threading.Barrier(count)
    results = list[Any]()

    def run() -> None:
        try:
            gate.wait()
            results.append(work())
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_each_message_is_sent_once(endpoint: Make, receiver: Receiver, rocket: Any, alice: Any) -> None:
    ends = [endpoint(), endpoint()]
    for _ in range(MESSAGES):
        findings.post_message(rocket, "Hello.", actor=alice, now=NOW)
    run_in_threads(lambda: run_due_jobs("webhooks", timezone.now()))
    assert set(Counter(delivery.headers["webhook-id"] for delivery in receiver.requests).values()) == {1}
    assert WebhookDelivery.objects.filter(state=State.DELIVERED).count() == MESSAGES * len(ends)
    assert WebhookDeliveryAttempt.objects.count() == MESSAGES * len(ends)


def test_slow_receiver_does_not_delay_others(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow receiver is released only after the quick one has all messages of several rounds."""
    monkeypatch.setattr(tasks, "BATCH_SIZE", 1)
    slow = endpoint(url=receiver.url.replace("/in", "/slow"))
    quick = endpoint()
    for _ in range(3):
        findings.post_message(rocket, "Hello.", actor=alice, now=NOW)

    def release_slow_endpoint() -> None:
        if [delivery.path for delivery in receiver.requests].count("/in") == 3:
            receiver.slow.set()

    receiver.answers.before = release_slow_endpoint
    run_in_threads(lambda: run_due_jobs("webhooks", timezone.now()), 2)
    for row in (quick, slow):
        assert set(row.deliveries.values_list("state", flat=True)) == {State.DELIVERED}


def test_terminated_senders_lose_no_delivery(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every second sender dies after posting: each message arrives with one ID and is recorded once."""
    endpoint_row = endpoint()
    deaths = Counter[str]()
    lock = threading.Lock()
    monkeypatch.setattr(tasks, "BATCH_SIZE", 3)
    settle = tasks.save_outcomes

    def save_or_exit(endpoint_id: int, outcomes: Any) -> None:
        with lock:
            deaths["rounds"] += 1
            if deaths["rounds"] % 2:
                raise SystemExit
        settle(endpoint_id, outcomes)

    for _ in range(MESSAGES):
        findings.post_message(rocket, "Hello.", actor=alice, now=NOW)
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "save_outcomes", save_or_exit)
        while WebhookDelivery.objects.exclude(state=State.DELIVERED).exists():
            Job.objects.filter(state=Job.State.RUNNING).update(lease_expires_at=NOW)
            Job.objects.filter(state=Job.State.PENDING).update(run_after=NOW)
            with suppress(SystemExit):
                run_due_jobs("webhooks", timezone.now())
    counts = Counter(delivery.headers["webhook-id"] for delivery in receiver.requests)
    assert set(counts) == set(endpoint_row.deliveries.values_list("message_id", flat=True))
    assert max(counts.values()) == 2
    assert deaths["rounds"] > MESSAGES // 3
    assert WebhookDeliveryAttempt.objects.count() == MESSAGES


def test_concurrent_pause_and_replay_leave_a_consistent_state(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    findings.post_message(rocket, "Hello.", actor=alice, now=NOW)
    run_due_jobs("webhooks", timezone.now())
    run_in_threads(lambda: services.replay_deliveries(endpoint_row, NOW - timedelta(days=1), actor=alice, now=NOW))
    run_in_threads(lambda: services.pause_endpoint(endpoint_row, actor=alice, now=NOW))
    endpoint_row.refresh_from_db()
    assert endpoint_row.pause == WebhookEndpoint.Pause.MANUAL


def test_concurrent_requests_do_not_exceed_the_limit_of_program_endpoints(
    endpoint: Make, sam: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_ENDPOINTS", 2)
    endpoint(None, by=sam)
    results = run_concurrently(*[lambda: endpoint(None, by=sam)] * 4)
    assert WebhookEndpoint.objects.count() == 2
    assert [type(result) for result in results if isinstance(result, Exception)] == [ActionRefused] * 3


def wait_for_blocked_query() -> None:
    """Return when another transaction waits for a lock."""
    is_blocked = False
    while not is_blocked:
        with connection.cursor() as cursor:
            cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
            (is_blocked,) = cursor.fetchone()


def test_outcomes_are_saved_while_the_company_is_closed(
    endpoint: Make, receiver: Receiver, rocket: Any, alice: Any, acme: Any
) -> None:
    row = endpoint()
    findings.post_message(rocket, "Hello.", actor=alice, now=NOW)
    delivery = row.deliveries.get()
    is_locked = threading.Event()

    def save_outcome() -> None:
        with transaction.atomic():
            WebhookEndpoint.objects.select_for_update(no_key=True).get(pk=row.pk)
            is_locked.set()
            wait_for_blocked_query()
            WebhookDelivery.objects.filter(pk=delivery.pk).update(state=State.DELIVERED)

    def close_company() -> None:
        is_locked.wait(30)
        with transaction.atomic():
            services.remove_partner_endpoints(acme, NOW)

    assert list_errors(save_outcome, close_company) == []
    row.refresh_from_db()
    delivery.refresh_from_db()
    assert (row.ended_at, delivery.state) == (NOW, State.DELIVERED)


def test_concurrent_digests_are_one_email(rocket: Any, alice: Any, rita: Any) -> None:
    preferences.save_preferences(alice, {"messages": DeliveryMode.DAILY})
    for _ in range(5):
        findings.post_message(rocket, "Hello.", actor=rita, now=NOW)
    assert sum(run_in_threads(lambda: digests.send_due(LATER))) == 1
    assert EmailMessage.objects.filter(name="digest").count() == 1
    assert EmailMessage.objects.filter(state=EmailMessage.State.INCLUDED_IN_DIGEST).count() == 5
