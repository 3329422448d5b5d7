"""Tests that GitHub's list counts if a webhook reports an issue or a comment differently."""

import json
from typing import Any

import pytest

from integrations.sla.github import delivery_processing
from integrations.sla.models import MonitoredRepository, SlaClock, SupportIssue, SupportIssueEvent
from integrations.sla.selectors.issue_states import compute_issue_state, select_issues
from tests.fakes.github.server import GitHub
from tests.fakes.github.tracker import Person, Tracker, WebhookDelivery
from tests.integrations.sla.github.event_verification.forgery import ANSWER, HOUR, deliver_changed, forge, poll
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    OUTSIDER,
    PARTNER,
    REPORTER,
    build_tracker,
    deliver,
    post_delivery,
)


def comment_at_two(copy: Tracker) -> None:
    copy.comment(1, PARTNER, ANSWER, OPENED_AT + 2 * HOUR)


def test_backdated_reply_does_not_count(monitored_repository: MonitoredRepository, tracker: Tracker) -> None:
    """The comment exists, but is newer than the webhook says. It counts from then on."""
    number = tracker.comment(1, PARTNER, ANSWER, OPENED_AT + 60 * HOUR)
    data = json.loads(tracker.webhooks[-1].body)
    data["comment"] |= {"created_at": "2026-04-14T10:00:00Z", "updated_at": "2026-04-14T10:00:00Z"}
    assert (
        post_delivery(monitored_repository, WebhookDelivery("forged", "issue_comment", json.dumps(data).encode()))
        == 202
    )
    delivery_processing.process_due_deliveries(OPENED_AT + 60 * HOUR)
    assert SlaClock.objects.get(target_type="respond").state != "overdue"
    poll(monitored_repository, 62)
    assert SupportIssueEvent.objects.filter(data__denied=f"comment:{number}").count() == 1
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + 60 * HOUR


def test_other_text_of_a_comment_does_not_count(monitored_repository: MonitoredRepository, tracker: Tracker) -> None:
    tracker.comment(1, PARTNER, "+1", OPENED_AT + HOUR)
    deliver_changed(monitored_repository, tracker.webhooks[-1], 1, comment={"body": ANSWER})
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + HOUR
    poll(monitored_repository, 3)
    poll(monitored_repository, 28)
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


@pytest.mark.parametrize("association", ["OWNER", "MEMBER", "COLLABORATOR"])
def test_stranger_whom_only_the_webhook_calls_a_member_does_not_reply_for_the_partner(
    monitored_repository: MonitoredRepository, tracker: Tracker, association: str
) -> None:
    """The comment exists as the webhook says, except for its author's role, which GitHub lists differently."""
    tracker.comment(1, OUTSIDER, ANSWER, OPENED_AT + HOUR)
    claim = {"author_association": association}
    deliver_changed(monitored_repository, tracker.webhooks[-1], 1, comment=claim)
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + HOUR
    poll(monitored_repository, 3)
    poll(monitored_repository, 28)
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def test_stranger_whom_only_the_webhook_of_an_edit_calls_a_member_does_not_reply_for_the_partner(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    comment_id = tracker.comment(1, OUTSIDER, "+1", OPENED_AT + HOUR)
    tracker.edit_comment(comment_id, OUTSIDER, ANSWER, OPENED_AT + 2 * HOUR)
    deliver_changed(monitored_repository, tracker.webhooks[-1], 2, comment={"author_association": "MEMBER"})
    poll(monitored_repository, 4)
    poll(monitored_repository, 29)
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def test_comment_of_someone_who_joined_before_the_poll_is_confirmed(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    tracker.comment(1, PARTNER, ANSWER, OPENED_AT + HOUR)
    deliver_changed(monitored_repository, tracker.webhooks[-1], 1, comment={"author_association": "NONE"})
    poll(monitored_repository, 3)
    assert not SupportIssueEvent.objects.filter(data__has_key="denied").exists()


def test_reporter_whom_only_the_webhook_calls_a_member_is_not_the_partner(
    monitored_repository: MonitoredRepository, github: GitHub
) -> None:
    tracker = github.track(build_tracker(monitored_repository))
    tracker.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    deliver_changed(monitored_repository, tracker.webhooks[0], 0, issue={"author_association": "MEMBER"})
    poll(monitored_repository, 2)
    assert compute_issue_state(select_issues().get(), OPENED_AT + 2 * HOUR).notes == ()


@pytest.mark.parametrize(
    "changes",
    [{"body": "Another text."}, {"user": PARTNER.raw()}, {"created_at": "2026-04-14T10:00:00Z"}],
    ids=["text", "author", "time"],
)
def test_forged_report_of_a_reply_does_not_hide_the_reply_of_the_reporter(
    monitored_repository: MonitoredRepository, tracker: Tracker, changes: dict[str, Any]
) -> None:
    tracker.comment(1, PARTNER, "Which version do you use?", OPENED_AT + 2 * HOUR)
    deliver(monitored_repository, tracker.webhooks[-1:])
    tracker.comment(1, REPORTER, "Version 1.2.", OPENED_AT + 3 * HOUR)
    deliver_changed(monitored_repository, tracker.webhooks[-1], 3, comment=changes)
    poll(monitored_repository, 5)
    poll(monitored_repository, 30)
    clock = SlaClock.objects.get(target_type="resolve")
    assert (clock.state, clock.paused_seconds) == ("running", 3600)
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 1


def test_forged_report_of_an_edit_does_not_hide_the_edit_of_the_reporter(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    comment_id = tracker.comment(1, REPORTER, "It crashes.", OPENED_AT + HOUR)
    tracker.comment(1, PARTNER, "Which version do you use?", OPENED_AT + 2 * HOUR)
    deliver(monitored_repository, tracker.webhooks[-2:])
    tracker.edit_comment(comment_id, REPORTER, "Version 1.2.", OPENED_AT + 3 * HOUR)
    deliver_changed(monitored_repository, tracker.webhooks[-1], 3, comment={"body": "Another text."})
    poll(monitored_repository, 5)
    poll(monitored_repository, 30)
    clock = SlaClock.objects.get(target_type="resolve")
    assert (clock.state, clock.paused_seconds) == ("running", 3600)
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 1


def test_postdated_opening_does_not_move_the_due_date(
    monitored_repository: MonitoredRepository, github: GitHub
) -> None:
    real = github.track(build_tracker(monitored_repository))
    forged_tracker = build_tracker(monitored_repository)
    forged_tracker.open(REPORTER, "It crashes", OPENED_AT + 40 * HOUR, labels=("crash",))
    deliver(monitored_repository, forged_tracker.webhooks)
    delivery_processing.process_due_deliveries(OPENED_AT + 40 * HOUR)
    real.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    poll(monitored_repository, 41)
    clock = SlaClock.objects.get(target_type="resolve")
    assert (clock.started_at, clock.due_at, clock.issue.opened_at) == (OPENED_AT, OPENED_AT + 48 * HOUR, OPENED_AT)


@pytest.mark.parametrize("author", [Person(902, "rocket-bot", type="Bot"), PARTNER])
def test_other_author_of_an_issue_does_not_count(
    monitored_repository: MonitoredRepository, github: GitHub, author: Person
) -> None:
    tracker = github.track(build_tracker(monitored_repository))
    tracker.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    issue = {"user": author.raw(), "author_association": author.association}
    deliver_changed(monitored_repository, tracker.webhooks[0], 1, issue=issue)
    tracker.comment(1, PARTNER, ANSWER, OPENED_AT + 2 * HOUR)
    poll(monitored_repository, 3)
    clock = SlaClock.objects.get(target_type="respond")
    assert (clock.started_at, clock.stopped_at) == (OPENED_AT, OPENED_AT + 2 * HOUR)
    assert clock.issue.author == REPORTER.login
    assert SlaClock.objects.get(target_type="resolve").due_at == OPENED_AT + 48 * HOUR


def test_forged_title_and_address_of_an_issue_do_not_last(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    changes = {"title": "Sign in again", "html_url": "javascript:alert(1)", "updated_at": "2030-01-01T00:00:00Z"}
    deliver_changed(monitored_repository, tracker.webhooks[0], 1, issue=changes)
    issue = SupportIssue.objects.get()
    assert issue.url == "https://github.com/acme/nomad-rocket/issues/1"
    poll(monitored_repository, 2)
    issue.refresh_from_db()
    assert (issue.title, issue.updated_at) == ("It crashes", OPENED_AT)


def test_forged_number_of_an_issue_does_not_last(monitored_repository: MonitoredRepository, github: GitHub) -> None:
    """No issue has the number, so GitHub would seem to have deleted the issue of the forged reply."""
    tracker = github.track(build_tracker(monitored_repository))
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    deliver_changed(monitored_repository, tracker.webhooks[0], 1, issue={"number": 99})
    forge(monitored_repository, tracker, comment_at_two, 2)
    poll(monitored_repository, 26)
    issue = SupportIssue.objects.get()
    assert (issue.number, issue.url) == (1, "https://github.com/acme/nomad-rocket/issues/1")
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 1
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


@pytest.mark.parametrize("is_first", [True, False], ids=["before the issue", "after the issue"])
def test_forged_issue_does_not_take_the_events_of_a_number(
    monitored_repository: MonitoredRepository, github: GitHub, is_first: bool
) -> None:
    tracker = github.track(build_tracker(monitored_repository))
    tracker.open(REPORTER, "It crashes", OPENED_AT + HOUR)
    forgery = {"id": 1, "created_at": "2026-04-14T09:00:00Z"}
    if not is_first:
        deliver(monitored_repository, tracker.webhooks)
        poll(monitored_repository, 2)
    deliver_changed(monitored_repository, tracker.webhooks[0], 2, issue=forgery)
    if is_first:
        poll(monitored_repository, 2)
    deliver_changed(monitored_repository, tracker.webhooks[0], 3, issue=forgery | {"title": "It hangs"})
    forge(monitored_repository, tracker, comment_at_two, 3)
    poll(monitored_repository, 27)
    issue = SupportIssue.objects.get(ended_at=None)
    assert issue.github_id == tracker.issues[1]["id"]
    assert issue.events.filter(data__has_key="denied").count() == 1
    assert issue.clocks.get(target_type="respond").stopped_at is None
