"""Requests and callbacks of run task tests in the database."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from verification.testruns.kinds.base import retry_while_locked
from verification.testruns.kinds.run_task.callbacks import CallbackContext, CallbackRequest, process_callback
from verification.testruns.kinds.run_task.driver import RunTaskStore, build_download, list_awaited_runs
from verification.testruns.kinds.run_task.protocol import SCENARIOS, RequestStep, RunTaskTarget, RunTaskUrls
from verification.testruns.kinds.run_task.records import CallbackRecord, Exchange, RunTaskLimits, RunTaskRecords
from verification.testruns.models import RunTaskCallback, RunTaskRequest, TestRun

LIMITS = RunTaskLimits()
MAX_CALLBACKS = 60  # of one request; after that, only its final result and one update per interval are stored
UPDATE_INTERVAL = timedelta(minutes=1)
URL_NAMES = ("inbound:run_task_callback", "inbound:run_task_plan", "inbound:run_task_configuration")


def build_target(run: TestRun, key: str) -> RunTaskTarget:
    """Return the driver's target of a test run."""
    overrides = run.inputs["scenarios"]
    scenarios = {name: replace(scenario, **overrides.get(name, {})) for name, scenario in SCENARIOS.items()}
    stages = tuple(run.inputs["stages"])
    return RunTaskTarget(run.inputs["url"], key, stages, scenarios, LIMITS, str(run.uuid), run.requested_at)


def build_urls(request: RunTaskRequest) -> RunTaskUrls:
    """Return the URLs that the endpoint receives."""
    return RunTaskUrls(*(settings.SITE_URL.rstrip("/") + reverse(name, args=[request.uuid]) for name in URL_NAMES))


class DatabaseStore(RunTaskStore):
    """The requests and callbacks of one test run. Requests without an exchange were interrupted and are sent again."""

    def __init__(self, run: TestRun, key: str = "") -> None:
        self.run = run
        self.target = build_target(run, key)

    def add_request(self, step: RequestStep, token_hash: str) -> RunTaskUrls:
        request = RunTaskRequest(test_run=self.run, step=step.key, token_hash=token_hash, sent_at=timezone.now())
        retry_while_locked(request.save)()
        return build_urls(request)

    @retry_while_locked
    def save_exchange(self, exchange: Exchange) -> None:
        self.run.requests.filter(step=exchange.key).update(exchange=exchange.as_dict())

    @retry_while_locked
    def load_records(self, *, is_complete: bool = False) -> RunTaskRecords:
        rows = list(RunTaskCallback.objects.filter(request__test_run=self.run))
        callbacks = tuple(CallbackRecord.load(row.record) for row in rows)
        exchanges = tuple(Exchange.load(each.exchange) for each in self.run.requests.exclude(exchange={}))
        records = RunTaskRecords(exchanges, callbacks, self.run.inputs["is_signed"], is_complete, LIMITS)
        if not is_complete:
            return records
        # Runs are still awaited at the end only if someone canceled the test run.
        ended_at = self.run.finished_at or timezone.now()
        callbacks_at_end = tuple(each for each, row in zip(callbacks, rows, strict=True) if row.at <= ended_at)
        records_at_end = replace(records, callbacks=callbacks_at_end)
        return replace(records, awaited_runs=tuple(list_awaited_runs(records_at_end, self._compute_ages(ended_at))))

    @retry_while_locked
    def compute_ages(self) -> dict[str, float]:
        return self._compute_ages(timezone.now())

    def _compute_ages(self, now: datetime) -> dict[str, float]:
        return {each.step: (now - each.sent_at).total_seconds() for each in self.run.requests.all()}

    @retry_while_locked
    def is_open(self) -> bool:
        return TestRun.objects.open().filter(pk=self.run.pk).exists()


def _build_context(request: RunTaskRequest, now: datetime) -> CallbackContext:
    others = RunTaskRequest.objects.filter(test_run=request.test_run_id).exclude(pk=request.pk)
    return CallbackContext(
        request.step,
        request.token_hash,
        (now - request.sent_at).total_seconds(),
        request.callbacks.filter(is_final=True).exists(),
        list(others.values_list("token_hash", flat=True)),
        LIMITS.end_seconds,
    )


@retry_while_locked
def record_callback(uuid: UUID, callback_request: CallbackRequest, now: datetime) -> tuple[int, str, TestRun | None]:
    """Store a callback. Returns status and message, and the test run if it was already finished."""
    with transaction.atomic():
        # The end of a test run locks it, too. Without this lock, a callback between the last evaluation and the end
        # would be stored, but never evaluated.
        requests = RunTaskRequest.objects.select_related("test_run").select_for_update(of=("self", "test_run"))
        request = requests.filter(uuid=uuid).first()
        if request is None:
            return 404, "Result not found.", None
        record, message = process_callback(_build_context(request, now), callback_request)
        if not record.is_final and request.callbacks.count() >= MAX_CALLBACKS:
            if record.response_status != 200:
                return 429, "Too many requests for this result.", None
            if request.callbacks.filter(at__gt=now - UPDATE_INTERVAL).exists():
                # The endpoint did nothing wrong: it reports more often than we store.
                return 200, message, None
        request.callbacks.create(at=now, is_final=record.is_final, record=record.as_dict())
    run = request.test_run
    return record.response_status, message, None if run.is_running else run


def get_download(uuid: UUID, resource: str, authorization: str) -> bytes | None:
    """Return the plan or configuration for a valid token, None otherwise."""
    request = RunTaskRequest.objects.select_related("test_run").filter(uuid=uuid).first()
    if request is None:
        return None
    context = _build_context(request, timezone.now())
    return build_download(build_target(request.test_run, ""), context, resource, authorization)
