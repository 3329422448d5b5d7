"""Celery tasks that run jobs, and the periodic job that publishes due jobs."""

import logging
from datetime import datetime, timedelta

from celery import shared_task
from django.db import DatabaseError

from portal.jobs import execution
from portal.jobs.periodic import run_scheduled
from portal.jobs.publishing import publish_jobs
from portal.jobs.registry import DISPATCH_SECONDS, JOBS_BY_NAME

logger = logging.getLogger(__name__)
DISPATCH_COUNT = 200
MAX_RUN_SECONDS = 3600


@shared_task
def run_job(name: str) -> None:
    """Run a periodic job. An unknown name comes from an older version of beat and is ignored."""
    if job := JOBS_BY_NAME.get(name):
        run_scheduled(job)


# Acknowledged immediately and never repeated by the broker: the row records whether the job ran.
@shared_task(name="jobs.run", acks_late=False, soft_time_limit=MAX_RUN_SECONDS, time_limit=MAX_RUN_SECONDS + 30)
def run(job_id: int) -> None:
    """Run a job if it is due and no process runs it. Without the database, it waits for the dispatcher."""
    try:
        execution.run_job(job_id)
    except DatabaseError as error:
        logger.warning("Job %s waits for the database (%s).", job_id, error)


def dispatch_due(now: datetime) -> int:
    """Publish due jobs: retries, jobs of processes that died, and jobs whose message was lost."""
    due = list(execution.list_runnable(now).values_list("pk", flat=True)[:DISPATCH_COUNT])
    # A message that expires before a worker starts the job is published again in the next round.
    return publish_jobs(due, expires=timedelta(seconds=DISPATCH_SECONDS))
