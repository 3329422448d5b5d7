"""Tests of run tasks: one open at a time for each integration, run as a job.

While a result is awaited the job is rescheduled, so that one which takes an hour keeps no worker busy.
"""

import logging
import time
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration
from portal.core import crypto
from portal.core.errors import ActionRefused
from portal.jobs.context import JobContext
from portal.jobs.definitions import Backoff, Reschedule, job
from portal.jobs.services import enqueue
from verification import sources
from verification.checks.rules.run_task import CHECK_KEY, OBSERVATION_KEY
from verification.checks.services import observations
from verification.checks.services.runs import can_request_check_run, request_check_run
from verification.testruns.kinds.run_task import callback_service, rules
from verification.testruns.kinds.run_task.callback_store import (
    build_scenarios,
    build_target,
    build_urls,
    compute_ages,
    load_records,
    retry_while_locked,
)
from verification.testruns.kinds.run_task.driver import (
    RunTaskTarget,
    generate_result_id,
    is_hopeless,
    list_awaited_runs,
    send_request,
)
from verification.testruns.kinds.run_task.enforcement import build_effects
from verification.testruns.kinds.run_task.judging import RuleResult
from verification.testruns.kinds.run_task.records import RunTaskRecords, serialize_record
from verification.testruns.kinds.run_task.scenario import RequestStep
from verification.testruns.models import RunTaskRehearsal, RunTaskRequest

log = logging.getLogger(__name__)
SLICE_SECONDS = 40.0  # after which other jobs have their turn
RESULT_WAIT_SECONDS = 4.0  # seconds that a piece waits for results, since most come at once
POLL_SECONDS = 0.2
RESUME_DELAY = timedelta(seconds=5)
REFUSAL_MESSAGE = gettext_noop("Only owners, editors, and program staff can do this.")


def start_test_run(integration: Integration, inputs: dict[str, Any], *, actor: Any, now: datetime) -> RunTaskRehearsal:
    """Ask for a rehearsal.

    `inputs`: url, key, stages, and for both scenarios workspace and plan. Raises ActionRefused.
    """
    if not can_request_check_run(integration, actor):
        raise ActionRefused(_(REFUSAL_MESSAGE), "forbidden")
    if not integration.is_open:
        raise ActionRefused(_("The integration has ended, so you can't start a test run."), "invalid-transition")
    row = RunTaskRehearsal(
        integration=integration, url=inputs["url"], stages=list(inputs["stages"]), scenarios=build_scenarios(inputs),
        signed=bool(inputs["key"]), requested_by=actor, requested_at=now,
    )  # fmt: skip
    if inputs["key"]:
        row.encrypted_hmac_key = crypto.encrypt(crypto.Secret(inputs["key"]), row.context())
    try:
        with transaction.atomic():
            row.save()
            enqueue(run_run_task_test, test_run_id=row.pk, dedup_key=str(row.pk))
    except IntegrityError:
        raise ActionRefused(_("A test run is in progress. Wait until it ends, or cancel it."), "conflict") from None
    return row


def cancel_test_run(integration: Integration, *, actor: Any, now: datetime) -> None:
    """End the open rehearsal with what was seen so far. Raises ActionRefused."""
    if not can_request_check_run(integration, actor):
        raise ActionRefused(_(REFUSAL_MESSAGE), "forbidden")
    row = RunTaskRehearsal.objects.open().filter(integration=integration).first()
    if row is not None:
        _finish(row, now)


def _abandon(message: str, *, test_run_id: int) -> None:
    """Finish a test run whose job failed for good, with what was seen so far."""
    row = RunTaskRehearsal.objects.open().filter(pk=test_run_id).first()
    if row is not None:
        _finish(row, timezone.now())


@job("testruns.run_task", queue="checks", retry=Backoff(first=RESUME_DELAY), on_failure=_abandon)
def run_run_task_test(context: JobContext, *, test_run_id: int) -> Reschedule | None:
    """Send the requests that are left and collect results, until the test run is finished."""
    row = RunTaskRehearsal.objects.open().select_related("integration").filter(pk=test_run_id).first()
    if row is None:
        return None
    try:
        key = crypto.decrypt(bytes(row.encrypted_hmac_key), row.context()).value if row.signed else ""
    except crypto.DecryptionError:
        _finish(row, timezone.now())  # the key that sealed it is gone; it has to be given again
        return None
    target, deadline = build_target(row, key), time.monotonic() + SLICE_SECONDS
    return _wait_for_results(row, deadline) if _send_requests(row, target, deadline) else Reschedule()


def _send_requests(row: RunTaskRehearsal, target: RunTaskTarget, deadline: float) -> bool:
    """Make the requests that are still to be made. Returns whether all are."""
    row.requests.filter(exchange={}).delete()  # whoever was sending it died; the platform would send it again too
    completed_steps = set(row.requests.values_list("act", flat=True))
    for step in target.script():
        if step.key in completed_steps:
            continue
        if time.monotonic() > deadline:
            return False
        if not retry_while_locked(lambda: _is_open(row)):
            return True  # stopped meanwhile
        if _send_request(row, step, target):
            return True
    return True


def _is_open(row: RunTaskRehearsal) -> bool:
    return RunTaskRehearsal.objects.open().filter(pk=row.pk).exists()


def _send_request(row: RunTaskRehearsal, step: RequestStep, target: RunTaskTarget) -> bool:
    """Make one request and keep it. Returns whether there is no use in further ones."""
    token, result_id = callback_service.generate_token(), generate_result_id()
    request = RunTaskRequest(
        rehearsal=row, act=step.key, token_hash=callback_service.hash_token(token), sent_at=timezone.now()
    )
    retry_while_locked(request.save)
    exchange = send_request(step, target, build_urls(request), token, result_id, sources.build_outbound_client())
    request.exchange = serialize_record(exchange)
    retry_while_locked(lambda: request.save(update_fields=["exchange"]))
    retry_while_locked(lambda: _store_progress(row, load_records(row)))
    return is_hopeless(exchange)


def _wait_for_results(row: RunTaskRehearsal, deadline: float) -> Reschedule | None:
    """Wait a little for results; then settle, finish, or come back later."""
    deadline = min(deadline, time.monotonic() + RESULT_WAIT_SECONDS)
    while True:
        now, records = timezone.now(), retry_while_locked(lambda: load_records(row))
        pending_runs = list_awaited_runs(
            records, retry_while_locked(lambda: compute_ages(row.requests.all(), timezone.now()))
        )
        if not pending_runs and row.settle_until is None:
            row.settle_until = now + timedelta(seconds=records.limits.settle_seconds)
        if not pending_runs and row.settle_until is not None and now >= row.settle_until:
            retry_while_locked(lambda: _finish(row, timezone.now()))
            return None
        if time.monotonic() > deadline:
            break
        time.sleep(POLL_SECONDS)
    retry_while_locked(lambda: _store_progress(row, records))
    open_test_run = RunTaskRehearsal.objects.open().filter(pk=row.pk)
    is_open = retry_while_locked(lambda: open_test_run.update(settle_until=row.settle_until))
    return Reschedule(timezone.now() + RESUME_DELAY) if is_open else None


def _store_progress(row: RunTaskRehearsal, records: RunTaskRecords) -> None:
    """Keep the verdicts so far. Where it was stopped meanwhile, what has come since counts too, and it stays so."""
    if RunTaskRehearsal.objects.open().filter(pk=row.pk).exists():
        _store_results(row, records)
        return
    row.refresh_from_db(fields=["finished_at"])
    reevaluate_test_run(row, timezone.now())


def _store_results(row: RunTaskRehearsal, records: RunTaskRecords) -> tuple[RuleResult, ...]:
    """Keep the verdicts on what was seen so far."""
    results = rules.judge(records)
    row.verdicts = [each.as_dict() for each in results]
    row.effects = [each.as_dict() for each in build_effects(records)]
    rows = RunTaskRehearsal.objects.all() if records.over else RunTaskRehearsal.objects.open()
    rows.filter(pk=row.pk).update(verdicts=row.verdicts, effects=row.effects)
    return results


@transaction.atomic
def _finish(row: RunTaskRehearsal, now: datetime) -> None:
    """End it: the last verdicts, the key forgotten, the check told."""
    outcome = str(rules.compute_outcome(_store_results(row, load_records(row, over=True))))
    changes = {"finished_at": now, "encrypted_hmac_key": b"", "outcome": outcome}
    if RunTaskRehearsal.objects.open().filter(pk=row.pk).update(**changes):
        row.finished_at, row.outcome = now, outcome
        _store_observation(row, now)


def reevaluate_test_run(row: RunTaskRehearsal, now: datetime) -> None:
    """Something came after the end: it counts too."""
    row.outcome = str(rules.compute_outcome(_store_results(row, load_records(row, over=True))))
    RunTaskRehearsal.objects.filter(pk=row.pk).update(outcome=row.outcome)
    _store_observation(row, now)


def _store_observation(row: RunTaskRehearsal, now: datetime) -> None:
    """What the check says of it, as plain values; only the newest rehearsal counts."""
    newest = RunTaskRehearsal.objects.filter(integration=row.integration_id).exclude(finished_at=None).first()
    if newest is not None and newest.pk == row.pk:
        observation = {
            "url": row.url, "stages": row.stages, "signed": row.signed, "outcome": row.outcome,
            "verdicts": row.verdicts, "at": (row.finished_at or now).isoformat(),
        }  # fmt: skip
        observations.store_observation(row.integration, CHECK_KEY, {OBSERVATION_KEY: observation}, now)
        request_check_run(row.integration, row.requested_by, now, "The test run ended")
