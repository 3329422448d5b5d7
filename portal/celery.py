"""Celery app; its beat schedule is the timetable of the periodic jobs."""

import os
from datetime import timedelta

from celery import Celery
from celery.schedules import schedule

from portal.jobs.registry import JOBS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    job.name: {
        "task": "portal.jobs.tasks.run_job",
        "args": (job.name,),
        "schedule": schedule(timedelta(seconds=job.seconds)),
        "options": {"expires": job.seconds},  # the next message asks for what a busy worker did not begin
    }
    for job in JOBS
}
