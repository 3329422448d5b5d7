"""Services of the job queue: enqueue, cancel, and prune jobs."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from portal.jobs.definitions import JobDefinition, PayloadValue
from portal.jobs.models import Job
from portal.jobs.publishing import publish_jobs

KEEP_SUCCEEDED = timedelta(days=1)
KEEP_FAILED = timedelta(days=7)
PRUNE_COUNT = 20_000
JOINED_FIELDS = ("payload", "priority", "resource", "run_after", "attempts", "started_at", "rerun_requested")


def enqueue(
    definition: JobDefinition,
    *,
    dedup_key: str = "",
    resource: str = "",
    run_after: datetime | None = None,
    priority: int = 0,
    **payload: PayloadValue,
) -> Job:
    """Enqueue a job in the caller's transaction: if that rolls back, there is no job.

    If a job of this kind and key is pending, it gets the payload, the earlier start, and new attempts, and it keeps its
    resource only if both requests have one. If a job is running, it starts again when it ends, so that it also handles
    the caller's changes.

    Args:
        definition: The kind of job, as `@job` returned it.
        dedup_key: Identifies the work. A job with a blank key is never a duplicate.
        resource: The key of a resource limit, or blank.
        run_after: The earliest start. None starts it immediately.
        priority: Higher runs first.
        payload: Keyword arguments of the job's function. Pass IDs, because data would be outdated when it runs.
    """
    job = build_job(
        definition, dedup_key=dedup_key, resource=resource, run_after=run_after, priority=priority, payload=payload
    )
    requested_at = job.created_at
    with transaction.atomic():
        job = _join_unfinished(job) or _insert(job)
        if job.state == Job.State.PENDING and job.run_after <= requested_at:
            # A worker that got the message before the commit would find no job.
            transaction.on_commit(partial(publish_jobs, [job.pk]))
    return job


def build_job(
    definition: JobDefinition,
    *,
    payload: dict[str, PayloadValue],
    dedup_key: str = "",
    resource: str = "",
    run_after: datetime | None = None,
    priority: int = 0,
) -> Job:
    """Return an unsaved job with the arguments of `enqueue`."""
    definition.check_payload(payload)
    now = timezone.now()
    return Job(
        kind=definition.kind,
        dedup_key=dedup_key,
        payload=payload,
        queue=definition.queue,
        priority=priority,
        resource=resource,
        run_after=run_after or now,
        created_at=now,
    )


def enqueue_new_jobs(jobs: Iterable[Job]) -> None:
    """Enqueue jobs in the caller's transaction with one query. No unfinished job can have their kind and key."""
    created = Job.objects.bulk_create(jobs)
    due_ids = [job.pk for job in created if job.run_after <= job.created_at]
    transaction.on_commit(partial(publish_jobs, due_ids))


def cancel_job(job: Job) -> bool:
    """Cancel a job. Return False if it has finished.

    A pending job never starts. A running job ends at its next call of `renew_lease` or `report_progress`. Until then,
    it remains the only job of its key, so that a new request does not run concurrently.
    """
    pending = Job.objects.filter(pk=job.pk, state=Job.State.PENDING)
    if pending.update(state=Job.State.CANCELED, finished_at=timezone.now()):
        return True
    running = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING)
    return bool(running.update(cancel_requested=True, rerun_requested=False))


def prune_finished(now: datetime) -> int:
    """Delete jobs a day after they ended, or seven days if they failed. Return the number of deleted rows."""
    is_failed = Q(state=Job.State.FAILED)
    is_old = Q(finished_at__lt=now - KEEP_FAILED) | ~is_failed & Q(finished_at__lt=now - KEEP_SUCCEEDED)
    old = Job.objects.filter(is_old).order_by("finished_at")
    return Job.objects.filter(pk__in=old.values("pk")[:PRUNE_COUNT]).delete()[0]


def _join_unfinished(job: Job) -> Job | None:
    """Merge a request into the unfinished job with the same key. Return None if there is no such job."""
    if not job.dedup_key:
        return None
    unfinished = Job.objects.unfinished().filter(kind=job.kind, dedup_key=job.dedup_key)
    # Without the lock, a process that ends the job at this moment would miss the rerun.
    joined = unfinished.select_for_update().first()
    if joined is None:
        return None
    is_running = joined.state == Job.State.RUNNING
    is_first_rerun = is_running and not joined.rerun_requested
    joined.payload = job.payload
    joined.priority = max(joined.priority, job.priority)
    joined.resource = joined.resource and job.resource
    joined.run_after = job.run_after if is_first_rerun else min(joined.run_after, job.run_after)
    if not is_running:
        joined.attempts = 0
        joined.started_at = None
    joined.rerun_requested = is_running
    joined.save(update_fields=JOINED_FIELDS)
    return joined


def _insert(job: Job) -> Job:
    try:
        with transaction.atomic():
            # The savepoint keeps the caller's transaction usable on PostgreSQL if the job already exists.
            job.save(force_insert=True)
    except IntegrityError:  # another process has just enqueued it, and has committed
        if not job.dedup_key:
            raise
        joined = _join_unfinished(job)
        return joined or _insert(job)
    return job
