"""Tests that events which GitHub denies don't count: a company knows the secret of its own webhook."""

from typing import Any

import pytest

from integrations.sla import tasks
from integrations.sla.engine.projection import UNVERIFIED_EVENT_NOTE
from integrations.sla.github import delivery_processing, event_verification, reconciliation
from integrations.sla.models import (
    MonitoredRepository,
    SlaBreach,
    SlaClock,
    SupportIssueEvent,
)
from integrations.sla.selectors import issue_states
from integrations.submissions.services import creation
from portal.accounts.models import User
from tests.fakes.github.server import GitHub
from tests.fakes.github.tracker import Person, Tracker
from tests.integrations.sla.github.event_verification.forgery import ANSWER, HOUR, forge, poll
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    OUTSIDER,
    PARTNER,
    REPORTER,
    deliver,
)


def comment_at(hour: float, who: Person = PARTNER) -> Any:
    return lambda copy: copy.comment(1, who, ANSWER, OPENED_AT + hour * HOUR)


def list_clock_states() -> list[str]:
    return list(SlaClock.objects.order_by("target_type").values_list("state", flat=True))


@pytest.mark.parametrize(
    "change",
    [
        comment_at(2),
        lambda copy: copy.edit_comment(
            copy.comment(1, PARTNER, "+1", OPENED_AT), PARTNER, ANSWER, OPENED_AT + 3 * HOUR
        ),
        lambda copy: copy.close(1, REPORTER, OPENED_AT + 2 * HOUR),
        lambda copy: (comment_at(2)(copy), copy.close(1, PARTNER, OPENED_AT + 3 * HOUR)),
        lambda copy: copy.comment(1, PARTNER, "Which version do you use?", OPENED_AT + 2 * HOUR),
        lambda copy: copy.label(1, OUTSIDER, "docs", OPENED_AT + 2 * HOUR),
        lambda copy: copy.lock(1, OUTSIDER, OPENED_AT + 2 * HOUR, is_locked=False),
        lambda copy: copy.reopen(1, OUTSIDER, OPENED_AT + 2 * HOUR),
        lambda copy: copy.delete(1, OUTSIDER),
    ],
    ids=[
        "an answer",
        "an edited answer",
        "the reporter's closing",
        "an answer and a closing",
        "a question",
        "a label",
        "an unlocking",
        "a reopening",
        "a deletion",
    ],
)
def test_forged_delivery_stops_no_clock_permanently(
    monitored_repository: MonitoredRepository, tracker: Tracker, change: Any
) -> None:
    tracker.comment(1, OUTSIDER, ANSWER, OPENED_AT + HOUR / 2)  # an answer if the outsider seemed to have permissions
    poll(monitored_repository, 1)
    before = list(SlaClock.objects.order_by("target_type").values_list("state", "due_at", "stopped_at"))
    forge(monitored_repository, tracker, change, 4)
    assert list_clock_states() != ["running", "running"]
    poll(monitored_repository, 26)
    assert list(SlaClock.objects.order_by("target_type").values_list("state", "due_at", "stopped_at")) == before
    issue = issue_states.find_issue("acme/nomad-rocket#1")
    assert issue is not None
    assert UNVERIFIED_EVENT_NOTE in issue_states.compute_issue_state(issue, OPENED_AT + 27 * HOUR).notes


@pytest.mark.parametrize("is_deletion", [False, True], ids=["an edit", "a deleted comment"])
def test_events_that_github_does_not_list_show_no_permissions(
    monitored_repository: MonitoredRepository, tracker: Tracker, *, is_deletion: bool
) -> None:
    comment_id = tracker.comment(1, REPORTER, "It still crashes.", OPENED_AT + HOUR / 4)
    tracker.comment(1, OUTSIDER, ANSWER, OPENED_AT + HOUR / 2)  # an answer if the outsider seemed to have permissions
    poll(monitored_repository, 1)

    def change(copy: Tracker) -> None:
        if is_deletion:
            copy.delete_comment(comment_id, OUTSIDER, OPENED_AT + 2 * HOUR)
        else:
            copy.edit(1, OUTSIDER, "It crashes sometimes.", OPENED_AT + 2 * HOUR)

    forge(monitored_repository, tracker, change, 4)
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def test_many_events_of_one_moment_are_all_verified(
    monitored_repository: MonitoredRepository, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_verification, "MAX_VERIFICATIONS", 2)

    def add_comments(copy: Tracker) -> None:
        for minute in range(5):
            copy.comment(1, PARTNER, ANSWER, OPENED_AT + (1 + minute / 60) * HOUR)

    forge(monitored_repository, tracker, add_comments, 2)
    for hour in (26, 27, 28):  # sooner than the daily verification of a repository without changes
        poll(monitored_repository, hour)
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 5
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def move(monitored_repository: MonitoredRepository, actor: User, hour: float, **values: object) -> None:
    monitored_repository.integration.refresh_from_db()
    creation.change_description(monitored_repository.integration, values, actor=actor, now=OPENED_AT + hour * HOUR)


def test_forged_event_is_denied_after_the_integration_moved_away_and_back(
    monitored_repository: MonitoredRepository, tracker: Tracker, github: GitHub, alice: User
) -> None:
    github.track(Tracker("acme/nomad-other", 99))
    poll(monitored_repository, 1)
    forge(monitored_repository, tracker, comment_at(2), 4)
    move(monitored_repository, alice, 5, repository="acme/nomad-other", repository_id=99)
    poll(monitored_repository, 30)
    move(monitored_repository, alice, 31, repository=tracker.full_name, repository_id=tracker.id)
    poll(monitored_repository, 32)
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 1
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def test_forged_event_is_denied_after_a_rename(
    monitored_repository: MonitoredRepository, tracker: Tracker, github: GitHub
) -> None:
    poll(monitored_repository, 1)
    forge(monitored_repository, tracker, comment_at(2), 4)
    tracker.full_name = "acme/nomad-booster"
    tracker.issues[1]["repository_url"] = "https://api.github.com/repos/acme/nomad-booster"
    github.track(tracker)
    poll(monitored_repository, 26)
    assert monitored_repository.repository == "acme/nomad-booster"
    poll(monitored_repository, 27)
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 1
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def test_reply_deleted_while_the_integration_was_moved_away_is_not_denied(
    monitored_repository: MonitoredRepository, tracker: Tracker, github: GitHub, alice: User
) -> None:
    github.track(Tracker("acme/nomad-other", 99))
    comment_id = tracker.comment(1, PARTNER, ANSWER, OPENED_AT + 2 * HOUR)
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(OPENED_AT + 3 * HOUR)
    poll(monitored_repository, 4)
    move(monitored_repository, alice, 5, repository="acme/nomad-other", repository_id=99)
    tracker.delete_comment(comment_id, PARTNER, OPENED_AT + 6 * HOUR)
    move(monitored_repository, alice, 31, repository=tracker.full_name, repository_id=tracker.id)
    poll(monitored_repository, 32)
    assert not SupportIssueEvent.objects.filter(data__has_key="denied").exists()
    assert SupportIssueEvent.objects.get(kind="comment_deleted").at == OPENED_AT + 6 * HOUR


def test_forged_reply_with_a_forged_deletion_does_not_count(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    poll(monitored_repository, 1)
    forge(
        monitored_repository,
        tracker,
        lambda copy: copy.delete_comment(copy.comment(1, PARTNER, ANSWER, OPENED_AT + 2 * HOUR), PARTNER, OPENED_AT),
        10,
    )
    poll(monitored_repository, 26)
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 1
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def test_denied_event_is_not_counted_as_missed_by_the_webhook(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    forge(monitored_repository, tracker, comment_at(2), 4)
    poll(monitored_repository, 26)
    assert SupportIssueEvent.objects.filter(data__has_key="denied").count() == 1
    assert "missed_at" not in monitored_repository.cursors


def test_breach_retracted_by_a_forged_closure_is_recorded_again(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    poll(monitored_repository, 49)
    tasks.advance_due_clocks(OPENED_AT + 49 * HOUR)
    forge(monitored_repository, tracker, lambda copy: copy.close(1, REPORTER, OPENED_AT + 2 * HOUR), 50)
    assert not SlaBreach.objects.filter(retracted_at=None).exists()
    poll(monitored_repository, 74)
    tasks.advance_due_clocks(OPENED_AT + 74 * HOUR)
    assert [breach.due_at for breach in SlaBreach.objects.filter(retracted_at=None)] == [OPENED_AT + 48 * HOUR]


@pytest.mark.any_database
def test_listed_events_need_no_verification(
    monitored_repository: MonitoredRepository, tracker: Tracker, github: GitHub
) -> None:
    poll(monitored_repository, 1)
    count = len(tracker.webhooks)
    comment_id = tracker.comment(1, PARTNER, ANSWER, OPENED_AT + 2 * HOUR)
    tracker.edit_comment(comment_id, PARTNER, "It is fixed in 1.2.1.", OPENED_AT + 2.5 * HOUR)
    tracker.close(1, PARTNER, OPENED_AT + 3 * HOUR)
    tracker.reopen(1, REPORTER, OPENED_AT + 4 * HOUR)
    deliver(monitored_repository, tracker.webhooks[count:])
    delivery_processing.process_due_deliveries(OPENED_AT + 5 * HOUR)
    github.requests.clear()
    poll(monitored_repository, 7)
    poll(monitored_repository, 30)
    assert [path for path in github.requests if "/issues/1" in path or "/comments/" in path] == []
    assert not SupportIssueEvent.objects.filter(data__has_key="denied").exists()


def test_event_that_is_listed_late_is_verified_and_kept(
    monitored_repository: MonitoredRepository, tracker: Tracker, github: GitHub
) -> None:
    poll(monitored_repository, 1)
    count = len(tracker.webhooks)
    tracker.comment(1, PARTNER, ANSWER, OPENED_AT + 2 * HOUR)
    tracker.close(1, PARTNER, OPENED_AT + 3 * HOUR)
    deliver(monitored_repository, tracker.webhooks[count:])
    delivery_processing.process_due_deliveries(OPENED_AT + 4 * HOUR)
    monitored_repository.refresh_from_db()
    there = event_verification.ListedActivity()
    api = reconciliation.build_api(reconciliation.EtagStore({}, {}))
    cursors = dict(monitored_repository.cursors)
    assert (
        event_verification.flag_unverified_events(api, monitored_repository, there, cursors, OPENED_AT + 4.5 * HOUR)
        == []
    )
    assert github.requests[-1].endswith("/issues/comments") or "/issues/1" not in github.requests[-1]
    assert (
        event_verification.flag_unverified_events(api, monitored_repository, there, cursors, OPENED_AT + 6 * HOUR) == []
    )
    assert [path for path in github.requests if "/issues/1/events" in path]
    api.close()


def test_reply_deleted_before_its_verification_is_not_denied(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    poll(monitored_repository, 1)
    count = len(tracker.webhooks)
    comment_id = tracker.comment(1, PARTNER, ANSWER, OPENED_AT + 2 * HOUR)
    deliver(monitored_repository, tracker.webhooks[count:])
    delivery_processing.process_due_deliveries(OPENED_AT + 3 * HOUR)
    tracker.delete_comment(comment_id, PARTNER, OPENED_AT + 4 * HOUR)  # and its webhook is lost
    poll(monitored_repository, 6)
    poll(monitored_repository, 30)
    assert not SupportIssueEvent.objects.filter(data__has_key="denied").exists()
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


@pytest.mark.any_database
def test_events_of_a_deleted_account_are_not_denied(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    poll(monitored_repository, 1)
    count = len(tracker.webhooks)
    tracker.comment(1, PARTNER, ANSWER, OPENED_AT + 2 * HOUR)
    tracker.close(1, PARTNER, OPENED_AT + 3 * HOUR)
    deliver(monitored_repository, tracker.webhooks[count:])
    delivery_processing.process_due_deliveries(OPENED_AT + 3 * HOUR)
    ghost = Person(10137, "ghost").raw()
    tracker.comments[-1]["user"] = tracker.events[-1]["actor"] = ghost
    poll(monitored_repository, 6)
    assert not SupportIssueEvent.objects.filter(data__has_key="denied").exists()
    assert list_clock_states() == ["met", "not_applicable"]
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + 2 * HOUR


def test_edit_that_github_does_not_confirm_does_not_count(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    comment_id = tracker.comment(1, PARTNER, "+1", OPENED_AT + HOUR)
    deliver(monitored_repository, tracker.webhooks[-1:])
    poll(monitored_repository, 2)
    forge(
        monitored_repository,
        tracker,
        lambda copy: copy.edit_comment(comment_id, PARTNER, ANSWER, OPENED_AT + 3 * HOUR),
        3,
    )
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + 3 * HOUR
    poll(monitored_repository, 5)
    poll(monitored_repository, 30)
    assert SlaClock.objects.get(target_type="respond").stopped_at is None
