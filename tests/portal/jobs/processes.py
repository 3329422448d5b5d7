"""Scenarios with real processes for tests: `python -m tests.portal.jobs.processes SCENARIO`.

Django is set up once; each process is a fork. The database is that of DATABASE_URL. Jobs write to JOB_LOG, a line for
each attempt with the thing, the attempt, and the process. The last line of the output is the result as JSON.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
django.setup()

from django.db import connections  # noqa: E402
from django.utils import timezone  # noqa: E402

from portal.celery import app  # noqa: E402
from portal.jobs import dispatcher  # noqa: E402
from portal.jobs.execution import run_due_jobs, run_job  # noqa: E402
from portal.jobs.models import Job  # noqa: E402
from portal.jobs.services import enqueue  # noqa: E402
from tests.portal.jobs.sample_jobs import SHORT_LEASE, hang, hang_once, log, work_for_long  # noqa: E402

LOG = Path(os.environ["JOB_LOG"])
COUNT = 20


def run_in_process(work: Callable[[], object]) -> int:
    """Work in a new process. Return its ID."""
    connections.close_all()
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    finally:
        os._exit(0)


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "It took too long."
        time.sleep(0.02)


def read_log() -> list[tuple[int, int, int]]:
    lines = LOG.read_text().splitlines() if LOG.exists() else []
    return [tuple(map(int, line.split())) for line in lines]  # type: ignore[misc]


def run_at(moment: float, work: Callable[[], object]) -> None:
    time.sleep(max(0.0, moment - time.time()))
    work()


def race_to_enqueue() -> Any:
    """Enqueue the same jobs in four processes at a time."""
    start = time.time() + 0.5
    pids = [
        run_in_process(
            lambda: run_at(start, lambda: [enqueue(log, thing=thing, dedup_key=str(thing)) for thing in range(COUNT)])
        )
        for _ in range(4)
    ]
    for pid in pids:
        os.waitpid(pid, 0)
    return sorted(int(key) for key in Job.objects.values_list("dedup_key", flat=True)) == list(range(COUNT))


def race_to_run() -> Any:
    """Run the same jobs in four processes at a time: half by ID, half as next of the queue."""
    ids = [enqueue(log, thing=thing).pk for thing in range(COUNT)]
    start = time.time() + 0.5
    now = timezone.now()
    for work in (lambda: [run_job(pk) for pk in ids], lambda: run_due_jobs("webhooks", now)) * 2:
        run_in_process(lambda work=work: run_at(start, work))  # type: ignore[misc]
    for _ in range(4):
        os.wait()
    left = run_due_jobs("webhooks", timezone.now() + timedelta(hours=1))
    return {"log": sorted(line[:2] for line in read_log()), "left": left, "states": count_states()}


def kill_process_of_job(definition: Any) -> Any:
    """Kill the process that runs a job. Look for it immediately, and after its lease expired."""
    job = enqueue(definition, thing=7)
    pid = run_in_process(lambda: run_job(job.pk))
    wait_until(read_log)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    at_once = run_job(job.pk)
    time.sleep(SHORT_LEASE.total_seconds())
    later = run_job(job.pk)
    job.refresh_from_db()
    attempts = [line[:2] for line in read_log()]
    return {"at_once": at_once, "later": later, "state": job.state, "code": job.error_code, "attempts": attempts}


def outlast_lease() -> Any:
    """Request a job after its first lease would have expired while its process still works."""
    job = enqueue(work_for_long, thing=7)
    pid = run_in_process(lambda: run_job(job.pk))
    wait_until(read_log)
    time.sleep(1.2 * SHORT_LEASE.total_seconds())
    is_started_again = run_job(job.pk)
    os.waitpid(pid, 0)
    job.refresh_from_db()
    return {"again": is_started_again, "state": job.state, "attempts": [line[:2] for line in read_log()]}


def use_worker() -> Any:
    """Run jobs in a Celery worker next to run_jobs. Then kill the worker, so that run_jobs takes over."""
    worker = run_in_process(
        lambda: app.Worker(
            pool="solo", loglevel="CRITICAL", without_gossip=True, without_mingle=True, without_heartbeat=True
        ).start()
    )
    enqueue(log, thing=-1)
    wait_until(read_log, 120)  # the worker has started
    LOG.unlink()
    dispatcher.JOBS = []  # type: ignore[assignment]
    rounds = []
    for thing in range(COUNT):
        enqueue(log, thing=thing)
    while len(read_log()) < COUNT:
        rounds.append(dispatcher.run_overdue("webhooks"))
        time.sleep(0.1)
    with_worker = {
        "ran": sorted(line[:2] for line in read_log()),
        "by_worker": {line[2] for line in read_log()} == {worker},
    }
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    enqueue(log, thing=COUNT)
    dispatcher.WORKER_GRACE = timedelta(seconds=1)
    without = [dispatcher.run_overdue("webhooks")]
    time.sleep(1)
    without.append(dispatcher.run_overdue("webhooks"))
    return with_worker | {"net": [done for done in rounds if done], "without_worker": without}


def count_states() -> dict[str, int]:
    states = list(Job.objects.values_list("state", flat=True))
    return {state: states.count(state) for state in sorted(set(states))}


SCENARIOS: dict[str, Callable[[], Any]] = {
    "race_to_enqueue": race_to_enqueue,
    "race_to_run": race_to_run,
    "kill": lambda: kill_process_of_job(hang),
    "kill_at_most_once": lambda: kill_process_of_job(hang_once),
    "outlast_lease": outlast_lease,
    "use_worker": use_worker,
}

if __name__ == "__main__":
    results = {}
    for name in sys.argv[1:]:
        LOG.unlink(missing_ok=True)
        Job.objects.all().delete()
        results[name] = SCENARIOS[name]()
    print(json.dumps(results))
