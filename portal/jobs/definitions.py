"""Definitions of jobs: the function, its context, queue, and lease, and what happens after an error."""

import inspect
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from portal.jobs.models import Job
from portal.jobs.registry import QUEUES

PayloadValue = int | str | bool | None
# Takes a JobContext and the payload. It may run twice, so it must tolerate what an earlier attempt left.
JobFunction = Callable[..., "Reschedule | None"]
FailureHandler = Callable[..., None]  # takes the error message and the payload
# Short, because a killed process leaves its job unrunnable for this long; a running process renews it.
DEFAULT_LEASE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits between the attempts of a job: `first`, then `factor` times the one before, up to `maximum`.

    Each delay is extended by a random share of up to `jitter`, so that jobs that failed together don't retry together.
    No attempt starts later than `give_up_after` since the first one, and there are at most `max_attempts`.
    """

    first: timedelta = timedelta(seconds=10)
    factor: float = 2.0
    maximum: timedelta = timedelta(hours=1)
    give_up_after: timedelta | None = timedelta(days=1)
    max_attempts: int | None = None
    jitter: float = 0.1

    def get_delay(self, attempts: int) -> timedelta:
        """Return the wait after this many attempts."""
        growth = self.factor ** min(attempts - 1, 60)  # a job may fail for years without an overflow
        spread = 1 + self.jitter * random.random()  # noqa: S311 - no secret
        return self.first * min(growth, self.maximum / self.first) * spread

    def should_give_up(self, attempts: int, started_at: datetime, next_at: datetime) -> bool:
        """Return whether an attempt at `next_at` exceeds the limits."""
        is_exhausted = self.max_attempts is not None and attempts >= self.max_attempts
        return is_exhausted or (self.give_up_after is not None and next_at - started_at > self.give_up_after)


@dataclass(frozen=True, slots=True)
class Reschedule:
    """Result of a job that wants to run again, as a new job would, at `run_after` or as soon as possible."""

    run_after: datetime | None = None


class RetryLater(Exception):
    """Temporary, expected failure. Without `after` the job's backoff decides."""

    def __init__(self, reason: str, after: timedelta | None = None) -> None:
        super().__init__(reason)
        self.after = after


class ResourceBlocked(Exception):
    """The resource of the job accepts no requests now.

    No job that uses it starts before `until`, and no attempt counts. Without `until` the job's backoff decides,
    with the number of times in a row that the resource was blocked.
    """

    def __init__(self, until: datetime | None = None, reason: str = "") -> None:
        super().__init__(reason or "The resource is blocked.")
        self.until = until


class PermanentFailure(Exception):
    """A failure that no further attempt can change."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message)
        self.code = code


class LeaseLost(Exception):
    """The job was canceled, or its lease expired and another process runs it. Stop and write nothing more."""


@dataclass(frozen=True, slots=True)
class JobDefinition:
    """A kind of job.

    Attributes:
        lease: How long a job stays with a process that died. While the process is at work, the lease is renewed.
        at_most_once: Fail instead of starting again after the process died.
        on_failure: Called with the error message and the payload, in the transaction that fails the job for good.
    """

    kind: str
    function: JobFunction
    queue: str
    lease: timedelta
    retry: Backoff
    at_most_once: bool
    on_failure: FailureHandler | None

    def check_payload(self, payload: Mapping[str, PayloadValue]) -> None:
        """Raise TypeError if the function does not take this payload: at the caller, not hours later in a worker."""
        inspect.signature(self.function).bind(None, **payload)


DEFINITIONS: dict[str, JobDefinition] = {}


def job(
    kind: str,
    *,
    queue: str,
    lease: timedelta = DEFAULT_LEASE,
    retry: Backoff | None = None,
    at_most_once: bool = False,
    on_failure: FailureHandler | None = None,
) -> Callable[[JobFunction], JobDefinition]:
    """Define a kind of job. Put it in the app's `tasks.py`, or in a module that it imports, so that it is loaded."""
    if queue not in QUEUES:
        raise ValueError(f"The queue {queue!r} of {kind} is none of {', '.join(QUEUES)}.")

    def define(function: JobFunction) -> JobDefinition:
        if kind in DEFINITIONS:
            raise ValueError(f"There are two definitions of the job {kind}.")
        definition = JobDefinition(kind, function, queue, lease, retry or Backoff(), at_most_once, on_failure)
        DEFINITIONS[kind] = definition
        return definition

    return define


ProgressValue = int | str | list[str]


@dataclass(frozen=True, slots=True)
class JobContext:
    """First argument of a job's function.

    The lease is renewed while the function runs. A function that may hang for longer than an hour, or that should end
    when its job is canceled, calls `renew_lease` before it writes anything.
    """

    job_id: int
    attempt: int
    lease_token: UUID
    lease: timedelta

    def renew_lease(self) -> None:
        """Keep the job for another lease. Raise LeaseLost if it was canceled or belongs to another process."""
        self._update()

    def report_progress(self, **progress: ProgressValue) -> None:
        """Replace what pages show of the progress, and renew the lease. Raise LeaseLost as `renew_lease` does."""
        self._update(progress=progress)

    def _update(self, **fields: dict[str, ProgressValue]) -> None:
        own = Job.objects.filter(pk=self.job_id, lease_token=self.lease_token, cancel_requested=False)
        if not own.update(lease_expires_at=timezone.now() + self.lease, **fields):
            raise LeaseLost(f"Job {self.job_id} was canceled, or another process runs it.")
