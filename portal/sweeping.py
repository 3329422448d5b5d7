"""What is due now? Every job of the timetable, each of which may run twice, late, or beside itself."""

import logging
from collections.abc import Callable
from datetime import datetime

from django.db import close_old_connections
from django.utils.module_loading import import_string

from portal.models import Heartbeat
from portal.timetable import JOBS, Job

logger = logging.getLogger(__name__)


def work_of(job: Job) -> Callable[[datetime], int]:
    """The function that does a job: it takes the moment and says how many it handled."""
    work: Callable[[datetime], int] = import_string(job.does)
    return work


def sweep(now: datetime) -> dict[str, int]:
    """Run every job once. One that fails is logged and does not stop the others; then the heart beats."""
    done = {}
    close_old_connections()
    for job in JOBS:
        try:
            done[job.name] = work_of(job)(now)
        except Exception:
            logger.exception("The sweep of %s failed.", job.name)
            done[job.name] = 0
    Heartbeat.objects.update_or_create(process="sweep", defaults={"at": now})
    return done
