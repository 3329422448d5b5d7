"""Execution of jobs: claim one in the database, run it, and record the outcome."""

import logging
import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

from django.db import OperationalError, transaction
from django.utils import timezone

from portal.jobs import limits
from portal.jobs.definitions import (
    DEFINITIONS,
    JobContext,
    JobDefinition,
    LeaseLost,
    PermanentFailure,
    Reschedule,
    ResourceBlocked,
    RetryLater,
)
from portal.jobs.leases import keep_lease
from portal.jobs.models import Job, JobQuerySet, ResourceLimit
from portal.jobs.publishing import publish_jobs

logger = logging.getLogger(__name__)
State = Job.State
ROUND_SECONDS = 20.0  # a round starts no further job after this time
LEASE_EXPIRED = "lease_expired"
ABANDONED_MESSAGE = "The process that ran the job ended before the job did."
UNEXPECTED_ERROR = "unexpected_error"
DATABASE_UNAVAILABLE = "database_unavailable"
# For the failure handler, whose message readers of the page see. The job keeps the text of the exception.
INTERNAL_ERROR_MESSAGE = "An unexpected error occurred on our side."


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """Outcome of an attempt: the new state of the job, which is pending again if `run_after` is set."""

    state: Job.State
    run_after: datetime | None = None
    error_code: str = ""
    error_message: str = ""
    keeps_attempts: bool = True
    blocked_until: datetime | None = None


def run_job(job_id: int) -> bool:
    """Run a job if it is due and no other process runs it. Return whether it ran."""
    now = timezone.now()
    job = claim(list_runnable(now).filter(pk=job_id), now)
    if job is None:
        return False
    execute(job)
    return True


def run_due_jobs(queue: str, due_at: datetime, *, seconds: float = ROUND_SECONDS) -> dict[str, int]:
    """Run the jobs of a queue that were due at a time, one after another. Return the number of jobs by kind."""
    counts: dict[str, int] = {}
    deadline = time.monotonic() + seconds
    saturated = limits.find_saturated(due_at)

    def claim_next() -> Job | None:
        if time.monotonic() >= deadline:
            return None
        return claim(list_runnable(due_at, saturated).filter(queue=queue), max(due_at, timezone.now()))

    # The first query locks nothing, so that a round without due jobs writes nothing.
    job = claim_next() if list_runnable(due_at, saturated).filter(queue=queue).exists() else None
    while job is not None:
        counts[job.kind] = counts.get(job.kind, 0) + 1
        outcome = _run_attempt(job)
        if job.is_limited:  # its limit stays locked until the commit, so another lock could cause a deadlock
            _finish_attempt(job, outcome)
            saturated = limits.find_saturated(timezone.now())
            job = claim_next()
        else:
            with transaction.atomic():  # one commit ends a job and starts the next one
                _finish_attempt(job, outcome)
                job = claim_next()
    return counts


def list_runnable(now: datetime, saturated: Collection[str] | None = None) -> JobQuerySet:
    """Return the due jobs with a known definition and an available resource, most urgent first."""
    used_up = limits.find_saturated(now) if saturated is None else saturated
    available = Job.objects.exclude(resource__in=limits.list_blocked(now)).exclude(resource__in=used_up)
    return available.due(now).filter(kind__in=DEFINITIONS)


def claim(candidates: JobQuerySet, now: datetime) -> Job | None:
    """Claim the most urgent candidate for this process. Return None if no candidate can run.

    An abandoned job that can't run again now ends or waits instead, and the next candidate is claimed.
    """
    with transaction.atomic(savepoint=False):
        # Another process is claiming a locked job, and waiting for it would only delay the next one.
        due = candidates.due(now).filter(kind__in=DEFINITIONS).select_for_update(of=("self",), skip_locked=True)
        job = due.first()
        while job is not None and (outcome := _get_abandoned_outcome(job, DEFINITIONS[job.kind], now)) is not None:
            assert job.lease_token is not None
            record_outcome(job.pk, job.lease_token, outcome)
            job = due.first()
        if job is None or not _reserve_resource(job, now):
            return None
        definition = DEFINITIONS[job.kind]
        token = uuid4()
        # The update repeats the condition because SQLite has no row locks.
        values = {
            "state": State.RUNNING,
            "lease_token": token,
            "lease_expires_at": now + definition.lease,
            "progress": {},
            "attempts": job.attempts + 1,
            "started_at": job.started_at or now,
        }
        if not Job.objects.due(now).filter(pk=job.pk, lease_token=job.lease_token).update(**values):
            return None
        for name, value in values.items():
            setattr(job, name, value)
        return job


def execute(job: Job) -> None:
    """Run one attempt of a claimed job, record the outcome, and publish the next job of its resource."""
    _finish_attempt(job, _run_attempt(job))


def _finish_attempt(job: Job, outcome: JobOutcome) -> None:
    assert job.lease_token is not None
    record_outcome(job.pk, job.lease_token, outcome)
    is_success = outcome.state == State.SUCCEEDED
    is_unblocked = is_success and job.resource != "" and limits.unblock_resource(job.resource)
    if job.is_limited or is_unblocked:
        waiting = list_runnable(timezone.now()).filter(resource=job.resource)
        publish_jobs(list(waiting.values_list("pk", flat=True)[:1]))


def record_outcome(job_id: int, token: UUID, outcome: JobOutcome) -> bool:
    """Record the outcome of an attempt. Return False if the lease belongs to another process now."""
    now = timezone.now()
    # Databases refuse these characters, and an outcome that can't be stored would look like a process that died.
    message = outcome.error_message.replace("\x00", "").encode("utf-8", "ignore").decode()
    outcome = replace(outcome, error_message=message)
    if outcome == JobOutcome(State.SUCCEEDED) and _record_success(job_id, token, now):
        return True
    with transaction.atomic(savepoint=False):
        job = Job.objects.select_for_update().filter(pk=job_id, lease_token=token, state=State.RUNNING).first()
        if job is None:
            logger.warning("Job %s ended after it had lost its lease.", job_id)
            return False
        _apply_outcome(job, outcome, now)
        if job.state == State.FAILED:
            _notify_of_failure(job, outcome)
        if job.state == State.PENDING and job.run_after <= now:
            transaction.on_commit(lambda: publish_jobs([job_id]))
    return True


def _record_success(job_id: int, token: UUID, now: datetime) -> bool:
    """Finish a job in one statement, unless it lost its lease or a rerun or cancellation was requested."""
    unchanged = Job.objects.filter(
        pk=job_id, lease_token=token, state=State.RUNNING, rerun_requested=False, cancel_requested=False
    )
    finish = {"state": State.SUCCEEDED, "finished_at": now, "error_code": "", "error_message": ""}
    return bool(unchanged.update(**finish, lease_token=None, lease_expires_at=None))


def _run_attempt(job: Job) -> JobOutcome:
    definition = DEFINITIONS[job.kind]
    token = job.lease_token
    assert token is not None
    context = JobContext(job.pk, job.attempts, token, definition.lease)
    try:
        with keep_lease(f"job {job.pk} ({job.kind})", definition.lease, partial(_renew_lease, job.pk, token)):
            result = definition.function(context, **job.payload)
    except LeaseLost:
        return JobOutcome(State.CANCELED)
    except PermanentFailure as error:
        return JobOutcome(State.FAILED, error_code=error.code, error_message=str(error))
    except ResourceBlocked as error:
        until = error.until or timezone.now() + definition.retry.get_delay(_count_blocks(job.resource) + 1)
        return JobOutcome(State.PENDING, until, "resource_blocked", str(error), blocked_until=until)
    except RetryLater as error:
        return _retry(job, definition, "retry_later", str(error), error.after)
    except OperationalError as error:
        logger.warning("Job %s waits for the database (%s).", job.pk, error)
        return _retry(job, definition, DATABASE_UNAVAILABLE, str(error))
    except Exception as error:
        logger.exception("Attempt %s of job %s (%s) failed.", job.attempts, job.pk, job.kind)
        return _retry(job, definition, UNEXPECTED_ERROR, f"{type(error).__name__}: {error}")
    if isinstance(result, Reschedule):
        return JobOutcome(State.PENDING, result.run_after or timezone.now(), keeps_attempts=False)
    return JobOutcome(State.SUCCEEDED)


def _renew_lease(job_id: int, token: UUID, expires_at: datetime) -> bool:
    running = Job.objects.filter(pk=job_id, lease_token=token, state=State.RUNNING)
    return bool(running.update(lease_expires_at=expires_at))


def _retry(job: Job, definition: JobDefinition, code: str, message: str, after: timedelta | None = None) -> JobOutcome:
    next_at = timezone.now() + (after or definition.retry.get_delay(job.attempts))
    assert job.started_at is not None
    if definition.retry.should_give_up(job.attempts, job.started_at, next_at):
        return JobOutcome(State.FAILED, error_code=code, error_message=message)
    return JobOutcome(State.PENDING, next_at, code, message)


def _get_abandoned_outcome(job: Job, definition: JobDefinition, now: datetime) -> JobOutcome | None:
    """Return the outcome of a job whose process died, or None if it runs again immediately."""
    if job.state != State.RUNNING:
        return None
    if job.cancel_requested:
        return JobOutcome(State.CANCELED)
    assert job.started_at is not None
    # A job that kills its process must not run forever, or repeatedly without a pause.
    if definition.at_most_once or definition.retry.should_give_up(job.attempts, job.started_at, now):
        return JobOutcome(State.FAILED, error_code=LEASE_EXPIRED, error_message=ABANDONED_MESSAGE)
    if job.attempts > 1:
        next_at = now + definition.retry.get_delay(job.attempts)
        return JobOutcome(State.PENDING, next_at, LEASE_EXPIRED, ABANDONED_MESSAGE)
    return None


def _apply_outcome(job: Job, outcome: JobOutcome, now: datetime) -> None:
    if outcome.blocked_until is not None:
        job.attempts -= 1  # the attempt doesn't count
        limits.block_resource(job.resource, outcome.blocked_until)
    state = State.CANCELED if job.cancel_requested else outcome.state
    is_rerun = job.rerun_requested
    if state == State.PENDING and outcome.run_after is not None:
        job.run_after = min(job.run_after, outcome.run_after) if is_rerun else outcome.run_after
    if (is_rerun and state != State.PENDING) or not outcome.keeps_attempts or job.attempts == 0:
        # A job that only waited for its resource has made no attempt, so its time limit begins with the first one.
        job.attempts = 0
        job.started_at = None
    job.state = State.PENDING if is_rerun else state
    job.finished_at = None if job.state == State.PENDING else now
    job.lease_token = job.lease_expires_at = None
    job.rerun_requested = job.cancel_requested = False
    job.error_code = outcome.error_code[:60]
    job.error_message = outcome.error_message[:500]
    job.save()


def _notify_of_failure(job: Job, outcome: JobOutcome) -> None:
    """Call the job's failure handler. The job stays failed if the handler raises an error."""
    handler = DEFINITIONS[job.kind].on_failure
    if handler is None:
        return
    is_internal = outcome.error_code in (UNEXPECTED_ERROR, DATABASE_UNAVAILABLE)
    try:
        with transaction.atomic():
            handler(INTERNAL_ERROR_MESSAGE if is_internal else outcome.error_message, **job.payload)
    except Exception:
        logger.exception("The failure handler of job %s (%s) failed.", job.pk, job.kind)


def _reserve_resource(job: Job, now: datetime) -> bool:
    """Return whether a job can use its resource. A limited resource stays locked until the commit."""
    if not job.resource:
        return True
    job.is_limited = limits.get_max_concurrency(job.resource) is not None
    if not job.is_limited:
        return True
    limits.lock_resource(job.resource)
    return job.resource not in limits.find_saturated(now)


def _count_blocks(resource: str) -> int:
    return ResourceLimit.objects.filter(key=resource).values_list("failure_count", flat=True).first() or 0
