"""Test runs of the demo world: recordings of a provider, a Nomad plugin, and a run task, and a schema inspection."""

import json
from dataclasses import replace
from datetime import datetime, timedelta

from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.value_types import JsonObject
from portal.demo.checks import build_integration_sources
from portal.demo.content import DATA
from verification.checks import execution
from verification.checks.rules.provider_schema import OBSERVATION_KEY, SCHEMA_CHECK_KEYS
from verification.checks.runner import build_integration_subject
from verification.schemas import services
from verification.terraform.versions import parse_version
from verification.testruns.kinds.provider_schema.kind import build_observation
from verification.testruns.kinds.run_task.records import CallbackRecord, Exchange, RunTaskRecords
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS

OLD_VERSION = "1.3.0"
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
    _evaluate(run)
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
    _evaluate(run)
    return _save(run, integration, requester, now - timedelta(hours=2), timedelta(seconds=5))


def create_run_task_test(integration: Integration, requester: User, now: datetime) -> TestRun:
    """Create the recorded test of a run task that reports twice, finished three hours ago."""
    recording = _load_recording("run_task")
    started_at = now - timedelta(hours=3)
    exchanges = tuple(Exchange.load(each) for each in recording["exchanges"])
    callbacks = tuple(CallbackRecord.load(each) for each in recording["callbacks"])
    records = RunTaskRecords(exchanges, callbacks, is_complete=True)
    inputs = {"url": exchanges[0].url, "stages": ["post_plan", "pre_apply"], "scenarios": {}, "is_signed": True}
    run = TestRun(kind=TestRun.Kind.RUN_TASK, inputs=inputs)
    _evaluate(run, records)
    _save(run, integration, requester, started_at, timedelta(seconds=4))
    for number, exchange in enumerate(exchanges):
        request = run.requests.create(
            step=exchange.key, token_hash=f"recorded {number}", sent_at=started_at, exchange=exchange.as_dict()
        )
        for callback in records.list_callbacks(exchange.key):
            request.callbacks.create(at=started_at, is_final=callback.is_final, record=callback.as_dict())
    return run


def create_schema_inspection(integration: Integration, requester: User, now: datetime) -> TestRun:
    """Create two schema versions and an inspection of the newer one from an hour ago."""
    then = now - timedelta(hours=1)
    bodies = {version: (DATA / f"schema-{version}.json").read_bytes() for version in (OLD_VERSION, VERSION)}
    for version, days in ((OLD_VERSION, 21), (VERSION, 0)):
        stored_at = then - timedelta(days=days)
        services.store_schema(integration, parse_version(version), bodies[version], actor=None, now=stored_at)
    readings = [_build_reading("direct", 0.31, 41_000_000, 6), _build_reading("terraform", 0.84, 98_000_000, 0)]
    answer = {"readings": readings, "schema": json.loads(bodies[VERSION]), "differences": []}
    run = TestRun(kind=TestRun.Kind.PROVIDER_SCHEMA, version=VERSION, records=build_observation(answer, VERSION, then))
    run.results = _evaluate_checks(integration, run.records, then)
    run.outcome = run.results[0]["outcome"]
    return _save(run, integration, requester, then, timedelta())


def _build_reading(via: str, seconds: float, peak: int, protocol: int) -> JsonObject:
    fine = {"read": True, "key": "", "problem": "", "output": ""}
    return fine | {"via": via, "seconds": seconds, "peak": peak, "protocol": protocol}


def _evaluate_checks(integration: Integration, schema_summary: JsonObject, now: datetime) -> list[JsonObject]:
    subject = replace(build_integration_subject(integration, now), known={OBSERVATION_KEY: schema_summary})
    results = execution.run_checks(SCHEMA_CHECK_KEYS, subject, build_integration_sources(integration, now))
    serialized = [execution.serialize_result(key, result) for key, result in results.items()]
    return [result | ({"advice": ""} if result["outcome"] == "pass" else {}) for result in serialized]


def _load_recording(name: str) -> JsonObject:
    recording: JsonObject = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    return recording


def _evaluate(run: TestRun, records: RunTaskRecords | None = None) -> None:
    kind = KINDS[run.kind]
    run.results, run.outcome = kind.evaluate(run, records or kind.load_records(run))


def _save(
    run: TestRun, integration: Integration, requester: User, started_at: datetime, duration: timedelta
) -> TestRun:
    """Save a finished run, and report it to its check."""
    run.integration = integration
    run.requested_by = requester
    run.requested_at = started_at
    run.finished_at = started_at + duration
    run.save()
    if KINDS[run.kind].check_key:
        KINDS[run.kind].store_observation(run)
    return run
