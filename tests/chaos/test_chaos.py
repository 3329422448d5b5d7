"""Tests that breaches are reported although processes are killed, and that the usual pattern loses them."""

import json
import subprocess
import sys
from datetime import datetime, timedelta

import pytest
import redis
from django.db import connection
from django.utils import timezone

from integrations.sla.models import SlaBreach
from integrations.submissions.models import Integration
from portal.jobs.periodic import run_job
from portal.jobs.registry import JOBS
from portal.notifications.models import EmailMessage
from tests.chaos import naive
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.servers.valkey import Valkey

pytestmark = pytest.mark.postgres
HOUR = timedelta(hours=1)


@pytest.fixture
def overdue_at(request: pytest.FixtureRequest) -> datetime:
    """The current time; the clock of one issue is an hour overdue."""
    if connection.vendor != "postgresql":
        pytest.skip("needs a real PostgreSQL")
    integration: Integration = request.getfixturevalue("rocket")
    now = timezone.now()
    create_clock_row(create_issue_row(create_repository_row(integration, now), 1, now - 49 * HOUR), now - HOUR)
    return now


@pytest.mark.django_db(transaction=True)
def test_flush_loses_breach_emails_of_the_usual_pattern(overdue_at: datetime, broker: Valkey) -> None:
    client = redis.Redis.from_url(broker.url)
    naive.mark_due_clocks(overdue_at)
    waiting = client.llen("celery")
    client.flushall()
    naive.mark_due_clocks(overdue_at)
    # recorded, but never reported
    assert (waiting, client.llen("celery"), SlaBreach.objects.count()) == (1, 0, 1)


@pytest.mark.django_db(transaction=True)
def test_portal_reports_the_breach_after_a_flush(overdue_at: datetime, broker: Valkey) -> None:
    redis.Redis.from_url(broker.url).flushall()
    for job in JOBS:
        run_job(job, overdue_at)
    assert EmailMessage.objects.filter(name="issues_breached").count() == 2


@pytest.mark.django_db
def test_short_chaos_run_loses_nothing(request: pytest.FixtureRequest) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("needs a real PostgreSQL of its own")
    database = "postgres://{USER}@{HOST}:{PORT}/{NAME}".format_map(connection.settings_dict)
    command = [sys.executable, "-m", "tests.chaos.run", "--short", "--json", "--database", database]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.stdout, process.stderr[-2000:]
    report = json.loads(process.stdout.splitlines()[-1])
    assert report["breaches"] > 0, report  # otherwise none could be lost
    assert report["missed_targets"] == [], report
