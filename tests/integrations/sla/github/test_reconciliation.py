"""What no webhook told is known after one reading; an outage changes nothing; a gap is not what it seems at once."""

import json
import random
from datetime import datetime, timedelta

import pytest

from integrations.partners.models import Partner
from integrations.sla import tasks
from integrations.sla.github import delivery_processing, reconciliation, redelivery
from integrations.sla.models import Breach, Clock, Delivery, Issue, IssueEvent, Watch
from integrations.sla.services import monitoring
from tests.fakes.github.server import GitHub
from tests.fakes.github.tracker import Person, Tracker
from tests.integrations.sla.github.test_delivery_processing import deliver, facts, known, state
from tests.integrations.sla.watched import (
    HELPER,
    OPENED,
    PARTNER,
    PASSER_BY,
    REPORTER,
    STALE,
    supported,
    tracker_of,
    unguarded,
    watch_over,
)
from verification.sources.github.issues import Seen

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PEOPLE = (REPORTER, PARTNER, HELPER, PASSER_BY, STALE)
NOW = OPENED + 30 * HOUR


@pytest.fixture
def watch(acme: Partner, github: GitHub) -> Watch:
    return watch_over(supported(acme))


@pytest.fixture
def tracker(watch: Watch, github: GitHub) -> Tracker:
    return github.track(tracker_of(watch))


def poll(watch: Watch, now: datetime = NOW) -> int:
    """One reading, whenever it would be due. Returns how many were read."""
    Watch.objects.filter(pk=watch.pk).update(poll_at=now)
    done = reconciliation.poll_due(now)
    watch.refresh_from_db()
    return done


def story(tracker: Tracker, rng: random.Random, issues: int = 12) -> None:
    """Issues with everything that happens to issues, a few minutes or hours apart."""
    at = OPENED
    for _ in range(issues):
        at += timedelta(minutes=rng.randrange(1, 40))
        labels = ("crash",) if rng.random() < 0.4 else ()
        number = tracker.open(REPORTER, f"Trouble {rng.random():.3f}", at, labels=labels)
        then = at
        for _ in range(rng.randrange(6)):
            then += timedelta(minutes=rng.randrange(2, 90))
            happen(tracker, rng, number, then)


def happen(tracker: Tracker, rng: random.Random, number: int, at: datetime) -> None:
    who = rng.choice([REPORTER, PARTNER, HELPER, PASSER_BY, STALE])
    what = rng.randrange(6)
    if what == 0 and tracker.issues[number]["state"] == "open":
        tracker.close(number, who, at)
    elif what == 1 and tracker.issues[number]["state"] == "closed":
        tracker.reopen(number, REPORTER, at)
    elif what == 2 and not tracker.issues[number]["labels"]:
        tracker.label(number, HELPER, rng.choice(["crash", "needs-info", "docs"]), at)
    elif what == 3 and tracker.issues[number]["labels"]:
        tracker.unlabel(number, HELPER, tracker.issues[number]["labels"][0]["name"], at)
    else:
        tracker.comment(number, who, rng.choice(["Which version do you use?", "It is fixed in 1.2.", "Me too"]), at)


def later(tracker: Tracker, rng: random.Random, begins: datetime) -> None:
    """What is changed of what was said: comments edited and deleted, reports rewritten, conversations locked."""
    for number in list(tracker.issues):
        then = begins
        said = [comment for comment in tracker.comments if comment["issue_url"].endswith(f"/{number}")]
        rng.shuffle(said)
        for comment in said[1:3]:
            then += timedelta(minutes=rng.randrange(2, 90))
            who = next(each for each in PEOPLE if each.id == comment["user"]["id"])
            words = rng.choice(["We look into it.", "Which version do you use, and where?", "+1"])
            tracker.edit_comment(comment["id"], who, words, then)
        for comment in said[:1]:  # of several that are gone, a list cannot tell which went first
            then += timedelta(minutes=rng.randrange(2, 90))
            tracker.delete_comment(comment["id"], HELPER, then)
        if number % 2:
            then += timedelta(minutes=rng.randrange(2, 90))
            tracker.lock(number, HELPER, then)
            if number % 4 == 1:
                tracker.lock(number, HELPER, then + timedelta(minutes=7), locked=False)
        if rng.random() < 0.5:  # last: a list knows no other moment of it than the issue's last update
            tracker.edit(number, REPORTER, f"It is version {rng.random():.3f}.", then + timedelta(minutes=9))


def of(watch: Watch) -> tuple[list[object], list[object]]:
    """Everything that follows from the facts: who said what when, issues and clocks."""
    return list(known(watch)), list(state(watch))


def start_over(watch: Watch) -> None:
    with unguarded():
        Issue.objects.all().delete()
    Delivery.objects.all().delete()
    Watch.objects.filter(pk=watch.pk).update(cursors={}, etags={}, data_up_to=OPENED)


@pytest.mark.parametrize("seed", range(4))
def test_d7_dropped_and_shuffled_webhooks_change_nothing_after_one_reading(watch, tracker, seed):
    rng = random.Random(seed)
    story(tracker, rng)
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(NOW)
    poll(watch)
    truth = of(watch)
    start_over(watch)
    arriving = [hooked for hooked in tracker.hooked if rng.random() >= 0.3]
    rng.shuffle(arriving)
    deliver(watch, arriving)
    delivery_processing.read_due(NOW)
    assert of(watch)[0] != truth[0]
    poll(watch)
    assert of(watch) == truth
    start_over(watch)
    poll(watch)
    assert of(watch) == truth
    deliver(watch, arriving)
    delivery_processing.read_due(NOW)
    assert of(watch) == truth


def arrive(watch: Watch, tracker: Tracker, rng: random.Random, told: int, share: float) -> None:
    """What was told since then arrives shuffled, that share of it; then everything is read once."""
    arriving = [hooked for hooked in tracker.hooked[told:] if rng.random() < share]
    rng.shuffle(arriving)
    deliver(watch, arriving)
    for hooked in arriving:  # as they happened: what was deleted was deleted when we heard of it
        at = json.loads(hooked.body)["issue"]["updated_at"]
        Delivery.objects.filter(delivery_id=hooked.id).update(received_at=datetime.fromisoformat(at))
    delivery_processing.read_due(NOW)
    poll(watch)


@pytest.mark.parametrize("seed", range(2))
def test_d7_edits_deletions_and_locks_that_no_webhook_told_are_known_after_one_reading(watch, tracker, seed):
    begins, found = OPENED + 20 * HOUR, []
    for share in (1.0, 0.7, 0.0):  # everything is told, some of it, nothing
        start_over(watch)
        tracker.__dict__.update(Tracker(tracker.full_name, tracker.id).__dict__)
        rng, chance = random.Random(seed), random.Random(seed)
        story(tracker, rng, issues=8)
        arrive(watch, tracker, chance, 0, share)
        told = len(tracker.hooked)
        later(tracker, rng, begins)
        arrive(watch, tracker, chance, told, share)
        found.append(of(watch))
    assert found[1] == found[0]
    assert found[2] == found[0]
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(NOW)
    assert of(watch) == found[0]
    kinds = {row[1] for row in found[0][0]}
    assert {"edited", "comment_edited", "comment_deleted", "locked", "unlocked"} <= kinds


def test_d7_rewritten_report_ends_the_pause_though_no_webhook_told(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED, body="It crashes.")
    tracker.comment(number, PARTNER, "Which version do you use?", OPENED + HOUR)
    poll(watch, OPENED + 2 * HOUR)
    assert Clock.objects.get(verb="resolve").state == "paused"
    tracker.edit(number, REPORTER, "It crashes. Version 1.2.3.", OPENED + 3 * HOUR)
    for hour in (4, 5):
        poll(watch, OPENED + hour * HOUR)
    clock, edited = Clock.objects.get(verb="resolve"), IssueEvent.objects.get(kind="edited")
    assert (clock.state, clock.paused_seconds) == ("running", 2 * 3600)
    assert (edited.at, edited.actor, edited.data) == (OPENED + 3 * HOUR, "uma", {"body": True, "guessed": True})


def test_d7_webhook_that_comes_late_says_who_rewrote_the_report(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED, body="It crashes.")
    tracker.comment(number, PARTNER, "Which version do you use?", OPENED + HOUR)
    poll(watch, OPENED + 2 * HOUR)
    tracker.edit(number, PARTNER, "```\nIt crashes.\n```", OPENED + 3 * HOUR)
    poll(watch, OPENED + 4 * HOUR)
    assert Clock.objects.get(verb="resolve").state == "running"
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(OPENED + 5 * HOUR)
    assert Clock.objects.get(verb="resolve").state == "paused"
    assert [row[1:4] for row in known(watch) if row[1] == "edited"] == [("edited", OPENED + 3 * HOUR, PARTNER.id)]


def test_d7_first_words_of_a_comment_count_once_their_webhook_comes(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED)
    said = tracker.comment(number, PARTNER, "It is fixed in 1.2.", OPENED + HOUR)
    tracker.edit_comment(said, PARTNER, "It is fixed in 1.2.1.", OPENED + 3 * HOUR)
    poll(watch, OPENED + 4 * HOUR)
    assert Clock.objects.get(verb="respond").stopped_at == OPENED + 3 * HOUR
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(OPENED + 5 * HOUR)
    assert Clock.objects.get(verb="respond").stopped_at == OPENED + HOUR


def test_d7_breach_that_never_was_is_taken_back_once(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED, labels=("crash",))
    deliver(watch, tracker.hooked)
    delivery_processing.read_due(NOW)
    poll(watch, OPENED + 49 * HOUR)
    tasks.sweep(OPENED + 49 * HOUR)
    assert Breach.objects.count() == 1
    tracker.comment(number, PARTNER, "Which version do you use?", OPENED + 2 * HOUR)
    for later in (52, 53):
        deliver(watch, tracker.hooked)
        delivery_processing.read_due(OPENED + later * HOUR)
        poll(watch, OPENED + later * HOUR)
    breach, clock = Breach.objects.get(), Clock.objects.get(verb="resolve")
    assert (breach.retracted_at, clock.state, clock.events.filter(kind="retracted").count()) == (
        OPENED + 52 * HOUR,
        "paused",
        1,
    )


def test_quiet_repository_costs_two_questions_that_are_free(watch, tracker, github):
    tracker.open(REPORTER, "It crashes", OPENED)
    poll(watch, OPENED + 2 * HOUR)
    poll(watch, OPENED + 3 * HOUR)
    github.seen.clear()
    poll(watch, OPENED + 4 * HOUR)
    assert github.seen == [f"GET /repos/{watch.repository}", f"GET /repos/{watch.repository}/issues"]
    assert watch.data_up_to == OPENED + 4 * HOUR


def test_everything_is_looked_at_once_a_day(watch, tracker, github):
    tracker.open(REPORTER, "It crashes", OPENED)
    poll(watch, OPENED + HOUR)
    poll(watch, OPENED + 2 * HOUR)
    github.seen.clear()
    poll(watch, OPENED + 26 * HOUR)
    assert len(github.seen) == 5


@pytest.mark.parametrize("kind", [500, 502, 503, "cut", "garbage", "rate_limit", 429])
@pytest.mark.parametrize("path", [r"/issues$", r"/issues/events$", r"/issues/comments$"])
def test_a1_outage_changes_nothing_until_it_is_over(watch, tracker, github, kind, path):
    tracker.open(REPORTER, "It crashes", OPENED)
    github.fail(path, kind, times=1)
    assert poll(watch, OPENED + HOUR) == 0
    assert (facts(watch), watch.data_up_to, watch.attempts, watch.cursors) == ([], OPENED, 1, {})
    assert watch.poll_at > OPENED + HOUR
    assert watch.claimed_until is None


def test_outage_is_said_in_words_when_it_lasts_and_forgotten_when_it_is_over(watch, tracker, github):
    github.fail("/issues$", 502, times=3)
    for hour in (1, 2, 3):
        poll(watch, OPENED + hour * HOUR)
    assert monitoring.trouble(watch).startswith("GitHub answered 502")
    poll(watch, OPENED + 4 * HOUR)
    assert (watch.trouble, watch.data_up_to) == ("", OPENED + 4 * HOUR)


def test_a8_missing_repository_is_missing_only_after_a_day(watch, github):
    poll(watch, OPENED + HOUR)
    assert (watch.trouble, watch.data_up_to) == (reconciliation.NOT_SHOWN, OPENED)
    poll(watch, OPENED + 20 * HOUR)
    assert watch.trouble == reconciliation.NOT_SHOWN
    poll(watch, OPENED + 25 * HOUR)
    assert watch.trouble == reconciliation.GONE
    github.track(tracker_of(watch))
    poll(watch, OPENED + 26 * HOUR)
    assert (watch.trouble, watch.missing_since, watch.data_up_to) == ("", None, OPENED + 26 * HOUR)


def test_a7_old_name_of_another_repository_tells_nothing(watch, tracker):
    tracker.open(REPORTER, "It crashes", OPENED)
    tracker.id = 999
    poll(watch)
    assert (facts(watch), watch.data_up_to) == ([], OPENED)
    assert watch.trouble == f"The name {watch.repository} now belongs to another repository"


def test_a6_renamed_repository_is_followed(watch, tracker):
    tracker.open(REPORTER, "It crashes", OPENED)
    old, tracker.full_name = tracker.full_name, "acme/nomad-booster"
    poll(watch)
    assert (watch.repository, len(facts(watch)), old != watch.repository) == ("acme/nomad-booster", 1, True)


def test_pages_lose_nothing(watch, tracker, monkeypatch):
    monkeypatch.setattr("verification.sources.github.issues.PAGE", 5)
    for n in range(23):
        number = tracker.open(REPORTER, f"Trouble {n}", OPENED + timedelta(minutes=n // 7))
        tracker.comment(number, PARTNER, "Which version do you use?", OPENED + timedelta(hours=1, minutes=n // 6))
        tracker.label(number, HELPER, "crash", OPENED + timedelta(hours=2, minutes=n // 4))
    poll(watch)
    assert Issue.objects.count() == 23
    assert IssueEvent.objects.count() == 69


def test_deleted_comment_is_found_missing(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED)
    said = tracker.comment(number, PARTNER, "It is fixed in 1.2.", OPENED + HOUR)
    poll(watch, OPENED + 2 * HOUR)
    assert Clock.objects.get(verb="respond").stopped_at == OPENED + HOUR
    tracker.delete_comment(said, PARTNER, OPENED + 3 * HOUR)
    poll(watch, OPENED + 4 * HOUR)
    event = IssueEvent.objects.get(kind="comment_deleted")
    assert (event.key, event.at, event.data) == (
        f"comment:{said}:deleted",
        OPENED + 3 * HOUR,
        {"comment": f"comment:{said}"},
    )
    assert Clock.objects.get(verb="respond").stopped_at is None


def test_deleted_issue_is_found_missing_within_a_day(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED)
    poll(watch, OPENED + HOUR)
    tracker.delete(number, Person(1, "admin"))
    poll(watch, OPENED + 26 * HOUR)
    assert [row[0] for row in facts(watch)] == ["opened", "deleted"]
    assert Issue.objects.get().is_open is False


def test_what_github_could_not_deliver_is_asked_for_once(watch, tracker):
    Watch.objects.update(hook_id=tracker.hook_id)
    tracker.open(REPORTER, "It crashes", OPENED)
    lost = tracker.could_not_deliver(tracker.hooked[0], NOW - HOUR)
    tracker.could_not_deliver(tracker.ping(), NOW - timedelta(days=4))
    poll(watch)
    poll(watch, NOW + HOUR)
    assert tracker.redelivered == [lost]


def test_what_is_asked_for_again_is_asked_a_second_apart(watch, tracker):
    Watch.objects.update(hook_id=tracker.hook_id)
    tracker.open(REPORTER, "It crashes", OPENED)
    lost = {tracker.could_not_deliver(tracker.ping(), NOW - HOUR) for _ in range(3)}
    watch.refresh_from_db()
    waited: list[float] = []
    assert redelivery.tend(reconciliation.api_for(Seen({}, {})), watch, NOW, waited.append) == 3
    assert (set(tracker.redelivered), waited) == (lost, [1.0, 1.0])


def test_five_hundred_lost_deliveries_are_asked_for_while_github_keeps_them():
    assert 500 / redelivery.AT_ONCE * redelivery.AFTER_A_GAP < redelivery.KEPT_FOR / 4


def test_what_did_not_arrive_in_an_outage_is_asked_for_until_nothing_is_left(watch, tracker, monkeypatch):
    monkeypatch.setattr(redelivery, "AT_ONCE", 60)
    Watch.objects.update(hook_id=tracker.hook_id)
    begins = NOW - 20 * HOUR
    hooked = [tracker.ping() for _ in range(300)]
    lost = [tracker.could_not_deliver(each, begins + timedelta(minutes=n)) for n, each in enumerate(hooked)]
    for n, each in enumerate(tracker.ping() for _ in range(150)):  # since then all is well
        tracker.delivered(each, NOW - 5 * HOUR + timedelta(minutes=n))
    by_number, asked, now = dict(zip(lost, hooked, strict=True)), 0, NOW
    api = reconciliation.api_for(Seen({}, {}))
    while asked < len(lost):
        watch.refresh_from_db()
        assert redelivery.tend(api, watch, now, lambda seconds: None) == redelivery.AT_ONCE
        deliver(watch, [by_number[number] for number in tracker.redelivered[asked:]])
        asked = len(tracker.redelivered)
        now += redelivery.AFTER_A_GAP
    watch.refresh_from_db()
    assert sorted(tracker.redelivered) == sorted(lost)
    assert now - NOW == 5 * redelivery.AFTER_A_GAP
    assert (watch.cursors["redelivery"], redelivery.tend(api, watch, now, lambda seconds: None)) == ("asked", 0)


def test_as_long_as_any_are_left_we_come_back_in_a_quarter_of_an_hour(watch, tracker):
    Watch.objects.update(hook_id=tracker.hook_id, last_delivery_at=NOW, poll_at=NOW + HOUR)
    for _ in range(redelivery.AT_ONCE + 1):
        tracker.could_not_deliver(tracker.ping(), NOW - HOUR)
    watch.refresh_from_db()
    redelivery.tend(reconciliation.api_for(Seen({}, {})), watch, NOW, lambda seconds: None)
    watch.refresh_from_db()
    assert (watch.poll_at, watch.cursors["redelivery"]) == (NOW + redelivery.AFTER_A_GAP, "left")


def test_what_fails_again_and_again_keeps_nothing_else_waiting(watch, tracker):
    Watch.objects.update(hook_id=tracker.hook_id)
    stubborn = [tracker.ping() for _ in range(redelivery.AT_ONCE)]
    for _ in range(redelivery.MOST_TRIES):
        for each in stubborn:
            tracker.could_not_deliver(each, NOW - 2 * HOUR)
    lost = tracker.could_not_deliver(tracker.ping(), NOW - HOUR)
    watch.refresh_from_db()
    assert redelivery.tend(reconciliation.api_for(Seen({}, {})), watch, NOW, lambda seconds: None) == 1
    assert tracker.redelivered == [lost]


def test_token_that_may_not_see_deliveries_is_not_asked_again_at_once(watch, tracker, github):
    Watch.objects.update(hook_id=tracker.hook_id + 1)
    poll(watch)
    github.seen.clear()
    poll(watch, NOW + 2 * DAY)
    assert [path for path in github.seen if "hooks" in path] == []
    assert watch.trouble == ""


def test_repository_in_somebodys_hands_is_left_to_them(watch, tracker, github):
    Watch.objects.update(claimed_until=NOW + timedelta(minutes=1))
    assert (poll(watch), github.seen) == (0, [])


def test_hook_that_tells_everything_lets_us_ask_less(watch, tracker):
    poll(watch)
    assert NOW + timedelta(minutes=4) < watch.poll_at <= NOW + timedelta(minutes=5)
    Watch.objects.update(last_delivery_at=NOW)
    poll(watch)
    assert NOW + timedelta(minutes=50) < watch.poll_at <= NOW + timedelta(hours=1)
