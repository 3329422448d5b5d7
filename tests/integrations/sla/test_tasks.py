"""Tests of the clocks that the periodic job selects and of what it writes."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from integrations.sla.models import Alert, MonitoredRepository, SlaBreach, SlaClock
from integrations.sla.services.projection import calculate_next_check_at, retract_invalid_breaches
from integrations.sla.tasks import RETRY_DELAY, _advance_by_row, advance_due_clocks
from integrations.submissions.models import Integration
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row

HOUR = timedelta(hours=1)


@pytest.fixture
def monitored_repository(rocket: Integration, now: datetime) -> MonitoredRepository:
    return create_repository_row(rocket, now)


def create_clock(
    monitored_repository: MonitoredRepository, now: datetime, due: timedelta, number: int = 1, **fields: Any
) -> SlaClock:
    """Create a clock of 48 hours that is due at `now` + `due`."""
    return create_clock_row(create_issue_row(monitored_repository, number, now + due - 48 * HOUR), now + due, **fields)


def get_clock_state(clock: SlaClock) -> tuple[str, int, datetime | None]:
    fresh = SlaClock.objects.get(pk=clock.pk)
    return fresh.state, fresh.warned, fresh.next_at


@pytest.mark.parametrize(
    ("due", "expected", "state", "warned_percent", "next_in"),
    [
        (25 * HOUR, 0, "running", 0, 1 * HOUR),  # 23 of 48 hours are used
        (24 * HOUR, 1, "running", 50, 12 * HOUR),  # exactly half
        (13 * HOUR, 1, "running", 50, 1 * HOUR),
        (12 * HOUR, 1, "running", 75, 7.2 * HOUR),
        (3 * HOUR, 1, "running", 90, 3 * HOUR),  # one warning for all that were missed
        (0 * HOUR, 1, "overdue", 0, None),  # due now
        (-9 * HOUR, 1, "overdue", 0, None),
    ],
)
def test_clock_is_warned_about_or_breached(
    monitored_repository: MonitoredRepository,
    now: datetime,
    due: timedelta,
    expected: int,
    state: str,
    warned_percent: int,
    next_in: timedelta | None,
) -> None:
    clock = create_clock(monitored_repository, now, due)
    assert advance_due_clocks(now) == expected
    assert get_clock_state(clock) == (state, warned_percent, now + next_in if next_in is not None else None)


def test_breach_is_a_record_and_one_alert(monitored_repository: MonitoredRepository, now: datetime) -> None:
    clock = create_clock(monitored_repository, now, -1 * HOUR)
    assert [advance_due_clocks(now), advance_due_clocks(now), advance_due_clocks(now + HOUR)] == [1, 0, 0]
    assert list(SlaBreach.objects.values_list("clock", "due_at", "found_at", "severity")) == [
        (clock.pk, now - HOUR, now, "critical")
    ]
    assert list(Alert.objects.values_list("key", "kind", "notified_at")) == [
        (f"{clock.pk}:breached:100:{int((now - HOUR).timestamp())}", "breached", None)
    ]


def test_every_warning_is_reported_once(monitored_repository: MonitoredRepository, now: datetime) -> None:
    create_clock(monitored_repository, now, 24 * HOUR)
    moments = [now, now, now + 12 * HOUR, now + 12 * HOUR, now + 20 * HOUR, now + 24 * HOUR, now + 30 * HOUR]
    assert [advance_due_clocks(moment) for moment in moments] == [1, 0, 1, 0, 1, 1, 0]
    assert list(Alert.objects.order_by("pk").values_list("kind", "share")) == [
        ("warned", 50),
        ("warned", 75),
        ("warned", 90),
        ("breached", 100),
    ]


def test_clock_with_incomplete_data_is_not_breached(monitored_repository: MonitoredRepository, now: datetime) -> None:
    MonitoredRepository.objects.update(data_up_to=now - 2 * HOUR)
    clock = create_clock(monitored_repository, now, -1 * HOUR)
    assert advance_due_clocks(now) == 1
    assert get_clock_state(clock) == ("data_incomplete", 0, now + RETRY_DELAY)
    assert MonitoredRepository.objects.get().poll_at == now
    assert (SlaBreach.objects.count(), Alert.objects.count()) == (0, 0)
    MonitoredRepository.objects.update(data_up_to=now)
    assert advance_due_clocks(now + RETRY_DELAY) == 1
    assert (get_clock_state(clock)[0], SlaBreach.objects.count()) == ("overdue", 1)


@pytest.mark.parametrize("problem", [{"trouble": "The repository is private"}, {"attempts": 1}])
def test_clock_with_incomplete_data_respects_the_delay_after_a_failed_poll(
    monitored_repository: MonitoredRepository, now: datetime, problem: dict[str, Any]
) -> None:
    poll_at = now + 6 * HOUR
    MonitoredRepository.objects.update(data_up_to=now - 2 * HOUR, poll_at=poll_at, **problem)
    clock = create_clock(monitored_repository, now, -1 * HOUR)
    assert advance_due_clocks(now) == 1
    assert get_clock_state(clock) == ("data_incomplete", 0, now + RETRY_DELAY)
    assert MonitoredRepository.objects.get().poll_at == poll_at


def test_warning_is_sent_after_the_next_poll_if_data_was_incomplete(
    monitored_repository: MonitoredRepository, now: datetime
) -> None:
    MonitoredRepository.objects.update(data_up_to=now - HOUR)
    clock = create_clock(monitored_repository, now, 12 * HOUR, warned=50, next_at=now)
    assert advance_due_clocks(now) == 1
    assert get_clock_state(clock) == ("running", 50, now + RETRY_DELAY)
    polled_at = now + RETRY_DELAY / 2
    MonitoredRepository.objects.update(data_up_to=polled_at, poll_at=polled_at + HOUR)
    assert advance_due_clocks(now + RETRY_DELAY) == 1
    assert get_clock_state(clock) == ("running", 75, now + 7.2 * HOUR)
    assert list(Alert.objects.values_list("kind", "share")) == [("warned", 75)]


def test_late_reply_is_a_breach_even_if_it_was_detected_later(
    monitored_repository: MonitoredRepository, now: datetime
) -> None:
    clock = create_clock(monitored_repository, now, -5 * HOUR, state="late", stopped_at=now - HOUR)
    assert calculate_next_check_at(clock) == now - 5 * HOUR
    SlaClock.objects.update(next_at=now - 5 * HOUR)
    assert advance_due_clocks(now) == 1
    assert get_clock_state(clock) == ("late", 0, None)
    assert SlaBreach.objects.values_list("clock", "found_at").get() == (clock.pk, now)


def test_invalid_breach_is_retracted_once(monitored_repository: MonitoredRepository, now: datetime) -> None:
    clock = create_clock(monitored_repository, now, -1 * HOUR)
    advance_due_clocks(now)
    clock = SlaClock.objects.get()
    with transaction.atomic():
        assert retract_invalid_breaches(clock, now, "nothing has changed") == 0
    clock.state = "met"
    with transaction.atomic():
        assert [
            retract_invalid_breaches(clock, now + HOUR, "It was closed in time."),
            retract_invalid_breaches(clock, now + HOUR, "again"),
        ] == [
            1,
            0,
        ]
    assert list(SlaBreach.objects.values_list("retracted_at", "retraction_reason")) == [
        (now + HOUR, "It was closed in time.")
    ]
    assert list(Alert.objects.order_by("pk").values_list("kind", flat=True)) == ["breached", "retracted"]


def change_state(state: str, at: datetime) -> None:
    """Set the state of the clock as a new projection does."""
    clock = SlaClock.objects.get()
    clock.state = state
    with transaction.atomic():
        retract_invalid_breaches(clock, at, "It was closed in time.")
        clock.next_at = calculate_next_check_at(clock)
        clock.save()


@pytest.mark.postgres
def test_breach_recorded_again_is_reported_and_its_retraction_stays(
    monitored_repository: MonitoredRepository, now: datetime
) -> None:
    clock = create_clock(monitored_repository, now, -1 * HOUR)
    advance_due_clocks(now)
    change_state("met", now + HOUR)
    change_state("overdue", now + 2 * HOUR)
    assert advance_due_clocks(now + 3 * HOUR) == 1
    breaches = SlaBreach.objects.order_by("pk").values_list("found_at", "retracted_at", "retraction_reason")
    assert list(breaches) == [(now, now + HOUR, "It was closed in time."), (now + 3 * HOUR, None, "")]
    change_state("met", now + 4 * HOUR)
    due = int((now - HOUR).timestamp())
    assert list(Alert.objects.order_by("pk").values_list("key", flat=True)) == [
        f"{clock.pk}:breached:100:{due}",
        f"{clock.pk}:retracted:100:{due}",
        f"{clock.pk}:breached:100:{due}:2",
        f"{clock.pk}:retracted:100:{due}:2",
    ]
    assert not SlaBreach.objects.filter(retracted_at=None).exists()


@pytest.mark.postgres
def test_breach_is_recorded_and_reported_once(monitored_repository: MonitoredRepository, now: datetime) -> None:
    create_clock(monitored_repository, now, -1 * HOUR)
    advance_due_clocks(now)
    SlaClock.objects.update(next_at=now - HOUR)
    assert advance_due_clocks(now + HOUR) == 1
    assert (SlaBreach.objects.count(), Alert.objects.count()) == (1, 1)


def test_paused_clock_has_no_next_check(monitored_repository: MonitoredRepository, now: datetime) -> None:
    assert calculate_next_check_at(create_clock(monitored_repository, now, 5 * HOUR, state="paused")) is None
    assert calculate_next_check_at(create_clock(monitored_repository, now, 5 * HOUR, 2, is_committed=False)) is None
    assert calculate_next_check_at(create_clock(monitored_repository, now, 5 * HOUR, 3, warned=75)) == now + 0.2 * HOUR


def test_batches_are_one_statement_each(
    monitored_repository: MonitoredRepository, now: datetime, django_assert_num_queries: Any
) -> None:
    for number in range(25):
        create_clock(monitored_repository, now, -1 * HOUR, number)
    if connection.vendor == "postgresql":
        with django_assert_num_queries(4):
            assert advance_due_clocks(now, batch=10) == 25
    else:
        assert advance_due_clocks(now, batch=10) == 25
    assert SlaBreach.objects.count() == 25


@pytest.mark.postgres
def test_statement_and_loop_write_the_same_rows(monitored_repository: MonitoredRepository, now: datetime) -> None:
    """Advance 200 random clocks both ways from the same rows."""
    if connection.vendor != "postgresql":
        pytest.skip("the statement needs a real PostgreSQL")
    draw = random.Random(11)
    MonitoredRepository.objects.update(data_up_to=now - 3 * HOUR)
    states = ("running", "running", "running", "late", "data_incomplete")
    for number in range(200):
        due = timedelta(seconds=draw.randint(-50 * 3600, 50 * 3600), milliseconds=draw.randrange(1000))
        warned_percent = draw.choice((0, 0, 50, 75))
        clock = create_clock(monitored_repository, now, due, number, state=draw.choice(states), warned=warned_percent)
        SlaClock.objects.filter(pk=clock.pk).update(next_at=min(clock.next_at, now - draw.randint(0, 5) * HOUR))
    assert _compare(lambda: advance_due_clocks(now, 300), lambda: _advance_by_row(now, 300)) == (True, 200)


def _compare(first: Callable[[], int], second: Callable[[], int]) -> tuple[bool, int]:
    """Run both from the same rows. Return whether they leave the same rows, and the number of clocks."""
    remaining_rows = []
    for one in (first, second):
        with transaction.atomic():
            processed_count = one()
            remaining_rows.append((processed_count, *_list_rows()))
            transaction.set_rollback(True)
    return remaining_rows[0] == remaining_rows[1], remaining_rows[0][0]


def _list_rows() -> list[list[Any]]:
    return [
        list(SlaClock.objects.order_by("pk").values_list("pk", "state", "warned", "next_at", "breached_at")),
        list(
            SlaBreach.objects.order_by("clock_id").values_list(
                "clock_id", "due_at", "found_at", "severity", "target_type"
            )
        ),
        list(Alert.objects.order_by("key").values_list("key", "kind", "clock_id", "share", "due_at", "not_before")),
        list(MonitoredRepository.objects.values_list("poll_at", flat=True)),
    ]
