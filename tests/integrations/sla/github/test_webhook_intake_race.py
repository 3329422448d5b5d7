"""Tests of concurrent deliveries and processing on PostgreSQL: each event is stored once, and none is lost."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection

from integrations.sla import tasks
from integrations.sla.github import delivery_processing
from integrations.sla.models import GitHubDelivery, MonitoredRepository, SlaClock, SupportIssue, SupportIssueEvent
from tests.concurrency import run_concurrently
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.monitored_repository import OPENED_AT, PARTNER, REPORTER, build_tracker, post_delivery

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]
LATER = OPENED_AT + timedelta(days=5)


@pytest.fixture
def tracker(monitored_repository: MonitoredRepository) -> Tracker:
    return build_tracker(monitored_repository)


def test_delivery_sent_20_times_at_once_is_one_row(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    for number in range(5):
        same = replace(tracker.webhooks[0], id=f"same-{number}")
        assert run_concurrently(*[lambda same=same: post_delivery(monitored_repository, same)] * 20) == [202] * 20
    assert GitHubDelivery.objects.count() == 5


def test_concurrent_processing_and_advancing_give_one_state(monitored_repository, tracker):
    for number in range(30):
        issue = tracker.open(REPORTER, f"Trouble {number}", OPENED_AT + timedelta(minutes=number), labels=("crash",))
        tracker.comment(issue, PARTNER, "Which version do you use?", OPENED_AT + timedelta(hours=1))
    MonitoredRepository.objects.update(data_up_to=LATER)
    for delivery in tracker.webhooks:
        assert post_delivery(monitored_repository, delivery) == 202
    read, advance = lambda: delivery_processing.process_due_deliveries(LATER), lambda: tasks.advance_due_clocks(LATER)
    results = run_concurrently(read, read, advance, read, advance)
    assert [error for error in results if isinstance(error, Exception)] == []
    delivery_processing.process_due_deliveries(LATER)
    assert GitHubDelivery.objects.filter(read_at=None).count() == 0
    assert (SupportIssue.objects.count(), SupportIssueEvent.objects.count(), SlaClock.objects.count()) == (30, 90, 60)
    assert set(SlaClock.objects.values_list("target_type", "state")) == {
        ("respond", "not_applicable"),
        ("resolve", "paused"),
    }


def test_event_delivered_several_times_at_once_is_stored_once(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    payload = json.loads(tracker.webhooks[0].body)
    deliveries = [
        replace(tracker.webhooks[0], id=f"t{n}", body=json.dumps(payload | {"n": n}).encode()) for n in range(6)
    ]
    assert (
        run_concurrently(
            *(
                lambda delivery=delivery: (
                    post_delivery(monitored_repository, delivery),
                    delivery_processing.process_due_deliveries(LATER),
                )
                for delivery in deliveries
            )
        )
        != []
    )
    delivery_processing.process_due_deliveries(LATER)
    assert (SupportIssue.objects.count(), SupportIssueEvent.objects.count()) == (1, 1)
