"""Database storage of run task callbacks, one transaction per call."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from portal.core.value_types import NamedValues
from verification.testruns.kinds.run_task import callback_service
from verification.testruns.kinds.run_task.driver import RunTaskTarget, list_awaited_runs
from verification.testruns.kinds.run_task.protocol import (
    FAILING,
    PASSING,
    RunTaskUrls,
    Scenario,
    build_configuration_archive,
)
from verification.testruns.kinds.run_task.records import (
    CallbackRecord,
    RunTaskLimits,
    RunTaskRecords,
    load_callback,
    load_exchange,
    serialize_record,
)
from verification.testruns.models import RunTaskCallback, RunTaskRequest, TestRun

LIMITS = RunTaskLimits()
MAX_CALLBACKS = 60  # of one request that are kept; more than that say nothing new


def build_urls(request: RunTaskRequest) -> RunTaskUrls:
    """Return the URLs that the endpoint receives."""
    names = ("inbound:run_task_callback", "inbound:run_task_plan", "inbound:run_task_configuration")
    return RunTaskUrls(*(settings.SITE_URL.rstrip("/") + reverse(name, args=[request.uuid]) for name in names))


def build_target(run: TestRun, key: str) -> RunTaskTarget:
    """Return the driver's target of a test run."""
    scenarios = {
        name: Scenario(**run.inputs["scenarios"].get(name, {}) or _serialize_scenario(scenario))
        for name, scenario in DEFAULT_SCENARIOS.items()
    }
    return RunTaskTarget(
        run.inputs["url"], key, tuple(run.inputs["stages"]), scenarios, LIMITS, str(run.uuid), run.requested_at
    )


DEFAULT_SCENARIOS = {"passing": PASSING, "failing": FAILING}


def _serialize_scenario(scenario: Scenario) -> dict[str, str]:
    return {"name": scenario.name, "workspace": scenario.workspace, "message": scenario.message, "plan": scenario.plan}


def build_scenarios(inputs: NamedValues) -> dict[str, dict[str, str]]:
    """Return both scenarios with the partner's values. `inputs`: passing_plan and so on."""
    scenarios = {}
    for name, default in DEFAULT_SCENARIOS.items():
        overrides = {key: inputs[f"{name}_{key}"] for key in ("workspace", "plan")}
        scenarios[name] = _serialize_scenario(default) | {key: value for key, value in overrides.items() if value}
    return scenarios


def load_records(run: TestRun, *, over: bool = False) -> RunTaskRecords:
    """Load all records so far."""
    requests = [each for each in run.requests.all() if each.exchange]
    callback_rows = list(RunTaskCallback.objects.filter(request__test_run=run).select_related("request"))
    callbacks = tuple(load_callback(callback_row.seen) for callback_row in callback_rows)
    records = RunTaskRecords(
        tuple(load_exchange(each.exchange) for each in requests), callbacks, run.inputs["is_signed"], over, LIMITS
    )
    return replace(records, awaited_runs=_list_awaited_runs(run, records, callback_rows)) if over else records


def _list_awaited_runs(run: TestRun, records: RunTaskRecords, callbacks: Sequence[RunTaskCallback]) -> tuple[str, ...]:
    """Return the runs without a result at the end, which exist only if somebody canceled the test run."""
    end = run.finished_at or timezone.now()
    records_at_end = replace(
        records, callbacks=tuple(load_callback(callback.seen) for callback in callbacks if callback.at <= end)
    )
    return tuple(list_awaited_runs(records_at_end, compute_ages(run.requests.all(), end)))


def _build_context(request: RunTaskRequest, now: datetime) -> callback_service.CallbackContext:
    others = RunTaskRequest.objects.filter(test_run=request.test_run_id).exclude(pk=request.pk)
    is_final = request.callbacks.filter(is_final=True).exists()
    hashes = dict(others.values_list("token_hash", "act"))
    age = (now - request.sent_at).total_seconds()
    return callback_service.CallbackContext(request.act, request.token_hash, age, is_final, hashes, LIMITS.end)


def record_callback(
    uuid: UUID, callback_request: callback_service.CallbackRequest, now: datetime
) -> tuple[int, str, TestRun | None]:
    """Store a callback. Returns status and message, and the test run if it was already finished."""
    with transaction.atomic():
        request = RunTaskRequest.objects.select_for_update(of=("self",)).filter(uuid=uuid).first()
        if request is None:
            return 404, "Result not found.", None
        if request.callbacks.count() >= MAX_CALLBACKS:
            return 429, "Too many requests for this result.", None
        record, message = callback_service.process_callback(_build_context(request, now), callback_request)
        _store_callback(request, record, now)
    run = request.test_run
    return record.answered, message, None if run.is_running else run


def _store_callback(request: RunTaskRequest, record: CallbackRecord, now: datetime) -> None:
    request.callbacks.create(at=now, is_final=record.is_final, seen=serialize_record(record))


def get_download(uuid: UUID, resource: str, authorization: str, now: datetime) -> bytes | None:
    """Return the plan or configuration for a valid token, None otherwise."""
    request = RunTaskRequest.objects.select_related("test_run").filter(uuid=uuid).first()
    if request is None or callback_service.get_token_state(_build_context(request, now), authorization) not in (
        "right",
        "used",
    ):
        return None
    target = build_target(request.test_run, "")
    scenario = target.scenarios.get(request.act.partition(".")[0], target.scenarios["passing"])
    return scenario.plan.encode() if resource == "plan" else build_configuration_archive(scenario)


def compute_ages(requests: Iterable[RunTaskRequest], now: datetime) -> dict[str, float]:
    """Return the seconds since each request was sent."""
    return {each.act: (now - each.sent_at).total_seconds() for each in requests}
