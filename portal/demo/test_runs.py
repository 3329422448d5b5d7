"""Recorded test runs of the demo world: a provider, a Nomad plugin, and a run task."""

import json
from datetime import datetime, timedelta

from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.value_types import JsonObject
from portal.demo.content import DATA
from verification.testruns.kinds.run_task.records import CallbackRecord, Exchange, RunTaskRecords
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS

VERSION = "1.4.0"


def create_lifecycle_test(integration: Integration, requester: User, now: datetime) -> TestRun:
    """Create the recorded provider acceptance test, finished an hour ago."""
    recording = _load_recording("lifecycle")
    run = TestRun(
        kind=TestRun.Kind.PROVIDER_LIFECYCLE,
        version=VERSION,
        inputs={
            "base": recording["base"],
            "changed": recording["changed"],
            "failing_change": "",
            "refused": "",
            "partial": "",
            "hosts": ["api.acme-rockets.example"],
            "account": "",
            "variables": ["ROCKET_TOKEN"],
        },
        records=recording["records"],
    )
    return _save(run, integration, requester, now - timedelta(hours=1, minutes=1), timedelta(minutes=1))


def create_nomad_plugin_test(integration: Integration, requester: User, now: datetime) -> TestRun:
    """Create the recorded Nomad driver test, finished two hours ago."""
    recording = _load_recording("nomad")
    target = recording["records"]["target"]
    run = TestRun(
        kind=TestRun.Kind.NOMAD_PLUGIN,
        version=target["version"],
        inputs={"type": target["type"], "name": target["name"], "config": recording["config"]},
        records=recording["records"],
    )
    return _save(run, integration, requester, now - timedelta(hours=2), timedelta(seconds=5))


def create_run_task_test(integration: Integration, requester: User, now: datetime) -> TestRun:
    """Create the recorded test of a run task that reports twice, finished three hours ago."""
    recording, started_at = _load_recording("run_task"), now - timedelta(hours=3)
    exchanges = tuple(Exchange.load(each) for each in recording["exchanges"])
    callbacks = tuple(CallbackRecord.load(each) for each in recording["callbacks"])
    records = RunTaskRecords(exchanges, callbacks, is_complete=True)
    inputs = {"url": exchanges[0].url, "stages": ["post_plan", "pre_apply"], "scenarios": {}, "is_signed": True}
    run = TestRun(kind=TestRun.Kind.RUN_TASK, inputs=inputs)
    _save(run, integration, requester, started_at, timedelta(seconds=4), records)
    for number, exchange in enumerate(exchanges):
        request = run.requests.create(
            step=exchange.key, token_hash=f"recorded {number}", sent_at=started_at, exchange=exchange.as_dict()
        )
        for callback in records.list_callbacks(exchange.key):
            request.callbacks.create(at=started_at, is_final=callback.is_final, record=callback.as_dict())
    return run


def _load_recording(name: str) -> JsonObject:
    recording: JsonObject = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    return recording


def _save(
    run: TestRun,
    integration: Integration,
    requester: User,
    started_at: datetime,
    duration: timedelta,
    records: object = None,
) -> TestRun:
    """Save a finished run with its results, and report it to its check."""
    kind = KINDS[run.kind]
    run.integration, run.requested_by, run.requested_at = integration, requester, started_at
    run.finished_at = started_at + duration
    run.results, run.outcome = kind.evaluate(run, records or kind.load_records(run))
    run.save()
    if kind.check_key:
        kind.store_observation(run)
    return run
