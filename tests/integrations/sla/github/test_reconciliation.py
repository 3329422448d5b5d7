"""What no webhook told is known after one reading; an outage changes nothing; a gap is not what it seems at once."""

import json
import random
from contextlib import closing
from datetime import datetime, timedelta

import pytest
import time_machine

from integrations.partners.models import Partner
from integrations.sla import tasks
from integrations.sla.github import delivery_processing, reconciliation, redelivery
from integrations.sla.models import (
    GitHubDelivery,
    MonitoredRepository,
    SlaBreach,
    SlaClock,
    SupportIssue,
    SupportIssueEvent,
)
from integrations.sla.services import monitoring
from portal.jobs.execution import run_due_jobs
from tests.fakes.github.server import GitHub
from tests.fakes.github.tracker import Person, Tracker
from tests.integrations.sla.github.test_delivery_processing import deliver, facts, list_known_events, state
from tests.integrations.sla.watched import (
    HELPER,
    OPENED_AT,
    PARTNER,
    PASSER_BY,
    REPORTER,
    STALE,
    create_listed_integration,
    disable_delete_guard,
    tracker_of,
    watch_over,
)
from verification.sources.errors import SourceUnavailableError
from verification.sources.github.issues import EtagStore

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PEOPLE = (REPORTER, PARTNER, HELPER, PASSER_BY, STALE)
NOW = OPENED_AT + 30 * HOUR


@pytest.fixture
def watch(acme: Partner, github: GitHub) -> MonitoredRepository:
    return watch_over(create_listed_integration(acme))


@pytest.fixture
def tracker(watch: MonitoredRepository, github: GitHub) -> Tracker:
    return github.track(tracker_of(watch))


def poll(watch: MonitoredRepository, now: datetime = NOW) -> int:
    """One reading, whenever it would be due. Return 0 after an outage, else 1."""
    etag_cache = EtagStore({}, {})
    try:
        with closing(reconciliation.build_api(etag_cache)) as api:
            reconciliation.reconcile_repository(watch.pk, now, api, etag_cache)
        return 1
    except SourceUnavailableError:
        return 0
    finally:
        watch.refresh_from_db()


def story(tracker: Tracker, rng: random.Random, issues: int = 12) -> None:
    """Issues with everything that happens to issues, a few minutes or hours apart."""
    at = OPENED_AT
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
        issue_comments = [comment for comment in tracker.comments if comment["issue_url"].endswith(f"/{number}")]
        rng.shuffle(issue_comments)
        for comment in issue_comments[1:3]:
            then += timedelta(minutes=rng.randrange(2, 90))
            who = next(each for each in PEOPLE if each.id == comment["user"]["id"])
            words = rng.choice(["We look into it.", "Which version do you use, and where?", "+1"])
            tracker.edit_comment(comment["id"], who, words, then)
        for comment in issue_comments[:1]:  # of several that are gone, a list cannot tell which went first
            then += timedelta(minutes=rng.randrange(2, 90))
            tracker.delete_comment(comment["id"], HELPER, then)
        if number % 2:
            then += timedelta(minutes=rng.randrange(2, 90))
            tracker.lock(number, HELPER, then)
            if number % 4 == 1:
                tracker.lock(number, HELPER, then + timedelta(minutes=7), is_locked=False)
        if rng.random() < 0.5:  # last: a list knows no other moment of it than the issue's last update
            tracker.edit(number, REPORTER, f"It is version {rng.random():.3f}.", then + timedelta(minutes=9))


def of(watch: MonitoredRepository) -> tuple[list[object], list[object]]:
    """Everything that follows from the facts: who said what when, issues and clocks."""
    return list(list_known_events(watch)), list(state(watch))


def start_over(watch: MonitoredRepository) -> None:
    with disable_delete_guard():
        SupportIssue.objects.all().delete()
    GitHubDelivery.objects.all().delete()
    MonitoredRepository.objects.filter(pk=watch.pk).update(cursors={}, etags={}, data_up_to=OPENED_AT)


@pytest.mark.parametrize("seed", range(4))
def test_d7_dropped_and_shuffled_webhooks_change_nothing_after_one_reading(watch, tracker, seed):
    rng = random.Random(seed)
    story(tracker, rng)
    deliver(watch, tracker.hooked)
    delivery_processing.process_due_deliveries(NOW)
    poll(watch)
    truth = of(watch)
    start_over(watch)
    arriving = [delivery for delivery in tracker.hooked if rng.random() >= 0.3]
    rng.shuffle(arriving)
    deliver(watch, arriving)
    delivery_processing.process_due_deliveries(NOW)
    assert of(watch)[0] != truth[0]
    poll(watch)
    assert of(watch) == truth
    start_over(watch)
    poll(watch)
    assert of(watch) == truth
    deliver(watch, arriving)
    delivery_processing.process_due_deliveries(NOW)
    assert of(watch) == truth


def arrive(watch: MonitoredRepository, tracker: Tracker, rng: random.Random, first_index: int, share: float) -> None:
    """What was told since then arrives shuffled, that share of it; then everything is read once."""
    arriving = [delivery for delivery in tracker.hooked[first_index:] if rng.random() < share]
    rng.shuffle(arriving)
    deliver(watch, arriving)
    for delivery in arriving:  # as they happened: what was deleted was deleted when we heard of it
        at = json.loads(delivery.body)["issue"]["updated_at"]
        GitHubDelivery.objects.filter(delivery_id=delivery.id).update(received_at=datetime.fromisoformat(at))
    delivery_processing.process_due_deliveries(NOW)
    poll(watch)


@pytest.mark.parametrize("seed", range(2))
def test_d7_edits_deletions_and_locks_that_no_webhook_reported_are_known_after_one_reading(watch, tracker, seed):
    begins, state_history = OPENED_AT + 20 * HOUR, []
    for share in (1.0, 0.7, 0.0):  # everything is told, some of it, nothing
        start_over(watch)
        tracker.__dict__.update(Tracker(tracker.full_name, tracker.id).__dict__)
        rng, chance = random.Random(seed), random.Random(seed)
        story(tracker, rng, issues=8)
        arrive(watch, tracker, chance, 0, share)
        count = len(tracker.hooked)
        later(tracker, rng, begins)
        arrive(watch, tracker, chance, count, share)
        state_history.append(of(watch))
    assert state_history[1] == state_history[0]
    assert state_history[2] == state_history[0]
    deliver(watch, tracker.hooked)
    delivery_processing.process_due_deliveries(NOW)
    assert of(watch) == state_history[0]
    kinds = {row[1] for row in state_history[0][0]}
    assert {"edited", "comment_edited", "comment_deleted", "locked", "unlocked"} <= kinds


def test_d7_rewritten_report_ends_the_pause_though_no_webhook_reported(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT, body="It crashes.")
    tracker.comment(number, PARTNER, "Which version do you use?", OPENED_AT + HOUR)
    poll(watch, OPENED_AT + 2 * HOUR)
    assert SlaClock.objects.get(target_type="resolve").state == "paused"
    tracker.edit(number, REPORTER, "It crashes. Version 1.2.3.", OPENED_AT + 3 * HOUR)
    for hour in (4, 5):
        poll(watch, OPENED_AT + hour * HOUR)
    clock, issue_event = SlaClock.objects.get(target_type="resolve"), SupportIssueEvent.objects.get(kind="edited")
    assert (clock.state, clock.paused_seconds) == ("running", 2 * 3600)
    assert (issue_event.at, issue_event.actor, issue_event.data) == (
        OPENED_AT + 3 * HOUR,
        "uma",
        {"body": True, "guessed": True},
    )


def test_d7_webhook_that_comes_late_says_who_rewrote_the_report(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT, body="It crashes.")
    tracker.comment(number, PARTNER, "Which version do you use?", OPENED_AT + HOUR)
    poll(watch, OPENED_AT + 2 * HOUR)
    tracker.edit(number, PARTNER, "```\nIt crashes.\n```", OPENED_AT + 3 * HOUR)
    poll(watch, OPENED_AT + 4 * HOUR)
    assert SlaClock.objects.get(target_type="resolve").state == "running"
    deliver(watch, tracker.hooked)
    delivery_processing.process_due_deliveries(OPENED_AT + 5 * HOUR)
    assert SlaClock.objects.get(target_type="resolve").state == "paused"
    assert [row[1:4] for row in list_known_events(watch) if row[1] == "edited"] == [
        ("edited", OPENED_AT + 3 * HOUR, PARTNER.id)
    ]


def test_d7_first_words_of_a_comment_count_once_their_webhook_comes(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    comment_id = tracker.comment(number, PARTNER, "It is fixed in 1.2.", OPENED_AT + HOUR)
    tracker.edit_comment(comment_id, PARTNER, "It is fixed in 1.2.1.", OPENED_AT + 3 * HOUR)
    poll(watch, OPENED_AT + 4 * HOUR)
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + 3 * HOUR
    deliver(watch, tracker.hooked)
    delivery_processing.process_due_deliveries(OPENED_AT + 5 * HOUR)
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + HOUR


def test_d7_breach_that_never_was_is_reverted_once(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    deliver(watch, tracker.hooked)
    delivery_processing.process_due_deliveries(NOW)
    poll(watch, OPENED_AT + 49 * HOUR)
    tasks.advance_clocks(OPENED_AT + 49 * HOUR)
    assert SlaBreach.objects.count() == 1
    tracker.comment(number, PARTNER, "Which version do you use?", OPENED_AT + 2 * HOUR)
    for later in (52, 53):
        deliver(watch, tracker.hooked)
        delivery_processing.process_due_deliveries(OPENED_AT + later * HOUR)
        poll(watch, OPENED_AT + later * HOUR)
    breach, clock = SlaBreach.objects.get(), SlaClock.objects.get(target_type="resolve")
    assert (breach.retracted_at, clock.state, clock.events.filter(kind="retracted").count()) == (
        OPENED_AT + 52 * HOUR,
        "paused",
        1,
    )


def test_quiet_repository_costs_two_questions_that_are_free(watch, tracker, github):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(watch, OPENED_AT + 2 * HOUR)
    poll(watch, OPENED_AT + 3 * HOUR)
    github.seen.clear()
    poll(watch, OPENED_AT + 4 * HOUR)
    assert github.seen == [f"GET /repos/{watch.repository}", f"GET /repos/{watch.repository}/issues"]
    assert watch.data_up_to == OPENED_AT + 4 * HOUR


def test_everything_is_looked_at_once_a_day(watch, tracker, github):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(watch, OPENED_AT + HOUR)
    poll(watch, OPENED_AT + 2 * HOUR)
    github.seen.clear()
    poll(watch, OPENED_AT + 26 * HOUR)
    assert len(github.seen) == 5


@pytest.mark.parametrize("kind", [500, 502, 503, "cut", "garbage", "rate_limit", 429])
@pytest.mark.parametrize("path", [r"/issues$", r"/issues/events$", r"/issues/comments$"])
def test_a1_outage_changes_nothing_until_it_is_over(watch, tracker, github, kind, path):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    github.fail(path, kind, times=1)
    assert poll(watch, OPENED_AT + HOUR) == 0
    assert (facts(watch), watch.data_up_to, watch.attempts, watch.cursors) == ([], OPENED_AT, 1, {})
    assert watch.poll_at > OPENED_AT + HOUR


def test_outage_is_said_in_words_when_it_lasts_and_forgotten_when_it_is_over(watch, tracker, github):
    github.fail("/issues$", 502, times=3)
    for hour in (1, 2, 3):
        poll(watch, OPENED_AT + hour * HOUR)
    assert monitoring.describe_trouble(watch).endswith("GitHub returned status 502")
    poll(watch, OPENED_AT + 4 * HOUR)
    assert (watch.trouble, watch.data_up_to) == ("", OPENED_AT + 4 * HOUR)


def test_a8_missing_repository_is_missing_only_after_a_day(watch, github):
    poll(watch, OPENED_AT + HOUR)
    assert (watch.trouble, watch.data_up_to) == (reconciliation.NOT_VISIBLE_MESSAGE, OPENED_AT)
    poll(watch, OPENED_AT + 20 * HOUR)
    assert watch.trouble == reconciliation.NOT_VISIBLE_MESSAGE
    poll(watch, OPENED_AT + 25 * HOUR)
    assert watch.trouble == reconciliation.GONE_MESSAGE
    github.track(tracker_of(watch))
    poll(watch, OPENED_AT + 26 * HOUR)
    assert (watch.trouble, watch.missing_since, watch.data_up_to) == ("", None, OPENED_AT + 26 * HOUR)


def test_a7_old_name_of_another_repository_reports_nothing(watch, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    tracker.id = 999
    poll(watch)
    assert (facts(watch), watch.data_up_to) == ([], OPENED_AT)
    assert watch.trouble == f"The name {watch.repository} now belongs to another repository"


def test_a6_renamed_repository_is_followed(watch, tracker):
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    old, tracker.full_name = tracker.full_name, "acme/nomad-booster"
    poll(watch)
    assert (watch.repository, len(facts(watch)), old != watch.repository) == ("acme/nomad-booster", 1, True)


def test_pages_lose_nothing(watch, tracker, monkeypatch):
    monkeypatch.setattr("verification.sources.github.issues.PAGE_SIZE", 5)
    for n in range(23):
        number = tracker.open(REPORTER, f"Trouble {n}", OPENED_AT + timedelta(minutes=n // 7))
        tracker.comment(number, PARTNER, "Which version do you use?", OPENED_AT + timedelta(hours=1, minutes=n // 6))
        tracker.label(number, HELPER, "crash", OPENED_AT + timedelta(hours=2, minutes=n // 4))
    poll(watch)
    assert SupportIssue.objects.count() == 23
    assert SupportIssueEvent.objects.count() == 69


def test_deleted_comment_is_found_missing(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    comment_id = tracker.comment(number, PARTNER, "It is fixed in 1.2.", OPENED_AT + HOUR)
    poll(watch, OPENED_AT + 2 * HOUR)
    assert SlaClock.objects.get(target_type="respond").stopped_at == OPENED_AT + HOUR
    tracker.delete_comment(comment_id, PARTNER, OPENED_AT + 3 * HOUR)
    poll(watch, OPENED_AT + 4 * HOUR)
    event = SupportIssueEvent.objects.get(kind="comment_deleted")
    assert (event.key, event.at, event.data) == (
        f"comment:{comment_id}:deleted",
        OPENED_AT + 3 * HOUR,
        {"comment": f"comment:{comment_id}"},
    )
    assert SlaClock.objects.get(target_type="respond").stopped_at is None


def test_deleted_issue_is_found_missing_within_a_day(watch, tracker):
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    poll(watch, OPENED_AT + HOUR)
    tracker.delete(number, Person(1, "admin"))
    poll(watch, OPENED_AT + 26 * HOUR)
    assert [row[0] for row in facts(watch)] == ["opened", "deleted"]
    assert SupportIssue.objects.get().is_open is False


def test_what_github_could_not_deliver_is_asked_for_once(watch, tracker):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id)
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    lost_id = tracker.could_not_deliver(tracker.hooked[0], NOW - HOUR)
    tracker.could_not_deliver(tracker.ping(), NOW - timedelta(days=4))
    poll(watch)
    poll(watch, NOW + HOUR)
    assert tracker.redelivered == [lost_id]


def test_what_is_asked_for_again_is_asked_a_second_apart(watch, tracker):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id)
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    lost_ids = {tracker.could_not_deliver(tracker.ping(), NOW - HOUR) for _ in range(3)}
    watch.refresh_from_db()
    waits: list[float] = []
    assert redelivery.request_redeliveries(reconciliation.build_api(EtagStore({}, {})), watch, NOW, waits.append) == 3
    assert (set(tracker.redelivered), waits) == (lost_ids, [1.0, 1.0])


def test_five_hundred_lost_deliveries_are_asked_for_while_github_keeps_them():
    assert 500 / redelivery.MAX_REQUESTS * redelivery.GAP_INTERVAL < redelivery.RETENTION_PERIOD / 4


def test_what_did_not_arrive_in_an_outage_is_asked_for_until_nothing_is_left(watch, tracker, monkeypatch):
    monkeypatch.setattr(redelivery, "MAX_REQUESTS", 60)
    MonitoredRepository.objects.update(hook_id=tracker.hook_id)
    begins = NOW - 20 * HOUR
    deliveries = [tracker.ping() for _ in range(300)]
    lost_ids = [tracker.could_not_deliver(each, begins + timedelta(minutes=n)) for n, each in enumerate(deliveries)]
    for n, each in enumerate(tracker.ping() for _ in range(150)):  # since then all is well
        tracker.delivered(each, NOW - 5 * HOUR + timedelta(minutes=n))
    by_number, request_count, now = dict(zip(lost_ids, deliveries, strict=True)), 0, NOW
    api = reconciliation.build_api(EtagStore({}, {}))
    while request_count < len(lost_ids):
        watch.refresh_from_db()
        assert redelivery.request_redeliveries(api, watch, now, lambda seconds: None) == redelivery.MAX_REQUESTS
        deliver(watch, [by_number[number] for number in tracker.redelivered[request_count:]])
        request_count = len(tracker.redelivered)
        now += redelivery.GAP_INTERVAL
    watch.refresh_from_db()
    assert sorted(tracker.redelivered) == sorted(lost_ids)
    assert now - NOW == 5 * redelivery.GAP_INTERVAL
    assert (watch.cursors["redelivery"], redelivery.request_redeliveries(api, watch, now, lambda seconds: None)) == (
        "asked",
        0,
    )


def test_as_long_as_any_are_left_we_come_back_in_a_quarter_of_an_hour(watch, tracker):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id, last_delivery_at=NOW, poll_at=NOW + HOUR)
    for _ in range(redelivery.MAX_REQUESTS + 1):
        tracker.could_not_deliver(tracker.ping(), NOW - HOUR)
    watch.refresh_from_db()
    redelivery.request_redeliveries(reconciliation.build_api(EtagStore({}, {})), watch, NOW, lambda seconds: None)
    watch.refresh_from_db()
    assert (watch.poll_at, watch.cursors["redelivery"]) == (NOW + redelivery.GAP_INTERVAL, "left")


def test_what_fails_again_and_again_keeps_nothing_else_waiting(watch, tracker):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id)
    stubborn = [tracker.ping() for _ in range(redelivery.MAX_REQUESTS)]
    for _ in range(redelivery.MAX_TRIES):
        for each in stubborn:
            tracker.could_not_deliver(each, NOW - 2 * HOUR)
    lost_id = tracker.could_not_deliver(tracker.ping(), NOW - HOUR)
    watch.refresh_from_db()
    assert (
        redelivery.request_redeliveries(reconciliation.build_api(EtagStore({}, {})), watch, NOW, lambda seconds: None)
        == 1
    )
    assert tracker.redelivered == [lost_id]


def test_token_that_may_not_see_deliveries_is_not_asked_again_at_once(watch, tracker, github):
    MonitoredRepository.objects.update(hook_id=tracker.hook_id + 1)
    poll(watch)
    github.seen.clear()
    poll(watch, NOW + 2 * DAY)
    assert [path for path in github.seen if "hooks" in path] == []
    assert watch.trouble == ""


def run_round(now: datetime) -> int:
    """Enqueue what is due and read it. Return how many repositories were read."""
    with time_machine.travel(now, tick=False):
        reconciliation.enqueue_due_repositories(now)
        return run_due_jobs("network", now).get("sla.reconcile", 0)


def test_round_reads_what_is_due_and_an_outage_keeps_no_other_waiting(watch, tracker, acme, github):
    other = watch_over(create_listed_integration(acme, repository="acme/terraform-provider-other"))
    github.track(tracker_of(other))
    github.fail(f"/repos/{watch.repository}/issues$", 502, times=1)
    MonitoredRepository.objects.update(poll_at=NOW)
    assert [run_round(NOW - HOUR), run_round(NOW)] == [0, 2]
    watch.refresh_from_db()
    other.refresh_from_db()
    assert (watch.attempts, watch.data_up_to, other.data_up_to) == (1, OPENED_AT, NOW)
    assert run_round(watch.poll_at) == 1
    watch.refresh_from_db()
    assert watch.attempts == 0


def test_repository_that_is_no_longer_monitored_is_not_read(watch, tracker, github):
    MonitoredRepository.objects.update(poll_at=NOW)
    reconciliation.enqueue_due_repositories(NOW)
    monitoring.stop_monitoring(watch.integration, NOW)
    github.seen.clear()
    assert (run_round(NOW), github.seen) == (1, [])


def test_hook_that_reports_everything_lets_us_ask_less(watch, tracker):
    poll(watch)
    assert NOW + timedelta(minutes=4) < watch.poll_at <= NOW + timedelta(minutes=5)
    MonitoredRepository.objects.update(last_delivery_at=NOW)
    poll(watch)
    assert NOW + timedelta(minutes=50) < watch.poll_at <= NOW + timedelta(hours=1)
