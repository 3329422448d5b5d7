"""Starts processes quickly: Django is set up once, each child is a fork of it. Commands come on standard input.

start sweep | start worker | start beat | start naive      prints the pid of the new process

With CHAOS_HURRY=N every interval of the timetable is an Nth of what it is, so that a short run is short.
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

PAUSE = 0.4  # seconds between two looks of one sweep
HURRY = int(os.environ.get("CHAOS_HURRY", "1"))


def sweep() -> None:
    """Run the sweep forever, each queue in a thread of its own."""
    never = threading.Event()
    for queue in QUEUES[1:]:
        threading.Thread(target=dispatcher.keep_sweeping, args=(queue, PAUSE, never, print), daemon=True).start()
    dispatcher.keep_sweeping(QUEUES[0], PAUSE, never, print)


def beat() -> None:
    """What `celery beat` does, at the pace of the timetable."""
    app.conf.beat_schedule = {
        name: entry | {"schedule": entry["schedule"].run_every / HURRY}
        for name, entry in app.conf.beat_schedule.items()
    }
    Service(app, max_interval=1, scheduler_cls=Scheduler).start()


def naive_sweep() -> None:
    """The usual pattern: mark, and hand over to a worker after the commit."""
    while True:
        naive.sweep(timezone.now())
        time.sleep(PAUSE)


def worker() -> None:
    """A Celery worker."""
    app.Worker(
        pool="solo", loglevel="CRITICAL", without_gossip=True, without_mingle=True, without_heartbeat=True
    ).start()


ROLES = {"sweep": sweep, "naive": naive_sweep, "worker": worker, "beat": beat}


def start(role: str) -> int:
    """Fork one process of a role. Returns its pid."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a process says is for the log, the pipe is ours
    while True:  # an outage of the database ends the round, not the process
        try:
            ROLES[role]()
        except Exception:
            connections.close_all()
            time.sleep(PAUSE)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the dead
    hurried_jobs = tuple(replace(job, seconds=job.seconds / HURRY) for job in registry.JOBS)
    dispatcher.JOBS = tasks.JOBS = hurried_jobs
    for job in hurried_jobs:
        periodic.load_work(job)  # imported once, not by each child
    connections.close_all()
    for line in sys.stdin:
        print(start(line.split()[1]), flush=True)


if __name__ == "__main__":
    main()
