"""Sample jobs. Tests put the action of the next call into `steps`."""

import os
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from portal.jobs.definitions import Backoff, JobContext, Reschedule, job

SHORT_LEASE = timedelta(seconds=2)
LEASE = timedelta(seconds=90)
RETRY = Backoff(
    first=timedelta(seconds=10), factor=2, maximum=timedelta(seconds=40), give_up_after=timedelta(minutes=2), jitter=0
)
calls: list[tuple[int, int]] = []  # the thing and the attempt of each call
steps: list[Callable[[JobContext], Reschedule | None]] = []
failures: list[tuple[dict[str, Any], str]] = []


def record_failure(message: str, **payload: Any) -> None:
    failures.append((payload, message))


def run_next_step(context: JobContext, thing: int) -> Reschedule | None:
    calls.append((thing, context.attempt))
    return steps.pop(0)(context) if steps else None


@job("tests.deliver", queue="webhooks", lease=LEASE, retry=RETRY, on_failure=record_failure)
def deliver(context: JobContext, *, thing: int = 0) -> Reschedule | None:
    return run_next_step(context, thing)


@job("tests.charge", queue="sandbox", lease=LEASE, at_most_once=True, on_failure=record_failure)
def charge(context: JobContext, *, thing: int = 0) -> Reschedule | None:
    return run_next_step(context, thing)


@job("tests.fragile", queue="webhooks", lease=LEASE, retry=Backoff(max_attempts=2, jitter=0), on_failure=record_failure)
def retry_once(context: JobContext, *, thing: int = 0) -> Reschedule | None:
    return run_next_step(context, thing)


def write_line(context: JobContext, thing: int) -> None:
    """Append a line about the attempt to a file that several processes share."""
    with open(os.environ["JOB_LOG"], "a") as log:
        log.write(f"{thing} {context.attempt} {os.getpid()}\n")


@job("tests.log", queue="webhooks", lease=SHORT_LEASE)
def log(context: JobContext, *, thing: int) -> None:
    write_line(context, thing)


@job("tests.hang", queue="webhooks", lease=SHORT_LEASE)
def hang(context: JobContext, *, thing: int) -> None:
    write_line(context, thing)
    if context.attempt == 1:
        time.sleep(60)


@job("tests.hang_once", queue="webhooks", lease=SHORT_LEASE, at_most_once=True)
def hang_once(context: JobContext, *, thing: int) -> None:
    write_line(context, thing)
    time.sleep(60)


@job("tests.work_for_long", queue="webhooks", lease=SHORT_LEASE)
def work_for_long(context: JobContext, *, thing: int) -> None:
    write_line(context, thing)
    time.sleep(1.5 * SHORT_LEASE.total_seconds())
