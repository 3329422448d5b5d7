"""Celery tasks of the platform: one that runs any periodic job by its name."""

from celery import shared_task

from portal.jobs.periodic import run_scheduled
from portal.jobs.registry import JOBS


@shared_task
def run_job(name: str) -> None:
    """Run a periodic job. A name that is not in the timetable comes from an older beat and is ignored."""
    for job in JOBS:
        if job.name == name:
            run_scheduled(job)
