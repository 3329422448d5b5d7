"""Driver of a run task test: sends the requests, receives results, and decides when the run ends.

The portal runs it in slices with callbacks in the database. The command runs it at once with callbacks in memory.
"""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from verification.sources.http.client import OutboundClient
from verification.testruns.kinds.run_task import callback_service
from verification.testruns.kinds.run_task.http import EndpointReply, post
from verification.testruns.kinds.run_task.protocol import FAILING, PASSING, TEST_TOKEN, Run, RunTaskUrls, Scenario
from verification.testruns.kinds.run_task.records import (
    CallbackRecord,
    Exchange,
    RunTaskLimits,
    RunTaskRecords,
    redact_text,
)
from verification.testruns.kinds.run_task.scenario import RequestStep, build_request, list_steps

POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class RunTaskTarget:
    """The tested endpoint, its HMAC key (blank: unsigned), the stages, and both scenarios.

    `test_run_id` and `started_at` determine the IDs and timestamps of the runs, so they stay the same in all slices.
    """

    url: str
    key: str
    stages: tuple[str, ...]
    scenarios: Mapping[str, Scenario] = field(default_factory=lambda: {"passing": PASSING, "failing": FAILING})
    limits: RunTaskLimits = field(default_factory=RunTaskLimits)
    test_run_id: str = field(default_factory=lambda: secrets.token_hex(8))
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def script(self) -> tuple[RequestStep, ...]:
        return list_steps(self.stages, has_key=bool(self.key))

    def get_scenario(self, step: RequestStep) -> Scenario:
        return self.scenarios[step.scenario or "passing"]

    def build_run(self, step: RequestStep) -> Run:
        return Run(self.test_run_id, step.run, self.get_scenario(step), self.started_at)


class CallbackReceiver(Protocol):
    """Interface of a receiver of results."""

    def open(self, step: RequestStep, token_hash: str, result_id: str) -> RunTaskUrls:
        """Prepare for the results of a step."""

    def list_callbacks(self) -> tuple[CallbackRecord, ...]:
        """Return all callbacks so far, in order."""


def send_request(
    step: RequestStep, target: RunTaskTarget, urls: RunTaskUrls, token: str, result_id: str, web: OutboundClient
) -> Exchange:
    """Send one request. The exchange records what the endpoint does; nothing is raised."""
    headers, body = build_request(step, target.build_run(step), urls, token, result_id, target.key)
    reply = post(web, target.url, body, headers, timeout_seconds=target.limits.request_timeout_seconds)
    return _build_exchange(step, target, headers, body, reply, [token, target.key])


def _build_exchange(
    step: RequestStep,
    target: RunTaskTarget,
    headers: Mapping[str, str],
    body: bytes,
    reply: EndpointReply,
    private_values: list[str],
) -> Exchange:
    hidden_values = [each for each in private_values if each and each != TEST_TOKEN]
    response_body = reply.body.decode("utf-8", "replace")
    return Exchange(
        act=step.key,
        title=step.title,
        stage=step.stage,
        scenario=step.scenario,
        url=target.url,
        sent_headers=tuple(headers.items()),
        sent_body=redact_text(body.decode(), hidden_values),
        status=reply.status,
        reason=redact_text(reply.reason, hidden_values),
        headers=tuple((name, redact_text(value, hidden_values)) for name, value in reply.headers),
        body=redact_text(response_body, hidden_values),
        head_seconds=round(reply.head_seconds, 3),
        seconds=round(reply.seconds, 3),
        ended=reply.ended,
        sentence=reply.sentence,
        level=step.level if step.is_run else "",
    )


def generate_result_id() -> str:
    """Return an ID for a task result in the format of the platform."""
    return f"taskrs-{secrets.token_hex(8)}"


def is_hopeless(exchange: Exchange) -> bool:
    """Return whether further requests are pointless because the endpoint is unreachable or not allowed."""
    return exchange.ended in ("unreachable", "unresolved", "refused")


def list_awaited_runs(records: RunTaskRecords, ages: Mapping[str, float]) -> list[str]:
    """Return the runs without a result. `ages`: seconds since each was sent."""
    return [run.act for run in records.runs() if _is_awaited(records, run, ages[run.act])]


def _is_awaited(records: RunTaskRecords, run: Exchange, age: float) -> bool:
    limits, callbacks = records.limits, records.list_callbacks(run.act)
    accepted_seconds = [each.after for each in callbacks if each.answered == 200]
    refused_seconds = [each.after for each in callbacks if each.answered != 200]
    if records.get_result(run.act) is not None or age > limits.end:
        return False
    if run.status != 200 and run.ended != "slow" and not accepted_seconds:
        return age < limits.settle_seconds  # the platform would ask again; a result is not to be expected
    if refused_seconds and not accepted_seconds:
        return age - max(refused_seconds) < limits.correction_seconds
    return age - max(accepted_seconds, default=0) < limits.silence_seconds


def run_test(
    target: RunTaskTarget,
    receiver: CallbackReceiver,
    web: OutboundClient,
    report_progress: Callable[[RunTaskRecords], None] = lambda records: None,
) -> RunTaskRecords:
    """Run a complete test.

    `report_progress` receives the records after each request and each result.
    """
    exchanges: list[Exchange] = []
    started_at: dict[str, float] = {}

    def collect_records(over: bool = False) -> RunTaskRecords:
        return RunTaskRecords(tuple(exchanges), receiver.list_callbacks(), bool(target.key), over, target.limits)

    for step in target.script():
        token, result_id = callback_service.generate_token(), generate_result_id()
        urls = receiver.open(step, callback_service.hash_token(token), result_id)
        started_at[step.key] = time.monotonic()
        exchanges.append(send_request(step, target, urls, token, result_id, web))
        report_progress(collect_records())
        if is_hopeless(exchanges[-1]):
            return collect_records(over=True)
    _wait_while(
        lambda: bool(
            list_awaited_runs(collect_records(), {key: time.monotonic() - start for key, start in started_at.items()})
        )
    )
    deadline = time.monotonic() + target.limits.settle_seconds
    _wait_while(lambda: time.monotonic() < deadline)
    return collect_records(over=True)


def _wait_while(is_pending: Callable[[], bool]) -> None:
    while is_pending():
        time.sleep(POLL_SECONDS)
