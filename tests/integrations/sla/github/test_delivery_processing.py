"""What becomes of deliveries: the same facts in any order, once, and nothing of what does not belong here."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, permutations

import pytest

from integrations.partners.models import Partner
from integrations.sla import tasks
from integrations.sla.engine import inputs as rows
from integrations.sla.engine.projection import SPOKEN, in_order
from integrations.sla.github import delivery_processing
from integrations.sla.models import Breach, Clock, Delivery, Issue, IssueEvent, Watch
from integrations.sla.services import projection
from tests.fakes.github.tracker import Hooked, Tracker
from tests.integrations.sla.watched import (
    HELPER,
    OPENED,
    PARTNER,
    REPORTER,
    STALE,
    post,
    supported,
    tracker_of,
    unguarded,
    watch_over,
)

HOUR = timedelta(hours=1)
LATER = OPENED + 6 * HOUR
FOREVER = datetime.max.replace(tzinfo=UTC)


@pytest.fixture
def watch(acme: Partner) -> Watch:
    return watch_over(supported(acme))


@pytest.fixture
def tracker(watch: Watch) -> Tracker:
    return tracker_of(watch)


def deliver(watch: Watch, hooked: list[Hooked]) -> None:
    """As they would be after the door, in this order."""
    for each in hooked:
        row = {"event": each.event, "digest": str(hash(each.body)), "body": each.body, "received_at": OPENED}
        Delivery.objects.get_or_create(watch=watch, delivery_id=each.id, defaults=row)


def facts(watch: Watch) -> list[tuple[str, str, str]]:
    rows = IssueEvent.objects.filter(issue__watch=watch).order_by("at", "key")
    return [(row.key, row.actor, row.text) for row in rows]


def known(watch: Watch) -> list[tuple[object, ...]]:
    """The facts as the fold takes them: each once, whoever told it."""
    found = []
    for issue in Issue.objects.filter(watch=watch).order_by("number"):
        for fact in in_order(rows.happenings(issue), FOREVER):
            said = fact.comment if fact.kind in SPOKEN else ""
            found.append((issue.number, str(fact.kind), fact.at, fact.actor.id, fact.label, fact.text, said))
    return sorted(found)


def state(watch: Watch) -> list[tuple[object, ...]]:
    issues = Issue.objects.filter(watch=watch).order_by("number").values_list("number", "is_open", "severity", "title")
    clocks = Clock.objects.filter(watch=watch).order_by("issue__number", "verb")
    return [*issues, *clocks.values_list(*projection.FOLDED, "next_at")]


def outcomes(watch: Watch) -> list[str]:
    return list(Delivery.objects.filter(watch=watch).order_by("pk").values_list("outcome", flat=True))


def test_webhook_becomes_an_issue_with_its_clocks(watch, tracker):
    tracker.open(REPORTER, "It crashes", OPENED, labels=("crash",))
    for hooked in tracker.hooked:
        assert post(watch, hooked) == 202
    assert delivery_processing.read_due(LATER) == 2
    issue = Issue.objects.get(watch=watch)
    assert (issue.number, issue.title, issue.author, issue.severity) == (1, "It crashes", "uma", "critical")
    clock = issue.clocks.get(verb="resolve")
    assert (clock.promised, clock.state, clock.due_at) == (True, "running", OPENED + 48 * HOUR)
    assert clock.next_at == OPENED + 24 * HOUR
    watch.refresh_from_db()
    assert watch.last_delivery_at is not None


def test_d2_every_order_gives_the_same_state(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED)
    said = tracker.comment(number, PARTNER, "Have a look at the log, please.", OPENED + HOUR)
    tracker.edit_comment(said, PARTNER, "Which version do you use?", OPENED + 2 * HOUR)
    tracker.label(number, HELPER, "crash", OPENED + 2 * HOUR)
    tracker.close(number, REPORTER, OPENED + 3 * HOUR)
    found = set()
    for order in islice(permutations(tracker.hooked), 0, None, 3):
        with unguarded():
            Issue.objects.all().delete()
        Delivery.objects.all().delete()
        deliver(watch, list(order))
        delivery_processing.read_due(LATER)
        found.add(json.dumps([known(watch), state(watch)], default=str))
    assert len(found) == 1


def test_d3_replay_under_a_new_id_is_flagged_and_has_no_effect(watch, tracker):
    tracker.open(REPORTER, "It crashes", OPENED)
    hooked = tracker.hooked[0]
    deliver(watch, [hooked, *(replace(hooked, id=f"replay-{n}") for n in range(20))])
    delivery_processing.read_due(LATER)
    before = state(watch)
    deliver(watch, [replace(hooked, id="replay-later")])
    delivery_processing.read_due(LATER + HOUR)
    assert outcomes(watch) == ["read", *["replay"] * 21]
    assert (state(watch), len(facts(watch))) == (before, 1)


def test_d5_payload_of_another_repository_tells_nothing(watch, tracker):
    foreign = Tracker("acme/other", 4712)
    foreign.open(REPORTER, "Elsewhere", OPENED)
    deliver(watch, foreign.hooked)
    delivery_processing.read_due(LATER)
    assert (outcomes(watch), facts(watch)) == (["foreign"], [])


def test_d10_what_is_not_about_issues_is_kept_and_left(watch, tracker):
    unknown = {"action": "created", "repository": tracker.repository()}
    deliver(watch, [tracker.ping(), Hooked("u", "sponsorship", json.dumps(unknown).encode())])
    delivery_processing.read_due(LATER)
    assert outcomes(watch) == ["ignored", "ignored"]
    watch.refresh_from_db()
    assert watch.hook_id == tracker.hook_id


def test_unknown_action_still_tells_of_its_issue(watch, tracker):
    tracker.open(REPORTER, "It crashes", OPENED)
    payload = json.loads(tracker.hooked[0].body) | {"action": "typed"}
    deliver(watch, [Hooked("t", "issues", json.dumps(payload).encode())])
    delivery_processing.read_due(LATER)
    assert (outcomes(watch), [key for key, *_ in facts(watch)]) == (["read"], ["opened"])


def test_comment_on_a_pull_request_is_left(watch, tracker):
    number = tracker.open(REPORTER, "A change", OPENED)
    tracker.issues[number]["pull_request"] = {"url": "x"}
    tracker.hooked.clear()
    tracker.comment(number, PARTNER, "Thank you.", OPENED)
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(LATER)
    assert (outcomes(watch), facts(watch)) == (["ignored"], [])


@pytest.mark.parametrize(
    "change",
    [
        {"issue": None}, {"issue": {}}, {"issue": []}, {"issue": {"id": "x"}}, {"action": ["opened"]},
        {"issue": {"id": 1, "number": 1, "title": 5, "created_at": "yesterday", "updated_at": "today"}},
    ],
)  # fmt: skip
def test_payload_of_another_shape_stops_nothing(watch, tracker, change):
    tracker.open(REPORTER, "It crashes", OPENED)
    broken = json.loads(tracker.hooked[0].body) | change
    tracker.open(REPORTER, "It hangs", OPENED)
    deliver(watch, [Hooked("b", "issues", json.dumps(broken).encode()), tracker.hooked[1]])
    assert delivery_processing.read_due(LATER) == 2
    assert outcomes(watch) == ["unreadable", "read"]


def test_text_that_a_database_refuses_is_kept_without_it(watch, tracker):
    tracker.open(REPORTER, "It \x00 crashes \ud800", OPENED)
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(LATER)
    assert Issue.objects.get().title == "It  crashes ?"


def test_issue_older_than_the_support_is_left(watch, tracker):
    tracker.open(REPORTER, "Long known", OPENED - HOUR)
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(LATER)
    assert Issue.objects.count() == 0


def test_late_answer_that_came_in_time_takes_the_breach_back_once(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED, labels=("crash",))
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(LATER)
    Watch.objects.update(data_up_to=OPENED + 49 * HOUR)
    tasks.sweep(OPENED + 49 * HOUR)
    assert Breach.objects.filter(retracted_at=None).count() == 1
    tracker.hooked.clear()
    tracker.close(number, REPORTER, OPENED + 40 * HOUR)
    deliver(watch, tracker.hooked)
    for later in (50, 51):
        delivery_processing.read_due(OPENED + later * HOUR)
        projection.refold([Issue.objects.get().pk], OPENED + later * HOUR)
    breach = Breach.objects.get()
    assert breach.retracted_at == OPENED + 50 * HOUR
    clock = Clock.objects.get(verb="resolve")
    assert (clock.state, clock.breached_at, clock.next_at) == ("met", None, None)
    assert clock.events.filter(kind="retracted").count() == 1


def test_closing_by_a_machine_counts_for_nothing(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED)
    tracker.close(number, STALE, OPENED + HOUR)
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(LATER)
    assert Clock.objects.get(verb="resolve").state == "running"
    assert Issue.objects.get().is_open is False


def test_issue_keeps_the_policy_of_its_opening(watch, tracker):
    integration = watch.integration
    integration.support_policies.create(
        state="accepted", critical_labels=["on fire"], pause_labels=[], team=[], proposed_at=OPENED,
        valid_from=OPENED + HOUR,
    )  # fmt: skip
    tracker.open(REPORTER, "Before", OPENED, labels=("on fire",))
    tracker.open(REPORTER, "After", OPENED + 2 * HOUR, labels=("on fire",))
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(LATER)
    assert list(Issue.objects.order_by("number").values_list("severity", flat=True)) == ["other", "critical"]


def test_delivery_that_keeps_failing_is_put_aside_and_the_rest_is_read(watch, tracker, monkeypatch):
    tracker.open(REPORTER, "Breaks", OPENED)
    tracker.open(REPORTER, "Works", OPENED)
    deliver(watch, tracker.hooked)
    whole = delivery_processing.told_by

    def breaks(row, delivery):
        if delivery.delivery_id == tracker.hooked[0].id:
            raise RuntimeError("poison")
        return whole(row, delivery)

    monkeypatch.setattr(delivery_processing, "told_by", breaks)
    for _ in range(delivery_processing.MOST_ATTEMPTS):
        delivery_processing.read_due(LATER)
    assert outcomes(watch) == ["failed", "read"]
