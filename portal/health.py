"""Health endpoint: whether the database answers and whether background work gets done."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from portal.models import Email, PeriodicRun
from portal.sweeping import SWEEP
from portal.timetable import JOBS, LANES, Job

SWEEP_LATE = timedelta(minutes=2)
MAIL_LATE = timedelta(minutes=5)
LANE_LATE = timedelta(minutes=20)  # a lane that reads the outside may take its time
WAITING = (Email.State.HELD, Email.State.QUEUED, Email.State.SENDING)


def background(now: datetime) -> dict[str, Any]:
    """Return whether background work is late, and the ages that say so, in seconds or None."""
    runs = {run.name: run for run in PeriodicRun.objects.all()}
    swept_at = runs[SWEEP].finished_at if SWEEP in runs else None
    due = Email.objects.filter(state__in=WAITING, due_at__lte=now).order_by("due_at").values_list("due_at", flat=True)
    oldest = due.first()
    late_jobs = [job.name for job in JOBS if job.name in runs and is_late(job, runs[job.name], now)]
    sweep_is_late = swept_at is None or now - swept_at > SWEEP_LATE
    late = sweep_is_late or late_jobs or (oldest is not None and now - oldest > MAIL_LATE)
    return {
        "background": "late" if late else "ok",
        "last_sweep_seconds_ago": None if swept_at is None else int((now - swept_at).total_seconds()),
        "oldest_due_mail_seconds": None if oldest is None else int((now - oldest).total_seconds()),
        "late_jobs": late_jobs,
    }


def is_late(job: Job, run: PeriodicRun, now: datetime) -> bool:
    """Return whether a job has not succeeded in time. One in its first run is not late, one that failed it is."""
    if run.finished_at is None:
        return run.lease_expires_at is None or run.lease_expires_at <= now
    patience = SWEEP_LATE if job.lane == LANES[0] else LANE_LATE
    return now - run.finished_at > patience + timedelta(seconds=2 * job.seconds)


@never_cache
@login_not_required
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the database answers, else 503; with ?background, 503 too while background work is late."""
    try:
        connection.ensure_connection()
        said = {"database": "ok"} | background(timezone.now())
    except DatabaseError:
        return JsonResponse({"database": "does not answer"}, status=503)
    late = "background" in request.GET and said["background"] == "late"
    return JsonResponse(said, status=503 if late else 200)
