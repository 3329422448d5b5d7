"""Lateness of background jobs, for the status page and the health endpoint."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db.models import Min

from portal.jobs.dispatcher import RUN_JOBS
from portal.jobs.models import Job, PeriodicRun
from portal.jobs.registry import JOBS, QUEUES, PeriodicJob
from portal.notifications.tasks import send_email

RUN_JOBS_LATE_AFTER = timedelta(minutes=2)
EMAIL_LATE_AFTER = timedelta(minutes=5)
QUEUE_LATE_AFTER = timedelta(minutes=20)  # queues with external requests are slower


def get_background_status(now: datetime) -> dict[str, object]:
    """Return whether background jobs are late, with the ages in seconds."""
    runs = {run.name: run for run in PeriodicRun.objects.all()}
    heartbeat_at = runs[RUN_JOBS].finished_at if RUN_JOBS in runs else None
    due_emails = Job.objects.due(now).filter(kind=send_email.kind)
    oldest_due_at = due_emails.aggregate(oldest=Min("run_after"))["oldest"]
    late_jobs = find_late_jobs(now, runs)
    is_run_jobs_late = heartbeat_at is None or now - heartbeat_at > RUN_JOBS_LATE_AFTER
    is_email_late = oldest_due_at is not None and now - oldest_due_at > EMAIL_LATE_AFTER
    return {
        "background": "late" if is_run_jobs_late or is_email_late or late_jobs else "ok",
        "last_run_jobs_seconds_ago": None if heartbeat_at is None else int((now - heartbeat_at).total_seconds()),
        "oldest_due_email_seconds": None if oldest_due_at is None else int((now - oldest_due_at).total_seconds()),
        "late_jobs": late_jobs,
    }


def find_late_jobs(now: datetime, runs: Mapping[str, PeriodicRun], queue: str = "") -> list[str]:
    """Return the names of the jobs, of one queue or of all, that have not succeeded in time."""
    jobs = [job for job in JOBS if queue in ("", job.queue)]
    return [job.name for job in jobs if is_late(job, runs.get(job.name), runs.get(RUN_JOBS), now)]


def is_late(job: PeriodicJob, run: PeriodicRun | None, heartbeat: PeriodicRun | None, now: datetime) -> bool:
    """Return whether a job has not succeeded in time.

    Args:
        job: The job.
        run: Its last run. Without one, the time counts from the first heartbeat.
        heartbeat: The heartbeat of run_jobs, or None if run_jobs never ran, which is reported separately.
        now: The current time.
    """
    begin = run or heartbeat
    if begin is None:
        return False
    if run is not None and run.finished_at is None and (run.lease_expires_at is None or run.is_cut_off(now)):
        return True  # its first run failed
    succeeded_at = run.finished_at if run is not None else None
    late_after = RUN_JOBS_LATE_AFTER if job.queue == QUEUES[0] else QUEUE_LATE_AFTER
    return now - (succeeded_at or begin.started_at) > late_after + timedelta(seconds=2 * job.seconds)
