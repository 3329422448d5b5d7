"""Tests of forged comments and issues whose deletion a webhook reports."""

from datetime import timedelta

from integrations.sla.github import delivery_processing
from integrations.sla.models import MonitoredRepository, SlaClock, SupportIssue, SupportIssueEvent
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.github.event_verification.forgery import ANSWER, HOUR, forge, poll
from tests.integrations.sla.monitored_repository import OPENED_AT, PARTNER, REPORTER, deliver

MINUTE = timedelta(minutes=1)


def forge_deleted_reply(copy: Tracker) -> None:
    copy.delete_comment(copy.comment(1, PARTNER, ANSWER, OPENED_AT + 2 * HOUR), PARTNER, OPENED_AT + 3 * HOUR)


def count_denials() -> int:
    return SupportIssueEvent.objects.filter(data__has_key="denied").count()


def test_deletion_of_a_listed_comment_does_not_confirm_a_forged_reply(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    comment_id = tracker.comment(1, REPORTER, "It still crashes.", OPENED_AT + HOUR)
    poll(monitored_repository, 2)
    forge(monitored_repository, tracker, forge_deleted_reply, 4)
    tracker.delete_comment(comment_id, REPORTER, OPENED_AT + 5 * HOUR)
    poll(monitored_repository, 6)
    poll(monitored_repository, 30)
    assert count_denials() == 1
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def test_deleted_reply_is_not_denied_if_a_listed_comment_was_deleted_as_well(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    comment_id = tracker.comment(1, REPORTER, "It still crashes.", OPENED_AT + HOUR)
    poll(monitored_repository, 2)
    tracker.webhooks.clear()
    reply_id = tracker.comment(1, PARTNER, ANSWER, OPENED_AT + 3 * HOUR)
    tracker.delete_comment(reply_id, PARTNER, OPENED_AT + 3 * HOUR + MINUTE)
    tracker.delete_comment(comment_id, REPORTER, OPENED_AT + 4 * HOUR)
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(OPENED_AT + 4 * HOUR + MINUTE)
    poll(monitored_repository, 6)
    poll(monitored_repository, 30)
    assert count_denials() == 0


def test_deletion_of_an_issue_counts_after_a_forged_one_was_denied(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    poll(monitored_repository, 1)
    forge(monitored_repository, tracker, lambda copy: copy.delete(1, PARTNER), 2)
    poll(monitored_repository, 26)
    assert (count_denials(), SupportIssue.objects.get().is_open) == (1, True)
    tracker.delete(1, PARTNER)
    poll(monitored_repository, 52)
    assert not SupportIssue.objects.get().is_open


def test_one_deletion_does_not_confirm_a_deleted_comment_and_a_forged_reply(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    poll(monitored_repository, 2)
    tracker.webhooks.clear()
    comment_id = tracker.comment(1, REPORTER, "It still crashes.", OPENED_AT + 3 * HOUR)
    tracker.delete_comment(comment_id, REPORTER, OPENED_AT + 3 * HOUR + MINUTE)
    deliver(monitored_repository, tracker.webhooks)
    forge(monitored_repository, tracker, forge_deleted_reply, 4)
    poll(monitored_repository, 6)
    poll(monitored_repository, 30)
    assert count_denials() == 2
    assert SlaClock.objects.get(target_type="respond").stopped_at is None
