"""Fallback for beat and workers: runs jobs and periodic jobs that are overdue."""

import logging
from collections.abc import Callable
from datetime import timedelta
from threading import Event

from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone

from portal.jobs.broker import can_reach_broker
from portal.jobs.execution import run_due_jobs
from portal.jobs.models import PeriodicRun
from portal.jobs.periodic import run_job
from portal.jobs.registry import JOBS, QUEUES

logger = logging.getLogger(__name__)

RUN_JOBS = "run_jobs"  # name of its heartbeat
# run_jobs runs a periodic job itself if no worker has run it for this many intervals.
INTERVALS_WITH_BROKER = 2
INTERVALS_WITHOUT_BROKER = 1
WORKER_GRACE = timedelta(seconds=15)  # before run_jobs runs a due job itself while the broker is reachable


def run_overdue(queue: str) -> dict[str, int]:
    """Run the overdue and interrupted jobs of a queue. Return the number of items that each handled."""
    _drop_dead_connection()
    has_broker = can_reach_broker()
    intervals = INTERVALS_WITH_BROKER if has_broker else INTERVALS_WITHOUT_BROKER
    jobs = [job for job in JOBS if job.queue == queue]
    last_runs = {run.name: run for run in PeriodicRun.objects.filter(name__in=[job.name for job in jobs])}
    counts: dict[str, int] = {}
    for job in jobs:
        now = timezone.now()
        idle_since = now - timedelta(seconds=job.seconds * intervals)
        last_run = last_runs.get(job.name)
        if last_run is None or last_run.started_at <= idle_since or last_run.is_cut_off(now):
            count = run_job(job, now, idle_since=idle_since)
            counts |= {} if count is None else {job.name: count}
    counts |= run_due_jobs(queue, timezone.now() - (WORKER_GRACE if has_broker else timedelta(0)))
    if queue == QUEUES[0]:
        record_heartbeat()
    return counts


def record_heartbeat() -> None:
    """Record that run_jobs is running, for /healthz and the status page."""
    now = timezone.now()
    first = {"started_at": now, "finished_at": now}  # from the first heartbeat on, /healthz expects every job to run
    PeriodicRun.objects.update_or_create(name=RUN_JOBS, defaults={"finished_at": now}, create_defaults=first)


def run_overdue_until_stopped(
    queue: str, interval_seconds: float, stop: Event, report: Callable[[dict[str, int]], None]
) -> None:
    """Run overdue jobs of a queue in rounds until stopped. An error only ends the current round.

    Args:
        queue: Queue whose jobs run one after another.
        interval_seconds: Pause between rounds.
        stop: Stops the loop when set.
        report: Receives the counts of each round.
    """
    while not stop.is_set():
        try:
            report(run_overdue(queue))
        except DatabaseError as error:
            logger.warning("Queue %s of run_jobs waits for the database (%s).", queue, error)
        except Exception:
            logger.exception("A round of queue %s of run_jobs failed.", queue)
        stop.wait(interval_seconds)


def _drop_dead_connection() -> None:
    if not connection.in_atomic_block:  # never closes the connection of an open transaction
        close_old_connections()
