"""Driver of a run task test: sends the requests, and decides when the test ends.

The portal runs it in slices, with requests and callbacks in the database. The command runs it in one go, in memory.
"""

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import ClassVar

from portal.core.crypto import hash_token
from verification.sources.http.client import OutboundClient
from verification.testruns.kinds.run_task import protocol
from verification.testruns.kinds.run_task.callbacks import DOWNLOAD_TOKENS, CallbackContext, get_token_state
from verification.testruns.kinds.run_task.http import post
from verification.testruns.kinds.run_task.protocol import RequestStep, RunTaskTarget, RunTaskUrls
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords, redact_text

ReportProgress = Callable[[Exchange], None]
UNREACHABLE_STATES = ("unreachable", "unresolved", "refused")


class RunTaskStore(ABC):
    """The requests and callbacks of one test run."""

    target: RunTaskTarget
    poll_seconds: ClassVar[float] = 0.2

    @abstractmethod
    def add_request(self, step: RequestStep, token_hash: str) -> RunTaskUrls:
        """Prepare for the results of a step."""

    @abstractmethod
    def save_exchange(self, exchange: Exchange) -> None: ...

    @abstractmethod
    def load_records(self, *, is_complete: bool = False) -> RunTaskRecords: ...

    @abstractmethod
    def compute_ages(self) -> dict[str, float]:
        """Return the seconds since each request was sent, also of those without an exchange."""

    def is_open(self) -> bool:
        """Return whether the test run is still wanted."""
        return True


def run_test(
    store: RunTaskStore, web: OutboundClient, report_progress: ReportProgress = lambda exchange: None
) -> RunTaskRecords:
    """Run a complete test. `report_progress` receives each exchange."""
    send_requests(store, web, report_progress)
    wait_for_results(store)
    return store.load_records(is_complete=True)


def send_requests(
    store: RunTaskStore, web: OutboundClient, report_progress: ReportProgress, deadline: float = float("inf")
) -> bool:
    """Send the remaining requests until the deadline. Return whether no more are needed."""
    completed = store.compute_ages()
    for step in store.target.list_steps():
        if step.key in completed:
            continue
        if time.monotonic() > deadline:
            return False
        if not store.is_open():
            return True
        token = secrets.token_urlsafe(32)
        # The endpoint can send its result before its response, so the token must be known first.
        urls = store.add_request(step, hash_token(token))
        exchange = send_request(step, store.target, urls, token, web)
        store.save_exchange(exchange)
        report_progress(exchange)
        # Each further request would fail in the same way, some only after the timeout.
        if exchange.end_state in UNREACHABLE_STATES:
            return True
    return True


def send_request(
    step: RequestStep, target: RunTaskTarget, urls: RunTaskUrls, token: str, web: OutboundClient
) -> Exchange:
    """Send one request. The exchange records what the endpoint does; nothing is raised."""
    headers, body = protocol.build_request(target, step, urls, token)
    reply = post(web, target.url, body, headers, timeout_seconds=target.limits.request_timeout_seconds)
    # The constant is public, and it shows readers which requests are verifications.
    hidden = [each for each in (token, target.key) if each and each != protocol.TEST_TOKEN]
    redacted = {
        "reason": redact_text(reply.reason, hidden),
        "headers": tuple((name, redact_text(value, hidden)) for name, value in reply.headers),
        "body": redact_text(reply.body, hidden),
    }
    return Exchange(
        **reply.as_dict() | redacted,
        key=step.key,
        title=step.title,
        stage=step.stage,
        scenario=step.scenario,
        level=step.level if step.scenario else "",
        url=target.url,
        sent_headers=tuple(headers.items()),
        sent_body=redact_text(body.decode(), hidden),
    )


def wait_for_results(
    store: RunTaskStore, deadline: float = float("inf"), settles_at: datetime | None = None
) -> datetime | None:
    """Wait until no more results are awaited and a moment has passed, the run is canceled, or the deadline is over.

    Returns:
        When to stop waiting for a second result, None while results are awaited. It can be passed to the next call.
    """
    while True:
        records = store.load_records()
        now = datetime.now(UTC)
        if list_awaited_runs(records, store.compute_ages()):
            settles_at = None
        elif settles_at is None:
            settles_at = now + timedelta(seconds=records.limits.settle_seconds)
        is_settled = settles_at is not None and now >= settles_at
        if is_settled or time.monotonic() > deadline or not store.is_open():
            return settles_at
        time.sleep(store.poll_seconds)


def build_download(target: RunTaskTarget, context: CallbackContext, resource: str, authorization: str) -> bytes | None:
    """Return the plan or configuration of a run for a valid token, None otherwise."""
    if get_token_state(context, authorization) not in DOWNLOAD_TOKENS:
        return None
    scenario = target.get_scenario(context.key)
    return scenario.plan.encode() if resource == "plan" else protocol.build_configuration_archive(scenario)


def list_awaited_runs(records: RunTaskRecords, ages: Mapping[str, float]) -> list[str]:
    """Return the runs without a result. `ages`: seconds since each was sent."""
    return [run.key for run in records.runs if _is_awaited(records, run, ages[run.key])]


def _is_awaited(records: RunTaskRecords, run: Exchange, age: float) -> bool:
    limits = records.limits
    callbacks = records.list_callbacks(run.key)
    accepted_seconds = [each.elapsed_seconds for each in callbacks if each.response_status == 200]
    refused_seconds = [each.elapsed_seconds for each in callbacks if each.response_status != 200]
    if records.get_result(run.key) is not None or age > limits.end_seconds:
        return False
    # A slow response isn't the end: HashiCorp's scaffolding sends its result before it responds. After another status,
    # the platform would send the request again, and no result is expected.
    if run.status != 200 and run.end_state != "slow" and not accepted_seconds:
        return age < limits.settle_seconds
    # An endpoint can correct a result that we refused.
    if refused_seconds and not accepted_seconds:
        return age - max(refused_seconds) < limits.correction_seconds
    return age - max(accepted_seconds, default=0) < limits.silence_seconds
