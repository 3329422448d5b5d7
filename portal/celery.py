"""When does what happen? The Celery app and the whole timetable."""

import os
from datetime import timedelta

from celery import Celery
from celery.schedules import schedule

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    "deliver due mails": {"task": "portal.tasks.deliver_due", "schedule": schedule(timedelta(seconds=30))},
    "run due checks": {"task": "verification.tasks.run_due", "schedule": schedule(timedelta(seconds=30))},
    "read deliveries": {"task": "verification.tasks.read_deliveries", "schedule": schedule(timedelta(seconds=10))},
    "poll repositories": {"task": "verification.tasks.poll_repositories", "schedule": schedule(timedelta(seconds=30))},
    "refresh turns that time has changed": {
        "task": "integrations.tasks.refresh_due",
        "schedule": schedule(timedelta(minutes=5)),
    },
}
