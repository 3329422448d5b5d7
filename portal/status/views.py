"""Status page, status as JSON, and health endpoint."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.models import Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from integrations.partners.permissions import is_program_staff
from portal.jobs.dispatcher import SWEEP
from portal.jobs.models import PeriodicRun
from portal.jobs.registry import JOBS, QUEUES, PeriodicJob
from portal.jobs.selectors import list_due_jobs
from portal.notifications.tasks import send_email
from portal.status import probes

SWEEP_LATE_AFTER = timedelta(minutes=2)
MAIL_LATE_AFTER = timedelta(minutes=5)
QUEUE_LATE = timedelta(minutes=20)  # queues with external requests are slower


def get_background_status(now: datetime) -> dict[str, Any]:
    """Return whether background jobs are late, with the ages in seconds."""
    swept_at = PeriodicRun.objects.filter(name=SWEEP).values_list("finished_at", flat=True).first()
    oldest_due_at = list_due_jobs(send_email, now).aggregate(oldest=Min("run_after"))["oldest"]
    late_jobs = find_late_jobs(now)
    sweep_is_late = swept_at is None or now - swept_at > SWEEP_LATE_AFTER
    is_background_late = (
        sweep_is_late or late_jobs or (oldest_due_at is not None and now - oldest_due_at > MAIL_LATE_AFTER)
    )
    return {
        "background": "late" if is_background_late else "ok",
        "last_sweep_seconds_ago": None if swept_at is None else int((now - swept_at).total_seconds()),
        "oldest_due_mail_seconds": None if oldest_due_at is None else int((now - oldest_due_at).total_seconds()),
        "late_jobs": late_jobs,
    }


def find_late_jobs(now: datetime, queue: str = "") -> list[str]:
    """Return the names of the jobs, of one queue or of all, that have not succeeded in time."""
    runs = {run.name: run for run in PeriodicRun.objects.all()}
    jobs = [job for job in JOBS if queue in ("", job.queue)]
    return [job.name for job in jobs if is_late(job, runs.get(job.name), runs.get(SWEEP), now)]


def is_late(job: PeriodicJob, run: PeriodicRun | None, sweep: PeriodicRun | None, now: datetime) -> bool:
    """Return whether a job has not succeeded in time.

    Args:
        job: The job.
        run: Its last run, or None if it never ran. It is late then once the sweep has been at work for as long.
        sweep: The record of the sweep, or None if it never ran, which is reported by itself.
        now: The current time.
    """
    begin = run or sweep
    if begin is None:
        return False
    if run is not None and run.finished_at is None and (run.lease_expires_at is None or run.is_cut_off(now)):
        return True  # its first run failed
    succeeded_at = run.finished_at if run is not None else None
    late_after = SWEEP_LATE_AFTER if job.queue == QUEUES[0] else QUEUE_LATE
    return now - (succeeded_at or begin.started_at) > late_after + timedelta(seconds=2 * job.seconds)


@never_cache
@login_not_required
@require_safe
def check_health(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the database answers, else 503; with ?background, 503 too while background work is late."""
    try:
        connection.ensure_connection()
        status = {"database": "ok"} | get_background_status(timezone.now())
    except DatabaseError:
        return JsonResponse({"database": "down"}, status=503)
    is_unhealthy = "background" in request.GET and status["background"] == "late"
    return JsonResponse(status, status=503 if is_unhealthy else 200)


@never_cache
@login_not_required
@require_safe
def show_status(request: HttpRequest) -> HttpResponse:
    """Show the status page, with details for program staff. Return 503 if the database is down."""
    now = timezone.now()
    try:
        groups = probes.measure_all(now)
        for_program = request.user.is_authenticated and is_program_staff(request.user)
    except DatabaseError:
        return HttpResponse(render_to_string("status/status_down.html"), status=503)
    tone, sentence = probes.summarize(groups)
    context = {"groups": groups, "tone": tone, "sentence": sentence, "now": now, "for_program": for_program}
    return render(request, "status/status.html", context)


@never_cache
@login_not_required
@require_safe
def show_status_json(_request: HttpRequest) -> JsonResponse:
    """Return the status as JSON without details. Return 503 if the database is down."""
    now = timezone.now()
    try:
        with translation.override(settings.LANGUAGE_CODE):
            groups = probes.measure_all(now)
            tone, summary = probes.summarize(groups)
    except DatabaseError:
        return JsonResponse({"tone": "bad", "summary": "The database is down."}, status=503)
    lines = [
        {"name": line.name, "state": line.state, "summary": line.sentence, "at": line.at}
        for _, group in groups
        for line in group
    ]
    return JsonResponse({"at": now, "tone": tone, "summary": summary, "lines": lines})
