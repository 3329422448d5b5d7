"""Tests that a replay of all events changes nothing and reports each difference."""

import contextlib
import random
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from integrations.partners.models import Partner
from integrations.sla import tasks
from integrations.sla.github import delivery_processing
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssue, SupportIssueEvent
from tests.integrations.sla.github.reconciliation.test_dropped_webhooks import create_random_issues
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    build_tracker,
    create_listed_integration,
    deliver,
    disable_delete_guard,
    monitor_repository,
)

pytestmark = pytest.mark.any_database

NOW = OPENED_AT + timedelta(days=9)


@pytest.fixture
def monitored_repository(acme: Partner) -> MonitoredRepository:
    """Twelve issues after nine days: answered, closed, late, overdue."""
    row = monitor_repository(create_listed_integration(acme))
    tracker = build_tracker(row)
    create_random_issues(tracker, random.Random(1))
    deliver(row, tracker.webhooks)
    delivery_processing.process_due_deliveries(OPENED_AT + timedelta(hours=30))
    MonitoredRepository.objects.update(data_up_to=NOW)
    tasks.advance_due_clocks(NOW)
    return row


def replay(*words: str) -> list[str]:
    output = StringIO()
    with contextlib.suppress(SystemExit):
        call_command("verify_sla_projection", *(words or ["--all"]), at=NOW + timedelta(minutes=5), stdout=output)
    return output.getvalue().splitlines()


def test_replay_finds_no_drift(monitored_repository):
    assert SlaBreach.objects.count() > 0
    assert replay() == [f"Replayed issues: 12, events: {SupportIssueEvent.objects.count()}", "Differences: 0"]


@pytest.mark.every_database
def test_replay_changes_nothing(monitored_repository):
    before = (list(SupportIssue.objects.values()), list(SlaClock.objects.order_by("pk").values()))
    replay()
    assert (list(SupportIssue.objects.values()), list(SlaClock.objects.order_by("pk").values())) == before


def delete_events(rows):
    with disable_delete_guard():
        rows.delete()


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (lambda: SupportIssue.objects.filter(number=1).update(severity="x"), 1),
        (lambda: SupportIssue.objects.filter(number=2).update(last_commenter_role="x"), 1),
        (lambda: SlaClock.objects.filter(issue__number=3, target_type="resolve").update(due_at=NOW), 1),
        (lambda: SlaClock.objects.filter(issue__number=3, target_type="respond").delete(), 1),
        (lambda: delete_events(SupportIssueEvent.objects.filter(issue__number=4, kind="opened")), 1),
        (lambda: SlaBreach.objects.filter(pk=SlaBreach.objects.first().pk).update(retracted_at=NOW), 1),
        (lambda: SlaBreach.objects.filter(pk=SlaBreach.objects.first().pk).update(due_at=OPENED_AT), 2),
    ],
)
def test_replay_reports_changed_rows(monitored_repository, change, lines):
    change()
    output_lines = replay("--repository", monitored_repository.repository)
    assert output_lines[-1] == f"Differences: {len(output_lines) - 2}"
    assert len(output_lines) - 2 >= lines


def test_replay_of_an_unmonitored_repository_is_refused(db):
    with pytest.raises(CommandError, match="acme/none is not monitored") as error:
        call_command("verify_sla_projection", repository="acme/none")
    assert error.value.returncode == 2


def test_replay_needs_few_queries_per_chunk(monitored_repository, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        assert replay()[-1] == "Differences: 0"


def test_time_that_does_not_exist_is_refused():
    with pytest.raises(CommandError, match="Invalid time"):
        call_command("verify_sla_projection", "--all", "--at", "2026-13-01T00:00:00Z")
