"""Starts processes quickly: each is a fork of one process with Django set up. Reads commands from standard input.

start run_jobs | start worker | start beat | start naive      prints the process ID

CHAOS_SPEED=N divides every interval of the schedule by N, for short runs.
"""

import os
import signal
import sys
import threading
import time
from dataclasses import replace

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
django.setup()

from celery.beat import Service  # noqa: E402
from django.db import connections  # noqa: E402
from django.utils import timezone  # noqa: E402

from portal.celery import app  # noqa: E402
from portal.jobs import dispatcher, periodic, registry, tasks  # noqa: E402
from portal.jobs.beat import Scheduler  # noqa: E402
from portal.jobs.registry import QUEUES  # noqa: E402
from tests.chaos import naive  # noqa: E402

PAUSE_SECONDS = 0.4  # seconds between rounds
SPEED = int(os.environ.get("CHAOS_SPEED", "1"))


def run_jobs() -> None:
    """Run overdue jobs forever, with one thread per queue."""
    stop = threading.Event()  # never set
    for queue in QUEUES[1:]:
        threading.Thread(
            target=dispatcher.run_overdue_until_stopped, args=(queue, PAUSE_SECONDS, stop, print), daemon=True
        ).start()
    dispatcher.run_overdue_until_stopped(QUEUES[0], PAUSE_SECONDS, stop, print)


def run_beat() -> None:
    """Run Celery beat on the faster schedule."""
    app.conf.beat_schedule = {
        name: entry | {"schedule": entry["schedule"].run_every / SPEED}
        for name, entry in app.conf.beat_schedule.items()
    }
    Service(app, max_interval=1, scheduler_cls=Scheduler).start()


def mark_due_clocks() -> None:
    """Mark due clocks forever with the usual pattern."""
    while True:
        naive.mark_due_clocks(timezone.now())
        time.sleep(PAUSE_SECONDS)


def run_worker() -> None:
    """Run a Celery worker."""
    app.Worker(
        pool="solo", loglevel="CRITICAL", without_gossip=True, without_mingle=True, without_heartbeat=True
    ).start()


ROLES = {"run_jobs": run_jobs, "naive": mark_due_clocks, "worker": run_worker, "beat": run_beat}


def start(role: str) -> int:
    """Fork a process with a role. Returns its process ID."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # output goes to the log; the pipe carries our protocol
    while True:  # a database outage ends a round, not the process
        try:
            ROLES[role]()
        except Exception:
            connections.close_all()
            time.sleep(PAUSE_SECONDS)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps killed children
    faster_jobs = tuple(replace(job, seconds=job.seconds / SPEED) for job in registry.JOBS)
    dispatcher.JOBS = faster_jobs
    tasks.JOBS_BY_NAME = {job.name: job for job in faster_jobs}
    for job in faster_jobs:
        periodic.load_work(job)  # import once, not in each child
    connections.close_all()
    for line in sys.stdin:
        print(start(line.split()[1]), flush=True)


if __name__ == "__main__":
    main()
