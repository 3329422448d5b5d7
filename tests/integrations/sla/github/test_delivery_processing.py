"""Tests of delivery processing: events are stored once, in any order, and only from the repository."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, permutations

import pytest

from integrations.sla import tasks
from integrations.sla.engine.timeline import COMMENT_KINDS, order_events
from integrations.sla.github import delivery_processing
from integrations.sla.models import (
    GitHubDelivery,
    MonitoredRepository,
    SlaBreach,
    SlaClock,
    SupportIssue,
    SupportIssueEvent,
)
from integrations.sla.selectors import issue_states
from integrations.sla.services import projection
from tests.fakes.github.tracker import Tracker, WebhookDelivery
from tests.integrations.sla.monitored_repository import (
    COLLABORATOR,
    OPENED_AT,
    PARTNER,
    REPORTER,
    STALE_BOT,
    build_tracker,
    deliver,
    disable_delete_guard,
    post_delivery,
)

pytestmark = pytest.mark.any_database

HOUR = timedelta(hours=1)
LATER = OPENED_AT + 6 * HOUR
TIME = "2026-04-14T09:00:00Z"
MAX_DATETIME = datetime.max.replace(tzinfo=UTC)


@pytest.fixture
def tracker(monitored_repository: MonitoredRepository) -> Tracker:
    return build_tracker(monitored_repository)


def list_event_texts(monitored_repository: MonitoredRepository) -> list[tuple[str, str, str]]:
    rows = SupportIssueEvent.objects.filter(issue__monitored_repository=monitored_repository).order_by("at", "key")
    return [(row.key, row.actor, row.text) for row in rows]


def list_known_events(monitored_repository: MonitoredRepository) -> list[tuple[object, ...]]:
    """Return the events that the projection uses: each once, whatever its source."""
    events = []
    for issue in SupportIssue.objects.filter(monitored_repository=monitored_repository).order_by("number"):
        for fact in order_events(issue_states.list_timeline_events(issue), MAX_DATETIME):
            comment_text = fact.comment if fact.kind in COMMENT_KINDS else ""
            events.append((issue.number, str(fact.kind), fact.at, fact.actor.id, fact.label, fact.text, comment_text))
    return sorted(events)


def list_state(monitored_repository: MonitoredRepository) -> list[tuple[object, ...]]:
    issues = (
        SupportIssue.objects.filter(monitored_repository=monitored_repository)
        .order_by("number")
        .values_list("number", "is_open", "severity", "title")
    )
    clocks = SlaClock.objects.filter(monitored_repository=monitored_repository).order_by("issue__number", "target_type")
    return [*issues, *clocks.values_list(*projection.CLOCK_FIELDS)]


def list_outcomes(monitored_repository: MonitoredRepository) -> list[str]:
    return list(
        GitHubDelivery.objects.filter(monitored_repository=monitored_repository)
        .order_by("pk")
        .values_list("outcome", flat=True)
    )


@pytest.mark.every_database
def test_webhook_becomes_an_issue_with_its_clocks(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    for delivery in tracker.webhooks:
        assert post_delivery(monitored_repository, delivery) == 202
    assert delivery_processing.process_due_deliveries(LATER) == 2
    issue = SupportIssue.objects.get(monitored_repository=monitored_repository)
    assert (issue.number, issue.title, issue.author, issue.severity) == (1, "It crashes", "uma", "critical")
    clock = issue.clocks.get(target_type="resolve")
    assert (clock.is_committed, clock.state, clock.due_at) == (True, "running", OPENED_AT + 48 * HOUR)
    assert clock.next_at == OPENED_AT + 24 * HOUR
    monitored_repository.refresh_from_db()
    assert monitored_repository.last_delivery_at is not None


@pytest.mark.every_database
def test_every_order_gives_the_same_state(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    comment_id = tracker.comment(number, PARTNER, "Have a look at the log, please.", OPENED_AT + HOUR)
    tracker.edit_comment(comment_id, PARTNER, "Which version do you use?", OPENED_AT + 2 * HOUR)
    tracker.label(number, COLLABORATOR, "crash", OPENED_AT + 2 * HOUR)
    tracker.close(number, REPORTER, OPENED_AT + 3 * HOUR)
    states = set()
    for order in islice(permutations(tracker.webhooks), 0, None, 3):
        with disable_delete_guard():
            SupportIssue.objects.all().delete()
        GitHubDelivery.objects.all().delete()
        deliver(monitored_repository, list(order))
        delivery_processing.process_due_deliveries(LATER)
        states.add(json.dumps([list_known_events(monitored_repository), list_state(monitored_repository)], default=str))
    assert len(states) == 1


def test_replay_under_a_new_id_is_flagged_and_has_no_effect(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    delivery = tracker.webhooks[0]
    deliver(monitored_repository, [delivery, *(replace(delivery, id=f"replay-{n}") for n in range(20))])
    delivery_processing.process_due_deliveries(LATER)
    before = list_state(monitored_repository)
    deliver(monitored_repository, [replace(delivery, id="replay-later")])
    delivery_processing.process_due_deliveries(LATER + HOUR)
    assert list_outcomes(monitored_repository) == ["read", *["replay"] * 21]
    assert (list_state(monitored_repository), len(list_event_texts(monitored_repository))) == (before, 1)


def test_payload_of_another_repository_is_ignored(monitored_repository, tracker):
    foreign = Tracker("acme/other", 4712)
    foreign.open(REPORTER, "Elsewhere", OPENED_AT)
    deliver(monitored_repository, foreign.webhooks)
    delivery_processing.process_due_deliveries(LATER)
    assert (list_outcomes(monitored_repository), list_event_texts(monitored_repository)) == (["foreign"], [])
    monitored_repository.refresh_from_db()
    assert monitored_repository.last_delivery_at is None


def test_unrelated_events_are_stored_and_ignored(monitored_repository, tracker):
    unknown = {"action": "created", "repository": tracker.build_repository()}
    deliver(monitored_repository, [tracker.ping(), WebhookDelivery("u", "sponsorship", json.dumps(unknown).encode())])
    delivery_processing.process_due_deliveries(LATER)
    assert list_outcomes(monitored_repository) == ["ignored", "ignored"]


def test_unknown_action_still_stores_its_issue(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    payload = json.loads(tracker.webhooks[0].body) | {"action": "typed"}
    deliver(monitored_repository, [WebhookDelivery("t", "issues", json.dumps(payload).encode())])
    delivery_processing.process_due_deliveries(LATER)
    assert (list_outcomes(monitored_repository), [key for key, *_ in list_event_texts(monitored_repository)]) == (
        ["read"],
        ["opened"],
    )


def test_comment_on_a_pull_request_is_ignored(monitored_repository, tracker):
    number = tracker.open(REPORTER, "A change", OPENED_AT)
    tracker.issues[number]["pull_request"] = {"url": "x"}
    tracker.webhooks.clear()
    tracker.comment(number, PARTNER, "Thank you.", OPENED_AT)
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(LATER)
    assert (list_outcomes(monitored_repository), list_event_texts(monitored_repository)) == (["ignored"], [])


@pytest.mark.every_database
def test_forged_event_of_a_distant_future_does_not_hide_the_clock(monitored_repository, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    tracker.lock(1, COLLABORATOR, datetime(2500, 1, 1, tzinfo=UTC))
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(LATER)
    clock = SlaClock.objects.get(target_type="resolve")
    assert (clock.state, clock.due_at) == ("running", OPENED_AT + 7 * 24 * HOUR)
    assert clock.next_at == OPENED_AT + 60 * HOUR


def test_issue_opened_during_a_long_run_gets_its_clocks(monitored_repository, tracker):
    """The run has one time, its beginning, and reads what arrives until its end."""
    tracker.open(REPORTER, "It crashes", LATER + HOUR)
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(LATER)
    assert SlaClock.objects.get(target_type="resolve").due_at == LATER + HOUR + 7 * 24 * HOUR


@pytest.mark.parametrize(
    "change",
    [
        {"issue": None},
        {"issue": {}},
        {"issue": []},
        {"issue": {"id": "x"}},
        {"action": ["opened"]},
        {"issue": {"id": 1, "number": 1, "title": 5, "created_at": "yesterday", "updated_at": "today"}},
        {"issue": {"id": 1, "number": 1, "title": "x", "created_at": "0001-01-01T00:00:00+01:00", "updated_at": None}},
        {"action": "labeled"},
        {"action": "closed"},
        {"event": "issue_comment", "action": "created"},
        {"event": "issue_comment", "action": "created", "comment": {"body": False}},
        {"issue": {"id": 1, "number": 2**31, "title": "", "created_at": TIME, "updated_at": TIME}},
        {"issue": {"id": 1, "number": 1, "title": "", "created_at": TIME, "updated_at": "9999-12-31T23:59:59-01:00"}},
    ],
)
def test_unreadable_payload_does_not_stop_the_others(monitored_repository, tracker, change):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    payload = json.loads(tracker.webhooks[0].body) | change
    tracker.open(REPORTER, "It hangs", OPENED_AT)
    event = payload.pop("event", "issues")
    deliver(monitored_repository, [WebhookDelivery("b", event, json.dumps(payload).encode()), tracker.webhooks[1]])
    assert delivery_processing.process_due_deliveries(LATER) == 2
    assert list_outcomes(monitored_repository) == ["unreadable", "read"]


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"1", b"null", b"true"])
def test_payload_that_is_no_object_is_unreadable(monitored_repository, body):
    deliver(monitored_repository, [WebhookDelivery("d1", "issues", body)])
    delivery = GitHubDelivery.objects.get()
    assert delivery_processing.interpret_delivery(monitored_repository, delivery) == ("unreadable", None)


@pytest.mark.every_database
def test_characters_that_databases_refuse_are_removed(monitored_repository, tracker):
    tracker.open(REPORTER, "It \x00 crashes \ud800", OPENED_AT)
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(LATER)
    assert SupportIssue.objects.get().title == "It  crashes ?"


def test_issue_older_than_the_support_is_ignored(monitored_repository, tracker):
    tracker.open(REPORTER, "Long known", OPENED_AT - HOUR)
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(LATER)
    assert SupportIssue.objects.count() == 0


@pytest.mark.every_database
def test_late_webhook_of_a_timely_closure_retracts_the_breach_once(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(LATER)
    MonitoredRepository.objects.update(data_up_to=OPENED_AT + 49 * HOUR)
    tasks.advance_due_clocks(OPENED_AT + 49 * HOUR)
    assert SlaBreach.objects.filter(retracted_at=None).count() == 1
    tracker.webhooks.clear()
    tracker.close(number, REPORTER, OPENED_AT + 40 * HOUR)
    deliver(monitored_repository, tracker.webhooks)
    for later in (50, 51):
        delivery_processing.process_due_deliveries(OPENED_AT + later * HOUR)
        projection.rebuild_projections([SupportIssue.objects.get().pk], OPENED_AT + later * HOUR)
    breach = SlaBreach.objects.get()
    assert breach.retracted_at == OPENED_AT + 50 * HOUR
    clock = SlaClock.objects.get(target_type="resolve")
    assert (clock.state, clock.breached_at, clock.next_at) == ("met", None, None)
    assert clock.alerts.filter(kind="retracted").count() == 1


def test_closure_by_a_bot_does_not_count(monitored_repository, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    tracker.close(number, STALE_BOT, OPENED_AT + HOUR)
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(LATER)
    assert SlaClock.objects.get(target_type="resolve").state == "running"
    assert SupportIssue.objects.get().is_open is False


@pytest.mark.every_database
def test_issue_keeps_the_policy_of_its_opening(monitored_repository, tracker):
    integration = monitored_repository.integration
    integration.label_policies.create(
        state="accepted",
        critical_labels=["on fire"],
        pause_labels=[],
        team=[],
        proposed_at=OPENED_AT,
        valid_from=OPENED_AT + HOUR,
    )
    tracker.open(REPORTER, "Before", OPENED_AT, labels=("on fire",))
    tracker.open(REPORTER, "After", OPENED_AT + 2 * HOUR, labels=("on fire",))
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(LATER)
    assert list(SupportIssue.objects.order_by("number").values_list("severity", flat=True)) == ["other", "critical"]


@pytest.mark.every_database
def test_failing_delivery_does_not_block_the_others(monitored_repository, tracker, monkeypatch):
    tracker.open(REPORTER, "Breaks", OPENED_AT)
    tracker.open(REPORTER, "Works", OPENED_AT)
    deliver(monitored_repository, tracker.webhooks)
    interpret = delivery_processing.interpret_delivery

    def fail_on_first(row, delivery):
        if delivery.delivery_id == tracker.webhooks[0].id:
            raise RuntimeError("unreadable")
        return interpret(row, delivery)

    monkeypatch.setattr(delivery_processing, "interpret_delivery", fail_on_first)
    for _ in range(delivery_processing.MAX_ATTEMPTS):
        delivery_processing.process_due_deliveries(LATER)
    assert list_outcomes(monitored_repository) == ["failed", "read"]
