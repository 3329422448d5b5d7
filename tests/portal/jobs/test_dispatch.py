"""Tests of the dispatcher of due jobs, and of run_jobs as a fallback of workers."""

from datetime import timedelta

import pytest
from celery import current_app
from django.db import OperationalError

from portal.jobs import dispatcher, tasks
from portal.jobs.execution import claim
from portal.jobs.models import Job
from portal.jobs.registry import JOBS
from portal.jobs.services import enqueue
from tests.portal.jobs.conftest import NOW
from tests.portal.jobs.sample_jobs import LEASE, calls, deliver, steps

SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def clock(frozen_time, monkeypatch):
    monkeypatch.setattr(dispatcher, "JOBS", ())
    return frozen_time


def count_messages() -> int:
    with current_app.connection_for_write() as connection:
        return connection.default_channel.client.llen("celery")


@pytest.mark.django_db
def test_dispatch_publishes_due_and_abandoned_jobs(broker, clock):
    enqueue(deliver, thing=1)
    enqueue(deliver, thing=2, run_after=NOW + timedelta(hours=1))
    left = enqueue(deliver, thing=3)
    claim(Job.objects.filter(pk=left.pk), NOW)
    assert (tasks.dispatch_due(NOW), count_messages()) == (1, 1)
    assert (tasks.dispatch_due(NOW + LEASE), count_messages()) == (2, 3)


@pytest.mark.django_db(transaction=True)
def test_enqueue_publishes_one_message(broker):
    enqueue(deliver)
    assert count_messages() == 1


@pytest.mark.django_db
def test_dispatch_keeps_its_connection_to_the_broker(broker):
    for _ in range(3):
        enqueue(deliver)
        tasks.dispatch_due(NOW)
    with current_app.connection_for_write() as connection:
        assert connection.default_channel.client.info("stats")["total_connections_received"] <= 4


@pytest.mark.django_db
def test_dispatch_without_a_broker_publishes_nothing(settings):
    settings.REDIS_URL = ""
    enqueue(deliver)
    assert tasks.dispatch_due(NOW) == 0


@pytest.mark.django_db
def test_worker_runs_the_job_of_a_message_and_ignores_a_duplicate():
    job = enqueue(deliver, thing=7)
    tasks.run(job.pk)
    tasks.run(job.pk)
    assert calls == [(7, 1)]


def test_worker_leaves_a_job_for_later_during_a_database_outage(monkeypatch, caplog):
    def fail(job_id):
        raise OperationalError("gone")

    monkeypatch.setattr("portal.jobs.execution.run_job", fail)
    tasks.run(7)
    assert caplog.messages == ["Job 7 waits for the database (gone)."]


@pytest.mark.django_db
def test_job_that_cannot_write_to_the_database_is_retried_without_a_traceback(caplog):
    def raise_full_disk(context):
        raise OperationalError("database or disk is full")

    job = enqueue(deliver, thing=1)
    steps.append(raise_full_disk)
    tasks.run(job.pk)
    assert [(record.levelname, record.message, record.exc_info) for record in caplog.records] == [
        ("WARNING", f"Job {job.pk} waits for the database (database or disk is full).", None)
    ]
    assert Job.objects.values_list("state", "attempts", "error_code").get() == ("pending", 1, "database_unavailable")


@pytest.mark.django_db
@pytest.mark.parametrize(("has_broker", "seconds"), [(False, 0), (True, 15)])
def test_run_jobs_leaves_a_due_job_to_the_worker_during_the_grace_period(broker, clock, has_broker, seconds):
    if not has_broker:
        broker.stop()
    enqueue(deliver, thing=1)
    if seconds:
        clock.shift((seconds - 1) * SECOND)
        assert dispatcher.run_overdue("webhooks") == {}
        clock.shift(SECOND)
    assert dispatcher.run_overdue("email") == {}
    assert dispatcher.run_overdue("webhooks") == {"tests.deliver": 1}
    assert dispatcher.run_overdue("webhooks") == {}


@pytest.mark.any_database
@pytest.mark.django_db
def test_run_jobs_is_idle_while_workers_run_jobs(broker, clock):
    for second in range(60):
        job = enqueue(deliver, thing=second)
        assert dispatcher.run_overdue("webhooks") == {}
        clock.shift(SECOND)
        assert dispatcher.run_overdue("webhooks") == {}
        tasks.run(job.pk)
    assert calls == [(second, 1) for second in range(60)]


def test_schedule_contains_the_periodic_jobs_of_the_queue():
    own = [(job.name, job.function_path, job.seconds, job.queue) for job in JOBS if job.name.startswith("jobs.")]
    assert own == [
        ("jobs.dispatch_due", "portal.jobs.tasks.dispatch_due", 5, "clocks"),
        ("jobs.prune", "portal.jobs.services.prune_finished", 3600, "network"),
    ]
