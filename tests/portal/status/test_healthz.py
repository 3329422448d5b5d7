"""Tests of /healthz for load balancers and alarms."""

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from portal.jobs.dispatcher import record_heartbeat
from portal.jobs.execution import run_job
from portal.jobs.models import PeriodicRun
from portal.jobs.registry import JOBS, QUEUES
from portal.jobs.services import enqueue
from portal.notifications.tasks import send_email


@pytest.fixture
def now(time_machine):
    time_machine.move_to("2026-04-14T09:00:00Z", tick=False)
    return timezone.now()


def enqueue_email(run_after):
    return enqueue(send_email, email_id=1, run_after=run_after)


def record_run(name, finished_at, **fields):
    PeriodicRun.objects.create(name=name, **{"started_at": finished_at, "finished_at": finished_at, **fields})


def build_report(background, heartbeat, oldest, late_jobs=()):
    return {
        "late_jobs": list(late_jobs),
        "database": "ok",
        "background": background,
        "last_run_jobs_seconds_ago": heartbeat,
        "oldest_due_email_seconds": oldest,
    }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("heartbeat", "due", "answer", "alarm"),
    [
        (None, None, build_report("late", None, None), 503),
        (120, None, build_report("ok", 120, None), 200),
        (121, None, build_report("late", 121, None), 503),
        (0, 300, build_report("ok", 0, 300), 200),
        (0, 301, build_report("late", 0, 301), 503),
        (0, -60, build_report("ok", 0, None), 200),
    ],
)
def test_background_work_is_reported_as_late(client, now, heartbeat, due, answer, alarm):
    if heartbeat is not None:
        record_run("run_jobs", now - timedelta(seconds=heartbeat))
    if due is not None:
        enqueue_email(now - timedelta(seconds=due))
    plain = client.get("/healthz")
    strict = client.get("/healthz?background")
    assert (plain.status_code, plain.json()) == (200, answer)
    assert (strict.status_code, strict.json()) == (alarm, answer)
    assert "no-store" in plain["Cache-Control"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "seconds", "word"),
    [
        ("sla.advance_clocks", 140, "ok"),  # two minutes, and two intervals of ten seconds
        ("sla.advance_clocks", 141, "late"),
        ("sla.enqueue_reconciliations", 1260, "ok"),  # jobs that read other systems may take twenty minutes
        ("sla.enqueue_reconciliations", 1261, "late"),
    ],
)
def test_job_that_has_not_succeeded_in_time_is_named(client, now, name, seconds, word):
    record_run("run_jobs", now)
    record_run(name, now - timedelta(seconds=seconds), started_at=now)
    assert client.get("/healthz").json() == build_report(word, 0, None, [name] if word == "late" else [])


@pytest.mark.django_db
def test_job_in_its_first_run_is_not_late_and_one_whose_first_run_failed_is(client, now):
    record_run("run_jobs", now)
    record_run("sla.advance_clocks", None, started_at=now, lease_expires_at=now + timedelta(seconds=20))
    assert client.get("/healthz").json() == build_report("ok", 0, None)
    PeriodicRun.objects.filter(name="sla.advance_clocks").update(lease_expires_at=None)
    assert client.get("/healthz").json() == build_report("late", 0, None, ["sla.advance_clocks"])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "seconds", "word"),
    [
        ("sla.advance_clocks", 140, "ok"),
        ("sla.advance_clocks", 141, "late"),
        ("sla.enqueue_reconciliations", 1260, "ok"),
        ("sla.enqueue_reconciliations", 1261, "late"),
    ],
)
def test_first_run_that_hangs_is_late(client, now, name, seconds, word):
    record_run("run_jobs", now)
    lease = {"lease_expires_at": now + timedelta(seconds=20)}
    record_run(name, None, started_at=now - timedelta(seconds=seconds), **lease)
    assert client.get("/healthz").json() == build_report(word, 0, None, [name] if word == "late" else [])


@pytest.mark.django_db
def test_job_that_never_ran_is_late_after_its_interval(client, now, time_machine):
    record_heartbeat()
    time_machine.shift(130)
    record_heartbeat()
    assert client.get("/healthz").json() == build_report("ok", 0, None)
    for seconds, interval in ((1, 5), (10, 10)):
        time_machine.shift(seconds)
        record_heartbeat()
        late = [job.name for job in JOBS if job.queue == QUEUES[0] and job.seconds <= interval]
        assert client.get("/healthz?background").json() == build_report("late", 0, None, late)


@pytest.mark.django_db
def test_sent_email_is_not_overdue(client, now):
    record_run("run_jobs", now)
    assert run_job(enqueue_email(now - timedelta(hours=1)).pk)
    assert client.get("/healthz").json() == build_report("ok", 0, None)


@pytest.mark.django_db
def test_database_outage_is_reported(client):
    def raise_outage(execute, sql, params, many, context):
        raise OperationalError("the connection is gone")

    with connection.execute_wrapper(raise_outage):
        answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"database": "down"})


def test_only_reads_are_allowed(client):
    assert client.post("/healthz").status_code == 405
