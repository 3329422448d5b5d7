"""Execution of periodic jobs. A run is claimed in the database, so that a job that is started twice runs once."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import DatabaseError, OperationalError
from django.db.models import Q
from django.utils import timezone
from django.utils.module_loading import import_string

from portal.jobs.leases import keep_lease
from portal.jobs.models import PeriodicRun
from portal.jobs.registry import LEASE, MIN_INTERVAL_SHARE, PeriodicJob

logger = logging.getLogger(__name__)


def load_work(job: PeriodicJob) -> Callable[[datetime], int]:
    """Return the function of a job, which takes the current time and returns the number of items it handled."""
    work: Callable[[datetime], int] = import_string(job.function_path)
    return work


def run_job(job: PeriodicJob, now: datetime, *, idle_since: datetime | None = None) -> int | None:
    """Run a job unless another process is running it.

    Args:
        job: The job to run.
        now: Current time, which is passed to the job.
        idle_since: Skip the job if it started after this time, unless its process died. None never skips it.

    Returns:
        The number of items the job handled, 0 if it failed, or None if it was skipped.
    """
    started_at = claim(job.name, idle_since)
    if started_at is None:
        return None
    # The start identifies the run. A process that was too slow can't overwrite the run after it.
    current_run = PeriodicRun.objects.filter(name=job.name, started_at=started_at)
    try:
        with keep_lease(
            f"the periodic job {job.name}", LEASE, lambda at: bool(current_run.update(lease_expires_at=at))
        ):
            count = load_work(job)(now)
    except Exception as error:
        if isinstance(error, OperationalError):
            _log_outage(job, error)
        else:
            logger.exception("The periodic job %s failed.", job.name)
        # The end of the last success stays, because the status page counts from it.
        current_run.update(lease_expires_at=None)
        return 0
    if not current_run.update(lease_expires_at=None, finished_at=timezone.now()):
        logger.warning("The periodic job %s ended after its next run had started.", job.name)
    return count


def run_scheduled(job: PeriodicJob) -> int | None:
    """Run a job that beat requested, unless this request repeats an earlier one.

    If the database can't be written, for example because the disk is full, the job waits for the next request.
    """
    now = timezone.now()
    try:
        return run_job(job, now, idle_since=now - timedelta(seconds=job.seconds * MIN_INTERVAL_SHARE))
    except DatabaseError as error:
        _log_outage(job, error)
        return None


def _log_outage(job: PeriodicJob, error: DatabaseError) -> None:
    logger.warning("The periodic job %s waits for the database (%s).", job.name, error)


def claim(name: str, idle_since: datetime | None = None) -> datetime | None:
    """Claim the next run of a job. Return when it starts, or None if it is running or started after `idle_since`."""
    now = timezone.now()
    lease_expires_at = now + LEASE
    is_cut_off = Q(lease_expires_at__lte=now)
    is_idle = Q(lease_expires_at=None)
    if idle_since is not None:
        is_idle &= Q(started_at__lte=idle_since)
    # One conditional update decides between processes: see decision 0002.
    if PeriodicRun.objects.filter(is_cut_off | is_idle, name=name).update(
        started_at=now, lease_expires_at=lease_expires_at
    ):
        return now
    defaults = {"started_at": now, "lease_expires_at": lease_expires_at}
    _, is_first = PeriodicRun.objects.get_or_create(name=name, defaults=defaults)
    return now if is_first else None
