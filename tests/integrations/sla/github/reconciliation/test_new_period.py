"""Tests of issues of an earlier monitoring: before support ended, or of another repository."""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime

import pytest

from integrations.sla import tasks
from integrations.sla.filters import build_state_condition
from integrations.sla.github import reconciliation
from integrations.sla.metrics import GLOBAL_SCOPE, get_metrics
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssue, SupportIssueEvent
from integrations.sla.services import monitoring
from integrations.submissions.services import creation
from tests.fakes.github.server import GitHub
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.github.reconciliation.polling import DAY, HOUR, poll
from tests.integrations.sla.monitored_repository import OPENED_AT, PARTNER, REPORTER
from verification.sources.github import issues
from verification.sources.github.issues import EtagStore

pytestmark = pytest.mark.any_database
RESTARTED_AT = OPENED_AT + 60 * DAY
NO_REPOSITORY = {"repository": "", "repository_id": None, "repository_owner_id": None}
OTHER_REPOSITORY = {"repository": "acme/nomad-other", "repository_id": 99, "repository_owner_id": 47}


@pytest.fixture
def other(github: GitHub) -> Tracker:
    return github.track(Tracker("acme/nomad-other", 99))


def move(monitored_repository: MonitoredRepository, values, actor, now) -> None:
    monitored_repository.integration.refresh_from_db()
    creation.change_description(monitored_repository.integration, values, actor=actor, now=now)


class InterruptedEtagStore(EtagStore):
    """ETags whose first use performs an action, as another process could during a poll."""

    def __init__(self, action: Callable[[], None]) -> None:
        super().__init__({}, {})
        self.actions = [action]

    def get(self, address: str):
        while self.actions:
            self.actions.pop()()
        return super().get(address)


def poll_during(monitored_repository: MonitoredRepository, now: datetime, action: Callable[[], None]) -> None:
    """Poll the repository, and perform an action after the poll has begun."""
    etag_cache = InterruptedEtagStore(action)
    with closing(reconciliation.build_api(etag_cache)) as api:
        reconciliation.reconcile_repository(monitored_repository.pk, now, api, etag_cache)
    monitored_repository.refresh_from_db()


def count_open_clocks(now) -> int:
    return SlaClock.objects.filter(build_state_condition("", now), is_committed=True).count()


def list_comments() -> list[tuple[str, str]]:
    """Return the issue and the text of each comment."""
    comments = SupportIssueEvent.objects.filter(kind="commented").order_by("at")
    return list(comments.values_list("issue__title", "text"))


def test_issue_of_earlier_support_stays_as_it_was_after_a_restart(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    poll(monitored_repository, OPENED_AT + HOUR)
    monitoring.stop_monitoring(monitored_repository.integration, OPENED_AT + 2 * HOUR)
    monitoring.start_monitoring(monitored_repository.integration, RESTARTED_AT)
    tracker.comment(1, REPORTER, "It still crashes.", RESTARTED_AT + HOUR)
    tracker.open(REPORTER, "It hangs", RESTARTED_AT + HOUR)
    for hour in (2, 3):
        now = RESTARTED_AT + hour * HOUR
        poll(monitored_repository, now)
        tasks.advance_due_clocks(now)
    clocks = SlaClock.objects.filter(target_type="resolve").order_by("issue__number")
    assert list(clocks.values_list("issue__title", "state", "counted_seconds")) == [
        ("It crashes", "running", 3600),
        ("It hangs", "running", 0),  # it was opened on a Saturday
    ]
    assert SlaBreach.objects.count() == 0
    assert (count_open_clocks(now), get_metrics(GLOBAL_SCOPE, now, now, now).running) == (1, 1)


def test_issues_of_both_repositories_stay_apart_after_a_move(monitored_repository, tracker, other, alice):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    other.open(REPORTER, "Opened before the move", OPENED_AT + 2 * HOUR)
    move(monitored_repository, OTHER_REPOSITORY, alice, OPENED_AT + 4 * HOUR)
    other.comment(1, PARTNER, "It is fixed in 1.2.", OPENED_AT + 5 * HOUR)
    poll(monitored_repository, OPENED_AT + 6 * HOUR)
    other.open(REPORTER, "It hangs", OPENED_AT + 7 * HOUR)
    other.comment(2, PARTNER, "It is fixed in 1.3.", OPENED_AT + 8 * HOUR)
    now = OPENED_AT + 40 * DAY
    poll(monitored_repository, now)
    tasks.advance_due_clocks(now)
    assert list_comments() == [("It hangs", "It is fixed in 1.3.")]
    assert list(SlaBreach.objects.values_list("issue__title", flat=True)) == ["It hangs"]
    assert count_open_clocks(now) == 1


def test_clocks_continue_if_the_integration_moves_back(monitored_repository, tracker, other, alice):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    first_repository = {
        "repository": monitored_repository.repository,
        "repository_id": monitored_repository.repository_id,
    }
    move(monitored_repository, OTHER_REPOSITORY, alice, OPENED_AT + 2 * HOUR)
    poll(monitored_repository, OPENED_AT + 3 * HOUR)
    assert count_open_clocks(OPENED_AT + 3 * HOUR) == 0
    move(monitored_repository, first_repository, alice, OPENED_AT + 4 * HOUR)
    now = OPENED_AT + 20 * DAY
    poll(monitored_repository, now)
    tasks.advance_due_clocks(now)
    assert list(SlaBreach.objects.values_list("issue__title", flat=True)) == ["It crashes"]


def test_issue_opened_while_the_integration_moves_away_and_back_is_covered(monitored_repository, tracker, other, alice):
    """Otherwise, a partner could exempt each new issue before a poll reads it."""
    move(monitored_repository, OTHER_REPOSITORY, alice, OPENED_AT + HOUR)
    tracker.open(REPORTER, "In the meantime", OPENED_AT + 2 * HOUR)
    move(monitored_repository, {"repository": "acme/nomad-rocket", "repository_id": 4711}, alice, OPENED_AT + 4 * HOUR)
    poll(monitored_repository, OPENED_AT + 5 * HOUR)
    assert SupportIssue.objects.get().title == "In the meantime"


def test_clocks_continue_after_a_rename(monitored_repository, tracker, alice):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    move(monitored_repository, {"repository": "acme/nomad-renamed"}, alice, OPENED_AT + 2 * HOUR)
    assert count_open_clocks(OPENED_AT + 3 * HOUR) == 1
    assert SlaClock.objects.exclude(next_at=None).count() == 1


def test_clocks_continue_if_the_repository_is_removed_and_entered_again(monitored_repository, tracker, alice):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    same_repository = {
        "repository": monitored_repository.repository,
        "repository_id": monitored_repository.repository_id,
    }
    move(monitored_repository, NO_REPOSITORY, alice, OPENED_AT + 2 * HOUR)
    assert count_open_clocks(OPENED_AT + 2 * HOUR) == 0
    tracker.open(REPORTER, "It hangs", OPENED_AT + 3 * HOUR)
    move(monitored_repository, same_repository, alice, OPENED_AT + 4 * HOUR)
    now = OPENED_AT + 20 * DAY
    poll(monitored_repository, now)
    tasks.advance_due_clocks(now)
    assert list(SlaBreach.objects.order_by("due_at").values_list("issue__title", flat=True)) == [
        "It crashes",
        "It hangs",
    ]


def test_repository_with_a_long_history_is_read_after_it_was_entered_again(
    monitored_repository, tracker, alice, monkeypatch
):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    for minute in range(60):
        tracker.lock(1, PARTNER, OPENED_AT + minute / 60 * HOUR)
        tracker.lock(1, PARTNER, OPENED_AT + minute / 60 * HOUR, is_locked=False)
        tracker.comment(1, PARTNER, "It is fixed in 1.2.", OPENED_AT + minute / 60 * HOUR)
        tracker.comment(1, REPORTER, "It still crashes.", OPENED_AT + minute / 60 * HOUR)
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    cursors = monitored_repository.cursors
    same_repository = {"repository": monitored_repository.repository, "repository_id": tracker.id}
    move(monitored_repository, NO_REPOSITORY, alice, OPENED_AT + 3 * HOUR)
    move(monitored_repository, same_repository, alice, OPENED_AT + 4 * HOUR)
    monkeypatch.setattr(issues, "MAX_PAGES", 1)
    monkeypatch.setattr(issues, "MAX_EVENT_PAGES", 1)
    assert poll(monitored_repository, OPENED_AT + 5 * HOUR) == 1
    assert count_open_clocks(OPENED_AT + 5 * HOUR) == 1
    assert {name: monitored_repository.cursors[name] for name in cursors} == cursors | {
        "full_at": (OPENED_AT + 5 * HOUR).isoformat()
    }


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a poll read two pages of ten rows of each list, and five of the events."""
    monkeypatch.setattr(issues, "PAGE_SIZE", 10)
    monkeypatch.setattr(issues, "MAX_PAGES", 2)
    monkeypatch.setattr(issues, "MAX_EVENT_PAGES", 5)


def poll_until_complete(monitored_repository, now) -> int:
    """Poll as often as the repository requests it immediately. Return how often."""
    count = 0
    while count == 0 or monitored_repository.poll_at == now:
        assert poll(monitored_repository, now) == 1
        count += 1
    return count


@pytest.mark.usefixtures("short_pages")
def test_history_of_a_new_repository_is_read_in_portions(monitored_repository, other, alice):
    for minute in range(45):
        other.open(REPORTER, f"Opened before the move {minute}", OPENED_AT + minute / 60 * HOUR)
        other.lock(minute + 1, PARTNER, OPENED_AT + minute / 60 * HOUR)
        other.comment(minute + 1, PARTNER, "It is fixed in 1.2.", OPENED_AT + minute / 60 * HOUR)
    moved_at = OPENED_AT + 2 * HOUR
    monitored_repository.data_up_to = moved_at
    monitored_repository.save()
    move(monitored_repository, OTHER_REPOSITORY, alice, moved_at)
    other.open(REPORTER, "It hangs", OPENED_AT + 3 * HOUR)
    other.comment(46, PARTNER, "It is fixed in 1.3.", OPENED_AT + 4 * HOUR)
    now = OPENED_AT + 5 * HOUR
    assert poll(monitored_repository, now) == 1
    assert (monitored_repository.data_up_to, monitored_repository.poll_at) == (moved_at, now)
    assert poll_until_complete(monitored_repository, now) == 2
    assert (monitored_repository.data_up_to, monitored_repository.trouble) == (now, "")
    assert list_comments() == [("It hangs", "It is fixed in 1.3.")]


@pytest.mark.usefixtures("short_pages")
def test_long_list_of_comments_is_read_in_portions(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    for minute in range(60, 105):
        tracker.lock(1, PARTNER, OPENED_AT + minute / 60 * HOUR)
        tracker.comment(1, PARTNER, f"It is fixed in {minute}.", OPENED_AT + minute / 60 * HOUR)
    assert poll_until_complete(monitored_repository, OPENED_AT + 2 * HOUR) == 3
    assert SupportIssueEvent.objects.filter(kind="commented").count() == 45
    assert SupportIssueEvent.objects.filter(kind="locked").count() == 45
    cursors = monitored_repository.cursors
    assert (cursors["event"], cursors["is_partial"]) == (tracker.events[-1]["id"], False)


@pytest.mark.usefixtures("short_pages")
def test_more_events_than_github_lists_are_a_problem_for_the_program(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    for minute in range(55):
        tracker.lock(1, PARTNER, OPENED_AT + minute / 60 * HOUR)
    now = OPENED_AT + 2 * HOUR
    assert poll(monitored_repository, now) == 1
    assert monitored_repository.trouble == issues.TOO_MANY_EVENTS
    assert (monitored_repository.poll_at, monitored_repository.data_up_to) == (now + 6 * HOUR, OPENED_AT)


def test_issues_stay_apart_if_the_removed_repository_is_replaced(monitored_repository, tracker, other, alice):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    move(monitored_repository, NO_REPOSITORY, alice, OPENED_AT + 2 * HOUR)
    other.open(REPORTER, "Opened before the move", OPENED_AT + 3 * HOUR)
    move(monitored_repository, OTHER_REPOSITORY, alice, OPENED_AT + 4 * HOUR)
    other.open(REPORTER, "It hangs", OPENED_AT + 5 * HOUR)
    now = OPENED_AT + 20 * DAY
    poll(monitored_repository, now)
    tasks.advance_due_clocks(now)
    assert list(SlaBreach.objects.values_list("issue__title", flat=True)) == ["It hangs"]


def test_time_without_support_does_not_count_if_the_repository_was_removed(monitored_repository, tracker, alice):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    integration = monitored_repository.integration
    same_repository = {"repository": integration.repository, "repository_id": integration.repository_id}
    move(monitored_repository, NO_REPOSITORY, alice, OPENED_AT + 2 * HOUR)
    monitoring.stop_monitoring(integration, OPENED_AT + 3 * HOUR)
    monitoring.start_monitoring(integration, RESTARTED_AT)  # support begins again, without a repository
    move(monitored_repository, same_repository, alice, RESTARTED_AT + HOUR)
    now = RESTARTED_AT + 20 * DAY
    poll(monitored_repository, now)
    tasks.advance_due_clocks(now)
    assert SlaBreach.objects.count() == 0


def test_result_of_a_poll_is_discarded_if_the_integration_moves_meanwhile(monitored_repository, tracker, alice):
    unknown_id = {"repository_id": None}
    MonitoredRepository.objects.update(**unknown_id)
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    now = OPENED_AT + HOUR
    poll_during(
        monitored_repository, now, lambda: move(monitored_repository, OTHER_REPOSITORY | unknown_id, alice, now)
    )
    assert (monitored_repository.repository, monitored_repository.repository_id) == ("acme/nomad-other", None)
    assert monitored_repository.issues.count() == 0


def test_problem_of_a_poll_is_discarded_if_the_integration_moves_meanwhile(monitored_repository, github, alice):
    now = OPENED_AT + HOUR
    poll_during(monitored_repository, now, lambda: move(monitored_repository, OTHER_REPOSITORY, alice, now))
    assert (monitored_repository.trouble, monitored_repository.missing_since) == ("", None)
    assert monitored_repository.poll_at == now


def test_problem_of_the_earlier_repository_ends_with_a_move(monitored_repository, github, alice):
    poll(monitored_repository, OPENED_AT + HOUR)
    assert monitored_repository.trouble == reconciliation.NOT_VISIBLE_MESSAGE
    MonitoredRepository.objects.update(attempts=2)
    move(monitored_repository, OTHER_REPOSITORY, alice, OPENED_AT + 2 * HOUR)
    monitored_repository.refresh_from_db()
    assert (monitored_repository.trouble, monitored_repository.trouble_since) == ("", None)
    assert monitored_repository.attempts == 0
