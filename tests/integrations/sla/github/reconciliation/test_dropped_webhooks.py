"""Tests that polling recovers events that webhooks did not report."""

import json
import random
from datetime import datetime, timedelta

import pytest

from integrations.sla import tasks
from integrations.sla.github import delivery_processing
from integrations.sla.models import (
    GitHubDelivery,
    MonitoredRepository,
    SlaBreach,
    SlaClock,
    SupportIssue,
    SupportIssueEvent,
)
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.github.reconciliation.polling import HOUR, NOW, poll
from tests.integrations.sla.github.test_delivery_processing import list_known_events, list_state
from tests.integrations.sla.monitored_repository import (
    COLLABORATOR,
    OPENED_AT,
    OUTSIDER,
    PARTNER,
    REPORTER,
    STALE_BOT,
    deliver,
    disable_delete_guard,
)

pytestmark = pytest.mark.any_database

PEOPLE = (REPORTER, PARTNER, COLLABORATOR, OUTSIDER, STALE_BOT)


def create_random_issues(tracker: Tracker, rng: random.Random, issues: int = 12) -> None:
    """Create issues with random events, a few minutes or hours apart."""
    at = OPENED_AT
    for _ in range(issues):
        at += timedelta(minutes=rng.randrange(1, 40))
        labels = ("crash",) if rng.random() < 0.4 else ()
        number = tracker.open(REPORTER, f"Trouble {rng.random():.3f}", at, labels=labels)
        then = at
        for _ in range(rng.randrange(6)):
            then += timedelta(minutes=rng.randrange(2, 90))
            add_random_event(tracker, rng, number, then)


def add_random_event(tracker: Tracker, rng: random.Random, number: int, at: datetime) -> None:
    who = rng.choice([REPORTER, PARTNER, COLLABORATOR, OUTSIDER, STALE_BOT])
    what = rng.randrange(6)
    if what == 0 and tracker.issues[number]["state"] == "open":
        tracker.close(number, who, at)
    elif what == 1 and tracker.issues[number]["state"] == "closed":
        tracker.reopen(number, REPORTER, at)
    elif what == 2 and not tracker.issues[number]["labels"]:
        tracker.label(number, COLLABORATOR, rng.choice(["crash", "needs-info", "docs"]), at)
    elif what == 3 and tracker.issues[number]["labels"]:
        tracker.unlabel(number, COLLABORATOR, tracker.issues[number]["labels"][0]["name"], at)
    else:
        tracker.comment(number, who, rng.choice(["Which version do you use?", "It is fixed in 1.2.", "Me too"]), at)


def add_later_changes(tracker: Tracker, rng: random.Random, begins: datetime) -> None:
    """Edit and delete comments, rewrite reports, and lock conversations."""
    for number in list(tracker.issues):
        then = begins
        issue_comments = [comment for comment in tracker.comments if comment["issue_url"].endswith(f"/{number}")]
        rng.shuffle(issue_comments)
        for comment in issue_comments[1:3]:
            then += timedelta(minutes=rng.randrange(2, 90))
            who = next(each for each in PEOPLE if each.id == comment["user"]["id"])
            words = rng.choice(["We look into it.", "Which version do you use, and where?", "+1"])
            tracker.edit_comment(comment["id"], who, words, then)
        for comment in issue_comments[:1]:  # of several missing comments, a list doesn't show which was deleted first
            then += timedelta(minutes=rng.randrange(2, 90))
            tracker.delete_comment(comment["id"], COLLABORATOR, then)
        if number % 2:
            then += timedelta(minutes=rng.randrange(2, 90))
            tracker.lock(number, COLLABORATOR, then)
            if number % 4 == 1:
                tracker.lock(number, COLLABORATOR, then + timedelta(minutes=7), is_locked=False)
        if rng.random() < 0.5:  # last, because a list shows only the last update of the issue
            tracker.edit(number, REPORTER, f"It is version {rng.random():.3f}.", then + timedelta(minutes=9))


def read_projection(monitored_repository: MonitoredRepository) -> tuple[list[object], list[object]]:
    """Return all known events, and the state of issues and clocks."""
    return list(list_known_events(monitored_repository)), list(list_state(monitored_repository))


def reset_repository(monitored_repository: MonitoredRepository) -> None:
    with disable_delete_guard():
        SupportIssue.objects.all().delete()
    GitHubDelivery.objects.all().delete()
    MonitoredRepository.objects.filter(pk=monitored_repository.pk).update(cursors={}, etags={}, data_up_to=OPENED_AT)


@pytest.mark.every_database
@pytest.mark.parametrize("seed", range(4))
def test_dropped_and_shuffled_webhooks_change_nothing_after_one_poll(monitored_repository, tracker, seed):
    rng = random.Random(seed)
    create_random_issues(tracker, rng)
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(NOW)
    poll(monitored_repository)
    expected = read_projection(monitored_repository)
    reset_repository(monitored_repository)
    deliveries = [delivery for delivery in tracker.webhooks if rng.random() >= 0.3]
    rng.shuffle(deliveries)
    deliver(monitored_repository, deliveries)
    delivery_processing.process_due_deliveries(NOW)
    assert read_projection(monitored_repository)[0] != expected[0]
    poll(monitored_repository)
    assert read_projection(monitored_repository) == expected
    reset_repository(monitored_repository)
    poll(monitored_repository)
    assert read_projection(monitored_repository) == expected
    deliver(monitored_repository, deliveries)
    delivery_processing.process_due_deliveries(NOW)
    assert read_projection(monitored_repository) == expected


def deliver_share(
    monitored_repository: MonitoredRepository, tracker: Tracker, rng: random.Random, first_index: int, share: float
) -> None:
    """Deliver a random share of the webhooks from `first_index` on in random order, then poll once."""
    deliveries = [delivery for delivery in tracker.webhooks[first_index:] if rng.random() < share]
    rng.shuffle(deliveries)
    deliver(monitored_repository, deliveries)
    for delivery in deliveries:  # when they happened: a deletion counts from its webhook
        at = json.loads(delivery.body)["issue"]["updated_at"]
        GitHubDelivery.objects.filter(delivery_id=delivery.id).update(received_at=datetime.fromisoformat(at))
    delivery_processing.process_due_deliveries(NOW)
    poll(monitored_repository)


@pytest.mark.every_database
@pytest.mark.parametrize("seed", range(2))
def test_edits_deletions_and_locks_without_webhooks_are_known_after_one_poll(monitored_repository, tracker, seed):
    begins = OPENED_AT + 20 * HOUR
    state_history = []
    for share in (1.0, 0.7, 0.0):  # with all webhooks, some, and none
        reset_repository(monitored_repository)
        tracker.__dict__.update(Tracker(tracker.full_name, tracker.id).__dict__)
        rng = random.Random(seed)
        chance = random.Random(seed)
        create_random_issues(tracker, rng, issues=8)
        deliver_share(monitored_repository, tracker, chance, 0, share)
        count = len(tracker.webhooks)
        add_later_changes(tracker, rng, begins)
        deliver_share(monitored_repository, tracker, chance, count, share)
        state_history.append(read_projection(monitored_repository))
    assert state_history[1] == state_history[0]
    assert state_history[2] == state_history[0]
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(NOW)
    assert read_projection(monitored_repository) == state_history[0]
    kinds = {row[1] for row in state_history[0][0]}
    assert {"edited", "comment_edited", "comment_deleted", "locked", "unlocked"} <= kinds


def test_rewritten_report_ends_the_pause_without_a_webhook(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT, body="It crashes.")
    tracker.comment(number, PARTNER, "Which version do you use?", OPENED_AT + HOUR)
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    assert SlaClock.objects.get(target_type="resolve").state == "paused"
    tracker.edit(number, REPORTER, "It crashes. Version 1.2.3.", OPENED_AT + 3 * HOUR)
    for hour in (4, 5):
        poll(monitored_repository, OPENED_AT + hour * HOUR)
    clock = SlaClock.objects.get(target_type="resolve")
    issue_event = SupportIssueEvent.objects.get(kind="edited")
    assert (clock.state, clock.paused_seconds) == ("running", 2 * 3600)
    assert (issue_event.at, issue_event.actor, issue_event.data) == (
        OPENED_AT + 3 * HOUR,
        "uma",
        {"body": True, "guessed": True},
    )


def test_late_webhook_shows_who_rewrote_the_report(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT, body="It crashes.")
    tracker.comment(number, PARTNER, "Which version do you use?", OPENED_AT + HOUR)
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    tracker.edit(number, PARTNER, "```\nIt crashes.\n```", OPENED_AT + 3 * HOUR)
    poll(monitored_repository, OPENED_AT + 4 * HOUR)
    assert SlaClock.objects.get(target_type="resolve").state == "running"
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(OPENED_AT + 5 * HOUR)
    assert SlaClock.objects.get(target_type="resolve").state == "paused"
    assert [row[1:4] for row in list_known_events(monitored_repository) if row[1] == "edited"] == [
        ("edited", OPENED_AT + 3 * HOUR, PARTNER.id)
    ]


def test_original_text_of_a_comment_counts_after_its_late_webhook(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    comment_id = tracker.comment(number, PARTNER, "It is fixed in 1.2.", OPENED_AT + HOUR)
    tracker.edit_comment(comment_id, PARTNER, "It is fixed in 1.2.1.", OPENED_AT + 3 * HOUR)
    poll(monitored_repository, OPENED_AT + 4 * HOUR)
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + 3 * HOUR
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(OPENED_AT + 5 * HOUR)
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + HOUR


def test_invalid_breach_is_retracted_once(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(NOW)
    poll(monitored_repository, OPENED_AT + 49 * HOUR)
    tasks.advance_due_clocks(OPENED_AT + 49 * HOUR)
    assert SlaBreach.objects.count() == 1
    tracker.comment(number, PARTNER, "Which version do you use?", OPENED_AT + 2 * HOUR)
    for later in (52, 53):
        deliver(monitored_repository, tracker.webhooks)
        delivery_processing.process_due_deliveries(OPENED_AT + later * HOUR)
        poll(monitored_repository, OPENED_AT + later * HOUR)
    breach = SlaBreach.objects.get()
    clock = SlaClock.objects.get(target_type="resolve")
    assert (breach.retracted_at, clock.state, clock.alerts.filter(kind="retracted").count()) == (
        OPENED_AT + 52 * HOUR,
        "paused",
        1,
    )
