"""Tests of the schedule: beat requests each job once, and run_jobs runs only overdue jobs."""

import inspect
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, connections
from kombu import Connection

from portal.celery import app
from portal.jobs import dispatcher, leases, periodic, tasks
from portal.jobs.beat import Scheduler
from portal.jobs.models import PeriodicRun
from portal.jobs.periodic import claim, run_job, run_scheduled
from portal.jobs.registry import JOBS, JOBS_BY_NAME, LEASE, QUEUES, PeriodicJob
from tests.servers.base import reserve_closed_port
from tests.servers.broker import use_broker
from tests.servers.valkey import Valkey

NOW = datetime.fromisoformat("2026-04-14T09:00:00Z")
SAMPLE_JOB = PeriodicJob("mine", "tests.portal.jobs.test_registry.run_sample_job", 10)
MAIL_JOBS = ["reports.generate", "submissions.send_digests", "notifications.queue_stored_emails"]
finished_at: list[datetime] = []
during_work: list[Callable[[], object]] = []


def run_sample_job(now: datetime) -> int:
    """Do the work of the sample job."""
    finished_at.append(now)
    for happen in during_work:
        happen()
    return 1


def raise_error(now: datetime) -> int:
    raise RuntimeError("out of order")


@pytest.fixture(autouse=True)
def clock(time_machine: Any) -> Any:
    finished_at.clear()
    during_work.clear()
    time_machine.move_to(NOW, tick=False)
    return time_machine


def test_beat_requests_exactly_the_jobs_of_the_schedule() -> None:
    schedule_entries = [(entry["task"], entry["args"]) for entry in app.conf.beat_schedule.values()]
    assert schedule_entries == [(tasks.run_job.name, (job.name,)) for job in JOBS]
    assert len({job.name for job in JOBS}) == len(JOBS)


@pytest.mark.django_db
def test_beat_continues_where_the_last_one_stopped() -> None:
    PeriodicRun.objects.create(name="accounts.delete_expired_sessions", started_at=NOW - timedelta(hours=23))
    schedule = Scheduler(app=app).schedule
    assert schedule["accounts.delete_expired_sessions"].last_run_at == NOW - timedelta(hours=23)
    assert schedule["reports.generate"].last_run_at == NOW


def test_beat_reports_an_outage_of_the_broker_once(caplog: pytest.LogCaptureFixture) -> None:
    scheduler = Scheduler(app=app, lazy=True)
    entry = scheduler.Entry(
        name="reports.generate", task="portal.jobs.tasks.run_job", args=("reports.generate",), app=app
    )
    with reserve_closed_port() as port, use_broker(f"redis://127.0.0.1:{port}/0"):
        scheduler.apply_entry(entry)
        scheduler.apply_entry(entry)
    assert [record.exc_info for record in caplog.records] == [None]
    assert caplog.messages[0].startswith("The broker does not answer (Error 111 connecting to 127.0.0.1:")
    assert caplog.messages[0].endswith("). Until it does, run_jobs runs the jobs.")
    with Connection("memory://") as connection:
        scheduler.apply_entry(entry, connection.Producer())
        scheduler.apply_entry(entry, connection.Producer())
    assert caplog.messages[1:] == ["The broker answers again."]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_job_takes_only_the_time(job: PeriodicJob) -> None:
    required_parameters = [
        p for p in inspect.signature(periodic.load_work(job)).parameters.values() if p.default is p.empty
    ]
    assert len(required_parameters) <= 1


@pytest.mark.django_db
def test_duplicate_request_runs_once(clock: Any) -> None:
    assert [run_scheduled(SAMPLE_JOB), run_scheduled(SAMPLE_JOB)] == [1, None]
    clock.shift(4.9)
    assert run_scheduled(SAMPLE_JOB) is None
    clock.shift(5.1)
    assert run_scheduled(SAMPLE_JOB) == 1
    assert finished_at == [NOW, NOW + timedelta(seconds=10)]


@pytest.mark.django_db
def test_running_job_is_not_started_again_until_its_lease_ends(clock: Any) -> None:
    assert claim("mine") == NOW
    clock.shift(LEASE - timedelta(seconds=1))
    assert (claim("mine"), run_scheduled(SAMPLE_JOB)) == (None, None)
    clock.shift(1)
    assert run_scheduled(SAMPLE_JOB) == 1


@pytest.mark.django_db
def test_job_that_takes_longer_than_half_its_interval_runs_at_its_interval(clock: Any) -> None:
    during_work.append(lambda: clock.shift(6))
    for _ in range(4):
        assert run_scheduled(SAMPLE_JOB) == 1
        clock.shift(4)
    assert finished_at == [NOW + timedelta(seconds=seconds) for seconds in (0, 10, 20, 30)]


@pytest.mark.django_db(transaction=True)
def test_run_that_hangs_loses_its_lease(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(periodic, "LEASE", timedelta(seconds=0.04))
    monkeypatch.setattr(leases, "MAX_RUN_SECONDS", 0.02)
    name = "lease of the periodic job mine"
    during_work.append(lambda: next(each for each in threading.enumerate() if each.name == name).join())
    assert run_job(SAMPLE_JOB, NOW) == 1
    assert caplog.messages == ["The lease of the periodic job mine ends because it has run for 0 s."]


@pytest.mark.django_db
def test_replaced_run_is_logged_and_not_recorded(clock: Any, caplog: pytest.LogCaptureFixture) -> None:
    def start_next_run() -> None:
        clock.shift(LEASE)
        assert claim("mine") == NOW + LEASE

    during_work.append(start_next_run)
    assert run_job(SAMPLE_JOB, NOW) == 1
    assert caplog.messages == ["The periodic job mine ended after its next run had started."]
    run = PeriodicRun.objects.get(name="mine")
    assert (run.started_at, run.finished_at, run.lease_expires_at) == (NOW + LEASE, None, NOW + 2 * LEASE)


@pytest.mark.django_db
def test_job_that_cannot_write_to_the_database_waits_for_it(caplog: pytest.LogCaptureFixture) -> None:
    def raise_full_disk() -> None:
        raise OperationalError("database or disk is full")

    during_work.append(raise_full_disk)
    assert run_job(SAMPLE_JOB, NOW) == 0
    message = "The periodic job mine waits for the database (database or disk is full)."
    assert [(record.levelname, record.message, record.exc_info) for record in caplog.records] == [
        ("WARNING", message, None)
    ]
    run = PeriodicRun.objects.get(name="mine")
    assert (run.finished_at, run.lease_expires_at) == (None, None)


@pytest.mark.django_db
def test_failed_job_releases_its_lease_and_is_not_recorded_as_finished(caplog: pytest.LogCaptureFixture) -> None:
    run_job(SAMPLE_JOB, NOW)
    failing = PeriodicJob("mine", "tests.portal.jobs.test_registry.raise_error", 10)
    assert run_job(failing, NOW) == 0
    assert [(record.message, str(record.exc_info[1])) for record in caplog.records if record.exc_info] == [
        ("The periodic job mine failed.", "out of order")
    ]
    run = PeriodicRun.objects.get(name="mine")
    assert (run.finished_at, run.lease_expires_at) == (NOW, None)


@pytest.mark.postgres
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite in memory refuses a locked table at once")
@pytest.mark.django_db(transaction=True)
def test_only_one_of_two_concurrent_processes_runs_the_job() -> None:
    claim("mine")
    PeriodicRun.objects.update(lease_expires_at=None, started_at=NOW - timedelta(hours=1))
    start = threading.Barrier(4)
    claim_results = []

    def compete() -> None:
        start.wait()
        claim_results.append(claim("mine"))
        connections.close_all()

    threads = [threading.Thread(target=compete) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(bool, claim_results)) == [False, False, False, True]


@pytest.mark.any_database
@pytest.mark.django_db
def test_failed_job_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    broken_job = PeriodicJob("broken", "portal.there_is_no_such_module.work", 10)
    monkeypatch.setattr(dispatcher, "JOBS", (broken_job, *JOBS))
    names = [name for queue in QUEUES for name in dispatcher.run_overdue(queue)]
    assert sorted(names) == sorted(["broken", *(job.name for job in JOBS)])


@pytest.mark.django_db
@pytest.mark.parametrize(("has_broker", "seconds"), [(False, 10), (True, 20)])
def test_run_jobs_leaves_a_periodic_job_to_the_worker_during_the_grace_period(
    clock: Any, monkeypatch: pytest.MonkeyPatch, broker: Valkey, has_broker: bool, seconds: int
) -> None:
    monkeypatch.setattr(dispatcher, "JOBS", (SAMPLE_JOB,))
    if not has_broker:
        broker.stop()
    assert dispatcher.run_overdue("clocks") == {"mine": 1}
    clock.shift(seconds - 1)
    assert dispatcher.run_overdue("clocks") == {}
    clock.shift(1)
    assert dispatcher.run_overdue("clocks") == {"mine": 1}
    assert finished_at == [NOW, NOW + timedelta(seconds=seconds)]


@pytest.mark.django_db
def test_run_jobs_repeats_an_interrupted_daily_job_when_its_lease_ends(
    clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatcher, "JOBS", (PeriodicJob("mine", SAMPLE_JOB.function_path, 86400),))
    assert claim("mine") == NOW
    clock.shift(LEASE - timedelta(seconds=1))
    assert dispatcher.run_overdue("clocks") == {}
    clock.shift(1)
    assert dispatcher.run_overdue("clocks") == {"mine": 1}
    assert dispatcher.run_overdue("clocks") == {}


@pytest.mark.django_db
def test_no_job_runs_twice_with_beat_and_two_run_jobs_processes(
    clock: Any, monkeypatch: pytest.MonkeyPatch, broker: Valkey
) -> None:
    monkeypatch.setattr(dispatcher, "JOBS", (SAMPLE_JOB,))
    for second in range(100):
        dispatcher.run_overdue("clocks")
        dispatcher.run_overdue("clocks")
        if second % 10 == 0:
            run_scheduled(SAMPLE_JOB)
        clock.shift(1)
    assert finished_at == [NOW + timedelta(seconds=seconds) for seconds in range(0, 100, 10)]


@pytest.mark.django_db
def test_queue_runs_its_own_jobs_and_the_first_records_that_run_jobs_is_alive() -> None:
    assert list(dispatcher.run_overdue("email")) == MAIL_JOBS
    assert not PeriodicRun.objects.filter(name=dispatcher.RUN_JOBS).exists()
    dispatcher.run_overdue("clocks")
    assert PeriodicRun.objects.get(name=dispatcher.RUN_JOBS).finished_at == NOW


@pytest.mark.any_database
@pytest.mark.django_db
def test_overdue_jobs_of_a_queue_run_until_it_is_stopped() -> None:
    stop = threading.Event()
    rounds = []

    def report(handled_counts: dict[str, int]) -> None:
        rounds.append(list(handled_counts))
        if len(rounds) == 2:
            stop.set()

    dispatcher.run_overdue_until_stopped("email", 0, stop, report)
    assert rounds == [MAIL_JOBS, []]


@pytest.mark.django_db
def test_worker_runs_a_job_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOBS_BY_NAME, SAMPLE_JOB.name, SAMPLE_JOB)
    tasks.run_job("mine")
    tasks.run_job("of an older release")
    assert finished_at == [NOW]
