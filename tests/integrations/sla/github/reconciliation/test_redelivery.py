"""Tests of redelivery requests for failed webhooks."""

from datetime import timedelta

from integrations.sla.github import reconciliation, redelivery
from integrations.sla.models import MonitoredRepository
from tests.integrations.sla.github.reconciliation.polling import DAY, HOUR, NOW, poll
from tests.integrations.sla.monitored_repository import OPENED_AT, REPORTER, deliver
from verification.sources.github.issues import EtagStore


def test_failed_delivery_is_requested_once(monitored_repository, tracker):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id)
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    tracker.record_failed_delivery(tracker.ping(), NOW - timedelta(days=4))
    lost_id = tracker.record_failed_delivery(tracker.webhooks[0], NOW - HOUR)
    poll(monitored_repository)
    poll(monitored_repository, NOW + HOUR)
    assert tracker.redelivered == [lost_id]


def test_redelivery_requests_are_one_second_apart(monitored_repository, tracker):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id)
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    lost_ids = {tracker.record_failed_delivery(tracker.ping(), NOW - HOUR) for _ in range(3)}
    monitored_repository.refresh_from_db()
    waits: list[float] = []
    assert (
        redelivery.request_redeliveries(
            reconciliation.build_api(EtagStore({}, {})), monitored_repository, NOW, waits.append
        )
        == 3
    )
    assert (set(tracker.redelivered), waits) == (lost_ids, [1.0, 1.0])


def test_five_hundred_failed_deliveries_are_requested_within_retention():
    assert 500 / redelivery.MAX_REQUESTS * redelivery.GAP_INTERVAL < redelivery.RETENTION_PERIOD / 4


def test_deliveries_of_an_outage_are_requested_until_none_is_left(monitored_repository, tracker, monkeypatch):
    monkeypatch.setattr(redelivery, "MAX_REQUESTS", 24)
    MonitoredRepository.objects.update(hook_id=tracker.hook_id)
    begins = NOW - 20 * HOUR
    deliveries = [tracker.ping() for _ in range(120)]
    lost_ids = [
        tracker.record_failed_delivery(each, begins + timedelta(minutes=n)) for n, each in enumerate(deliveries)
    ]
    for n, each in enumerate(tracker.ping() for _ in range(60)):  # later deliveries succeeded
        tracker.record_delivery(each, NOW - 5 * HOUR + timedelta(minutes=n))
    by_number = dict(zip(lost_ids, deliveries, strict=True))
    request_count = 0
    now = NOW
    api = reconciliation.build_api(EtagStore({}, {}))
    while request_count < len(lost_ids):
        monitored_repository.refresh_from_db()
        assert (
            redelivery.request_redeliveries(api, monitored_repository, now, lambda seconds: None)
            == redelivery.MAX_REQUESTS
        )
        deliver(monitored_repository, [by_number[number] for number in tracker.redelivered[request_count:]])
        request_count = len(tracker.redelivered)
        now += redelivery.GAP_INTERVAL
    monitored_repository.refresh_from_db()
    assert sorted(tracker.redelivered) == sorted(lost_ids)
    assert now - NOW == 5 * redelivery.GAP_INTERVAL
    assert (
        monitored_repository.cursors["redelivery"],
        redelivery.request_redeliveries(api, monitored_repository, now, lambda seconds: None),
    ) == (
        "requested",
        0,
    )


def test_remaining_redeliveries_are_scheduled_in_15_minutes(monitored_repository, tracker):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id, last_delivery_at=NOW, poll_at=NOW + HOUR)
    for _ in range(redelivery.MAX_REQUESTS + 1):
        tracker.record_failed_delivery(tracker.ping(), NOW - HOUR)
    monitored_repository.refresh_from_db()
    redelivery.request_redeliveries(
        reconciliation.build_api(EtagStore({}, {})), monitored_repository, NOW, lambda seconds: None
    )
    monitored_repository.refresh_from_db()
    assert (monitored_repository.poll_at, monitored_repository.cursors["redelivery"]) == (
        NOW + redelivery.GAP_INTERVAL,
        "remaining",
    )


def test_repeatedly_failing_delivery_does_not_block_others(monitored_repository, tracker):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id)
    failing_deliveries = [tracker.ping() for _ in range(redelivery.MAX_REQUESTS)]
    for _ in range(redelivery.MAX_TRIES):
        for each in failing_deliveries:
            tracker.record_failed_delivery(each, NOW - 2 * HOUR)
    lost_id = tracker.record_failed_delivery(tracker.ping(), NOW - HOUR)
    monitored_repository.refresh_from_db()
    assert (
        redelivery.request_redeliveries(
            reconciliation.build_api(EtagStore({}, {})), monitored_repository, NOW, lambda seconds: None
        )
        == 1
    )
    assert tracker.redelivered == [lost_id]


def test_token_without_delivery_access_is_retried_later(monitored_repository, tracker, github):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id + 1)
    poll(monitored_repository)
    github.requests.clear()
    poll(monitored_repository, NOW + 2 * DAY)
    assert [path for path in github.requests if "hooks" in path] == []
    assert monitored_repository.trouble == ""


def test_outage_of_the_list_of_deliveries_is_no_problem_of_the_repository(monitored_repository, tracker, github):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id)
    github.fail("/hooks/", 502, times=4)
    lost_id = tracker.record_failed_delivery(tracker.ping(), NOW)
    polls = [poll(monitored_repository, NOW + hours * HOUR) for hours in range(4)]
    assert (polls, monitored_repository.trouble, monitored_repository.attempts) == ([1] * 4, "", 0)
    assert monitored_repository.poll_at == reconciliation.calculate_next_poll(monitored_repository, NOW + 3 * HOUR)
    poll(monitored_repository, NOW + 4 * HOUR)
    assert tracker.redelivered == [lost_id]
