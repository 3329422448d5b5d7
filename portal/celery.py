"""Celery app with the beat schedule of the periodic jobs."""

import os
from datetime import timedelta

import django
from celery import Celery
from celery.schedules import schedule
from django.apps import apps

from portal.jobs.registry import JOBS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

if not apps.models_ready:  # the celery command imports this module first; the schedule needs the tasks of all apps
    django.setup()
app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    job.name: {
        "task": "portal.jobs.tasks.run_job",
        "args": (job.name,),
        "schedule": schedule(timedelta(seconds=job.seconds)),
        "options": {"expires": job.seconds},  # the next message replaces one that no worker picked up in time
    }
    for job in JOBS
}
