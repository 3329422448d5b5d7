"""Tests that polls, the end of monitoring, and the job for due clocks don't wait for each other in a circle."""

import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from integrations.sla import tasks
from integrations.sla.models import MonitoredRepository, SlaClock
from integrations.sla.services import monitoring
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock_integration
from tests.concurrency import list_errors
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


@pytest.fixture
def monitored_repository(rocket: Integration, now: datetime) -> MonitoredRepository:
    row = create_repository_row(rocket, now, data_up_to=now - timedelta(hours=1))
    create_clock_row(create_issue_row(row, 1, now - timedelta(hours=48)), now)
    return row


def test_due_clock_does_not_wait_for_the_lock_of_its_repository(
    monitored_repository: MonitoredRepository, now: datetime
) -> None:
    is_locked = threading.Event()
    is_advanced = threading.Event()
    was_advanced: list[bool] = []

    def hold_lock() -> None:
        with transaction.atomic():
            monitoring.lock_repository(monitored_repository.pk, wait=True)
            is_locked.set()
            was_advanced.append(is_advanced.wait(10))
        connection.close()

    holder = threading.Thread(target=hold_lock)
    holder.start()
    try:
        assert is_locked.wait(30)
        assert tasks.advance_due_clocks(now) == 1
    finally:
        is_advanced.set()
        holder.join()
    assert was_advanced == [True]
    assert SlaClock.objects.get().state == "data_incomplete"


def test_end_of_monitoring_locks_the_repository_before_its_clocks(
    monitored_repository: MonitoredRepository, now: datetime
) -> None:
    with CaptureQueriesContext(connection) as queries:
        monitoring.stop_monitoring(monitored_repository.integration, now)
    statements = [query["sql"] for query in queries if "UPDATE" in query["sql"]]
    assert [statement.partition('"sla_')[2].partition('"')[0] for statement in statements] == [
        "monitoredrepository",
        "slaclock",
        "monitoredrepository",
    ]


def test_poll_stores_an_issue_while_a_decision_locks_the_integration(
    monitored_repository: MonitoredRepository, now: datetime
) -> None:
    with transaction.atomic():
        lock_integration(monitored_repository.integration_id)
        assert list_errors(lambda: create_issue_row(monitored_repository, 2, now)) == []
