"""Celery tasks that run jobs, and the periodic jobs of the job queue."""

import logging
from datetime import datetime, timedelta

from celery import shared_task
from django.db import DatabaseError

from portal.jobs import execution
from portal.jobs.periodic import run_scheduled
from portal.jobs.publishing import publish_jobs
from portal.jobs.registry import JOBS, periodic_job
from portal.jobs.services import prune_finished

logger = logging.getLogger(__name__)
DISPATCH_INTERVAL = timedelta(seconds=5)
DISPATCH_COUNT = 200
MAX_RUN_SECONDS = 3600


@shared_task
def run_job(name: str) -> None:
    """Run a periodic job. An unknown name comes from an older version of beat and is ignored."""
    for job in JOBS:
        if job.name == name:
            run_scheduled(job)


# Acknowledged immediately and never repeated by the broker: the row records whether the job ran.
@shared_task(name="jobs.run", acks_late=False, soft_time_limit=MAX_RUN_SECONDS, time_limit=MAX_RUN_SECONDS + 30)
def run(job_id: int) -> None:
    """Run a job if it is due and no process runs it. Without the database, it waits for the dispatcher."""
    try:
        execution.run_job(job_id)
    except DatabaseError as error:
        logger.warning("Job %s waits for the database (%s).", job_id, error)


@periodic_job("jobs.dispatch_due", every=DISPATCH_INTERVAL)
def dispatch_due(now: datetime) -> int:
    """Publish due jobs: retries, jobs of processes that died, and jobs whose message was lost."""
    due = list(execution.list_runnable(now).values_list("pk", flat=True)[:DISPATCH_COUNT])
    # A message that expires before a worker starts the job is published again in the next round.
    return publish_jobs(due, expires=DISPATCH_INTERVAL)


@periodic_job("jobs.prune", every=timedelta(hours=1), queue="network")
def prune(now: datetime) -> int:
    """Delete old finished jobs."""
    return prune_finished(now)
