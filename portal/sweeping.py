"""What is due now? Every job of the timetable, each of which may run twice, late, or beside itself."""

import logging
from collections.abc import Callable
from datetime import datetime
from threading import Event

from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone
from django.utils.module_loading import import_string

from portal.models import Heartbeat
from portal.timetable import JOBS, LANES, Job

logger = logging.getLogger(__name__)


def work_of(job: Job) -> Callable[[datetime], int]:
    """The function that does a job: it takes the moment and says how many it handled."""
    work: Callable[[datetime], int] = import_string(job.does)
    return work


def sweep(now: datetime, lane: str = "") -> dict[str, int]:
    """Run every job once, or those of one lane. One that fails is logged and does not stop the others."""
    done = {}
    if not connection.in_atomic_block:  # a connection that died meanwhile is given up; one in use never is
        close_old_connections()
    for job in JOBS:
        if lane in ("", job.lane):
            done[job.name] = _safely(job, now)
    for name in [lane] if lane else LANES:
        Heartbeat.objects.update_or_create(process=beat_of(name), defaults={"at": now})
    return done


def _safely(job: Job, now: datetime) -> int:
    try:
        return work_of(job)(now)
    except Exception:
        logger.exception("The sweep of %s failed.", job.name)
        return 0


def beat_of(lane: str) -> str:
    """The name of a lane's heartbeat; that of the clocks is the sweep's own."""
    return "sweep" if lane == LANES[0] else f"sweep: {lane}"


def keep_sweeping(lane: str, every: float, stop: Event, say: Callable[[dict[str, int]], None]) -> None:
    """Sweep a lane until stopped. Whatever happens ends a round, never the lane."""
    while not stop.is_set():
        try:
            say(sweep(timezone.now(), lane))
        except DatabaseError:
            logger.warning("The database did not answer the sweep of %s.", lane)
        except Exception:
            logger.exception("A round of the sweep of %s was cut short.", lane)
        stop.wait(every)
