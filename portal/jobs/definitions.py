"""Job definitions: function, context, queue, lease, and error handling."""

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
# Takes a JobContext and the payload. It can run twice, so it must tolerate the changes of an earlier attempt.
JobFunction = Callable[..., "Reschedule | None"]
FailureHandler = Callable[..., None]  # takes the error message and the payload
# Short, because the job of a killed process can't run again until its lease ends. A running process renews it.
DEFAULT_LEASE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays between the attempts of a job: `first`, then `factor` times the previous delay, up to `maximum`.

    Each delay is extended by a random share of up to `jitter`, so that jobs that failed together don't retry together.
    No attempt starts later than `give_up_after` after the first one, and there are at most `max_attempts`.
    """

    first: timedelta = timedelta(seconds=10)
    factor: float = 2.0
    maximum: timedelta = timedelta(hours=1)
    give_up_after: timedelta | None = timedelta(days=1)
    max_attempts: int | None = None
    jitter: float = 0.1

    def get_delay(self, attempts: int) -> timedelta:
        """Return the delay after this many attempts."""
        growth = self.factor ** min(attempts - 1, 60)  # prevents an overflow if a job fails for years
        spread = 1 + self.jitter * random.random()  # noqa: S311 - no secret
        return self.first * min(growth, self.maximum / self.first) * spread

    def should_give_up(self, attempts: int, started_at: datetime, next_at: datetime) -> bool:
        """Return whether an attempt at `next_at` exceeds the limits."""
        is_exhausted = self.max_attempts is not None and attempts >= self.max_attempts
        return is_exhausted or (self.give_up_after is not None and next_at - started_at > self.give_up_after)


@dataclass(frozen=True, slots=True)
class Reschedule:
    """Result of a job that must run again like a new job, at `run_after` or as soon as possible."""

    run_after: datetime | None = None


class RetryLater(Exception):
    """Temporary, expected failure. Without `after`, the job's backoff sets the delay."""

    def __init__(self, reason: str, after: timedelta | None = None) -> None:
        super().__init__(reason)
        self.after = after


class ResourceBlocked(Exception):
    """Block of the job's resource, which accepts no requests now.

    No job that uses the resource starts before `until`, and the attempt doesn't count. Without `until`, the job's
    backoff sets the delay, based on how many times in a row the resource was blocked.
    """

    def __init__(self, until: datetime | None = None, reason: str = "") -> None:
        super().__init__(reason or "The resource is blocked.")
        self.until = until


class PermanentFailure(Exception):
    """Failure that another attempt can't fix."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message)
        self.code = code


class LeaseLost(Exception):
    """Cancellation of the job, or loss of its lease to another process. The function must stop writing."""


@dataclass(frozen=True, slots=True)
class JobDefinition:
    """Kind of job.

    Attributes:
        lease: How long a job stays assigned to a process that died. A running process renews the lease.
        at_most_once: Whether a job fails instead of starting again if its process died.
        on_failure: Called with a message for users and the payload, in the transaction that marks the job as failed.
    """

    kind: str
    function: JobFunction
    queue: str
    lease: timedelta
    retry: Backoff
    at_most_once: bool
    on_failure: FailureHandler | None

    def check_payload(self, payload: Mapping[str, PayloadValue]) -> None:
        """Raise TypeError if the function doesn't accept this payload, so that the error occurs in the caller."""
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
    """Define a kind of job. It must be in an app's `tasks.py` or in a module that `tasks.py` imports."""
    if queue not in QUEUES:
        raise ValueError(f"The queue of {kind} must be one of {', '.join(QUEUES)}, not {queue!r}.")

    def define(function: JobFunction) -> JobDefinition:
        if kind in DEFINITIONS:
            raise ValueError(f"The job {kind} is already defined.")
        definition = JobDefinition(kind, function, queue, lease, retry or Backoff(), at_most_once, on_failure)
        DEFINITIONS[kind] = definition
        return definition

    return define


ProgressValue = int | str | list[str]


@dataclass(frozen=True, slots=True)
class JobContext:
    """First argument of a job's function.

    The lease is renewed while the function runs. A function that can take longer than an hour, or that must stop when
    its job is canceled, calls `renew_lease` before it writes anything.
    """

    job_id: int
    attempt: int
    lease_token: UUID
    lease: timedelta

    def report_progress(self, **progress: ProgressValue) -> None:
        """Replace the progress that pages show, and renew the lease. Raises LeaseLost like `renew_lease`."""
        self.renew_lease(progress=progress)

    def renew_lease(self, **fields: dict[str, ProgressValue]) -> None:
        """Renew the lease. Raises LeaseLost if the job was canceled or belongs to another process."""
        own = Job.objects.filter(pk=self.job_id, lease_token=self.lease_token, cancel_requested=False)
        if not own.update(lease_expires_at=timezone.now() + self.lease, **fields):
            raise LeaseLost(f"Job {self.job_id} was canceled, or another process runs it.")
