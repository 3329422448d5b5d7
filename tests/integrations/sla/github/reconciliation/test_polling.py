"""Tests of polling: costs, outages, renames, deletions, and rounds."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection

from integrations.sla.github import delivery_processing, reconciliation
from integrations.sla.models import (
    MonitoredRepository,
    SlaClock,
    SupportIssue,
    SupportIssueEvent,
)
from integrations.sla.services import monitoring
from portal.jobs.execution import run_due_jobs
from tests.fakes.github.tracker import PER_PAGE, Person, Tracker
from tests.integrations.sla.github.reconciliation.polling import HOUR, NOW, poll
from tests.integrations.sla.github.test_delivery_processing import list_event_texts
from tests.integrations.sla.monitored_repository import (
    COLLABORATOR,
    OPENED_AT,
    PARTNER,
    REPORTER,
    build_tracker,
    create_listed_integration,
    deliver,
    monitor_repository,
)
from verification.sources import factory
from verification.sources.github import issues
from verification.sources.models import GitHubRateLimit

pytestmark = pytest.mark.any_database


def test_unchanged_repository_costs_two_conditional_requests(monitored_repository, tracker, github):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    poll(monitored_repository, OPENED_AT + 3 * HOUR)
    github.requests.clear()
    poll(monitored_repository, OPENED_AT + 4 * HOUR)
    assert github.requests == [
        f"GET /repos/{monitored_repository.repository}",
        f"GET /repos/{monitored_repository.repository}/issues",
    ]
    assert monitored_repository.data_up_to == OPENED_AT + 4 * HOUR


def test_all_issues_are_read_once_a_day(monitored_repository, tracker, github):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    github.requests.clear()
    poll(monitored_repository, OPENED_AT + 26 * HOUR)
    assert len(github.requests) == 5


@pytest.mark.every_database
@pytest.mark.parametrize("kind", [500, 502, 503, "cut", "garbage", "rate_limit", 429])
@pytest.mark.parametrize("path", [r"/issues$", r"/issues/events$", r"/issues/comments$"])
def test_outage_changes_nothing_until_it_is_over(monitored_repository, tracker, github, kind, path):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    github.fail(path, kind, times=1)
    assert poll(monitored_repository, OPENED_AT + HOUR) == 0
    assert (
        list_event_texts(monitored_repository),
        monitored_repository.data_up_to,
        monitored_repository.attempts,
        monitored_repository.cursors,
    ) == ([], OPENED_AT, 1, {"entered": "acme/nomad-rocket"})
    assert monitored_repository.poll_at > OPENED_AT + HOUR


@pytest.mark.every_database
def test_long_outage_is_described_until_it_ends(monitored_repository, tracker, github):
    github.fail("/issues$", 502, times=3)
    for hour in (1, 2, 3):
        poll(monitored_repository, OPENED_AT + hour * HOUR)
    assert monitoring.describe_trouble(monitored_repository).endswith("GitHub returned status 502")
    poll(monitored_repository, OPENED_AT + 4 * HOUR)
    assert (monitored_repository.trouble, monitored_repository.data_up_to) == ("", OPENED_AT + 4 * HOUR)


def test_repository_is_reported_missing_after_a_day(monitored_repository, github):
    poll(monitored_repository, OPENED_AT + HOUR)
    assert (monitored_repository.trouble, monitored_repository.data_up_to) == (
        reconciliation.NOT_VISIBLE_MESSAGE,
        OPENED_AT,
    )
    problems = []
    for hours in (20, 25):
        poll(monitored_repository, OPENED_AT + hours * HOUR)
        problems.append((monitored_repository.trouble, monitored_repository.is_hidden))
    assert problems == [(reconciliation.NOT_VISIBLE_MESSAGE, False), (reconciliation.GONE_MESSAGE, True)]
    github.track(build_tracker(monitored_repository))
    poll(monitored_repository, OPENED_AT + 26 * HOUR)
    assert (monitored_repository.trouble, monitored_repository.missing_since, monitored_repository.data_up_to) == (
        "",
        None,
        OPENED_AT + 26 * HOUR,
    )


def test_problem_of_a_repository_ends_an_outage(monitored_repository, github):
    github.fail("/repos/", 502, times=1)
    poll(monitored_repository, OPENED_AT + HOUR)
    assert monitored_repository.attempts == 1
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    assert (monitored_repository.attempts, monitored_repository.trouble) == (0, reconciliation.NOT_VISIBLE_MESSAGE)


def test_name_taken_by_another_repository_is_not_read(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    tracker.id = 999
    poll(monitored_repository)
    assert (list_event_texts(monitored_repository), monitored_repository.data_up_to) == ([], OPENED_AT)
    assert (
        monitored_repository.trouble == f"The name {monitored_repository.repository} now belongs to another repository"
    )


def test_renamed_repository_is_followed(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    tracker.full_name = "acme/nomad-booster"
    poll(monitored_repository)
    assert monitored_repository.repository == "acme/nomad-booster"
    assert len(list_event_texts(monitored_repository)) == 1


@pytest.mark.every_database
def test_pagination_loses_nothing(monitored_repository, tracker, monkeypatch):
    monkeypatch.setattr("verification.sources.github.issues.PAGE_SIZE", 5)
    for n in range(23):
        number = tracker.open(REPORTER, f"Trouble {n}", OPENED_AT + timedelta(minutes=n // 7))
        tracker.comment(number, PARTNER, "Which version do you use?", OPENED_AT + timedelta(hours=1, minutes=n // 6))
        tracker.label(number, COLLABORATOR, "crash", OPENED_AT + timedelta(hours=2, minutes=n // 4))
    poll(monitored_repository)
    assert SupportIssue.objects.count() == 23
    assert SupportIssueEvent.objects.count() == 69


@pytest.mark.every_database
def test_deleted_comment_is_detected(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    comment_id = tracker.comment(number, PARTNER, "It is fixed in 1.2.", OPENED_AT + HOUR)
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + HOUR
    tracker.delete_comment(comment_id, PARTNER, OPENED_AT + 3 * HOUR)
    poll(monitored_repository, OPENED_AT + 4 * HOUR)
    event = SupportIssueEvent.objects.get(kind="comment_deleted")
    assert (event.key, event.at, event.data) == (
        f"comment:{comment_id}:deleted",
        OPENED_AT + 3 * HOUR,
        {"comment": f"comment:{comment_id}"},
    )
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def test_issue_deleted_during_a_poll_does_not_count_as_a_missing_repository(monitored_repository, tracker, github):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    comment_id = tracker.comment(number, PARTNER, "It is fixed in 1.2.", OPENED_AT + HOUR)
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    tracker.delete_comment(comment_id, PARTNER, OPENED_AT + 3 * HOUR)
    github.fail(f"/issues/{number}(/comments)?$", 410)
    poll(monitored_repository, OPENED_AT + 4 * HOUR)
    assert (monitored_repository.trouble, monitored_repository.data_up_to) == ("", OPENED_AT + 4 * HOUR)


def test_comment_deleted_from_a_pull_request_costs_no_request(monitored_repository, tracker, github):
    number = tracker.open(REPORTER, "A change", OPENED_AT)
    tracker.issues[number]["pull_request"] = {"url": "x"}
    tracker.delete_comment(tracker.comment(number, PARTNER, "Thank you.", OPENED_AT), PARTNER, OPENED_AT + HOUR)
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    assert [request for request in github.requests if f"/issues/{number}" in request] == []


class LimitedTracker(Tracker):
    """Issues of which GitHub lists only one page of events."""

    def answer(self, path: str, query: dict[str, str], page_size: int = PER_PAGE) -> tuple[int, Any] | None:
        if path == "/issues/events" and "page" in query:
            return 422, {"message": "In order to keep the API fast for everyone, pagination is limited."}
        return super().answer(path, query, page_size)


def test_end_of_the_listed_events_is_no_outage(monitored_repository, github):
    tracker = github.track(LimitedTracker(monitored_repository.repository, monitored_repository.repository_id or 4711))
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    for minute in range(101):
        tracker.lock(1, PARTNER, OPENED_AT + minute * HOUR / 60)
    assert poll(monitored_repository, OPENED_AT + 2 * HOUR) == 1
    assert monitored_repository.trouble == issues.TOO_MANY_EVENTS


@pytest.mark.every_database
def test_deleted_issue_is_detected_within_a_day(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    tracker.delete(number, Person(1, "admin"))
    poll(monitored_repository, OPENED_AT + 26 * HOUR)
    assert [row[0] for row in list_event_texts(monitored_repository)] == ["opened", "deleted:listed"]
    assert SupportIssue.objects.get().is_open is False


def test_known_issues_are_read_before_the_list_of_open_issues(monitored_repository, tracker, github):
    request_counts = []

    def count_requests(execute, sql, *arguments):
        if sql.startswith('SELECT "sla_supportissue"."number"'):
            request_counts.append(len(github.requests))
        return execute(sql, *arguments)

    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    github.requests.clear()
    with connection.execute_wrapper(count_requests):
        poll(monitored_repository, OPENED_AT + 26 * HOUR)
    # A webhook can store an issue that the list, the last of the requests, doesn't have yet.
    assert (request_counts, len(github.requests)) == ([4], 5)


def run_round(now: datetime) -> int:
    """Poll the repositories that are due. Return their number."""
    with time_machine.travel(now, tick=False):
        reconciliation.enqueue_due_repositories(now)
        return run_due_jobs("network", now).get("sla.reconcile", 0)


def test_round_reads_due_repositories_despite_an_outage(monitored_repository, tracker, acme, github):
    other = monitor_repository(create_listed_integration(acme, repository="acme/terraform-provider-other"))
    github.track(build_tracker(other))
    github.fail(f"/repos/{monitored_repository.repository}/issues$", 502, times=1)
    MonitoredRepository.objects.update(poll_at=NOW)
    assert [run_round(NOW - HOUR), run_round(NOW)] == [0, 2]
    monitored_repository.refresh_from_db()
    other.refresh_from_db()
    assert (monitored_repository.attempts, monitored_repository.data_up_to, other.data_up_to) == (1, OPENED_AT, NOW)
    assert run_round(monitored_repository.poll_at) == 1
    monitored_repository.refresh_from_db()
    assert monitored_repository.attempts == 0


@pytest.mark.every_database
def test_rate_limit_of_github_delays_all_repositories(monitored_repository, tracker, acme, github):
    other = monitor_repository(create_listed_integration(acme, repository="acme/terraform-provider-other"))
    github.track(build_tracker(other))
    name, limit, _ = factory.get_credential()
    limit_end = NOW + HOUR - timedelta(minutes=1)
    GitHubRateLimit.objects.create(name=name, limit=limit, request_count=limit, window_started_at=limit_end - HOUR)
    MonitoredRepository.objects.update(poll_at=NOW)
    assert [run_round(NOW), run_round(NOW), run_round(limit_end)] == [1, 0, 2]
    assert set(MonitoredRepository.objects.values_list("data_up_to", flat=True)) == {limit_end}


def test_repository_that_is_no_longer_monitored_is_not_read(monitored_repository, tracker, github):
    MonitoredRepository.objects.update(poll_at=NOW)
    reconciliation.enqueue_due_repositories(NOW)
    monitoring.stop_monitoring(monitored_repository.integration, NOW)
    github.requests.clear()
    assert (run_round(NOW), github.requests) == (1, [])


@pytest.mark.every_database
def test_complete_webhook_reduces_polling(monitored_repository, tracker):
    poll(monitored_repository)
    assert NOW + timedelta(minutes=4) < monitored_repository.poll_at <= NOW + timedelta(minutes=5)
    MonitoredRepository.objects.update(last_delivery_at=NOW)
    poll(monitored_repository)
    assert NOW + timedelta(minutes=50) < monitored_repository.poll_at <= NOW + timedelta(hours=1)


def test_commit_of_a_closure_is_not_missed_by_the_webhook(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    tracker.close(number, PARTNER, OPENED_AT + 2 * HOUR)
    tracker.events[-1]["commit_id"] = "c0ffee"
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(OPENED_AT + 2 * HOUR)
    poll(monitored_repository, OPENED_AT + 3 * HOUR)
    assert SupportIssueEvent.objects.filter(kind="closed").count() == 2
    assert monitored_repository.cursors["missed_at"] == (OPENED_AT + HOUR).isoformat()
