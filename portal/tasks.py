"""What does the background do? A name for each job of the timetable."""

from celery import shared_task
from django.utils import timezone

from portal import sweeping
from portal.timetable import JOBS


@shared_task
def run_job(name: str) -> None:
    """Run one job. A name that an older beat still asks for is nobody's."""
    for job in JOBS:
        if job.name == name:
            sweeping.work_of(job)(timezone.now())
