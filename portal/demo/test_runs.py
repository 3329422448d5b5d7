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
from verification.checks.services.runner import build_integration_subject
from verification.schemas import services
from verification.terraform.versions import parse_version
from verification.testruns.kinds.provider_schema.kind import build_observation
from verification.testruns.kinds.run_task.records import CallbackRecord
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS

OLD_VERSION = "1.3.0"
VERSION = "1.4.0"


def create_test_runs(requester: User, now: datetime) -> None:
    """Create the recorded test runs, and the inspection of a schema."""
    for name in ("lifecycle", "run_task", "nomad"):
        create_recorded_test(json.loads((DATA / f"{name}.json").read_text("utf-8")), requester, now)
    create_schema_inspection(Integration.objects.get(name="Rocket"), requester, now)


def create_recorded_test(recording: JsonObject, requester: User, now: datetime) -> None:
    """Create a test run from its recording, which says how long ago it was requested and how long it took."""
    integration = Integration.objects.get(name=recording["integration"])
    requested_at = now - timedelta(seconds=recording["seconds_ago"])
    run = TestRun.objects.create(
        integration=integration,
        requested_by=requester,
        requested_at=requested_at,
        finished_at=requested_at + timedelta(seconds=recording["seconds"]),
        **{name: recording[name] for name in ("kind", "version", "inputs", "records")},
    )
    for number, exchange in enumerate(recording.get("exchanges", ())):
        request = run.requests.create(
            step=exchange["key"], token_hash=f"recorded {number}", sent_at=requested_at, exchange=exchange
        )
        for callback in map(CallbackRecord.load, recording["callbacks"]):
            if callback.key == request.step:
                request.callbacks.create(at=requested_at, is_final=callback.is_final, record=callback.as_dict())
    kind = KINDS[run.kind]
    run.results, run.outcome = kind.evaluate(run, kind.load_records(run))
    run.save()
    if kind.check_key:
        kind.store_observation(run)


def create_schema_inspection(integration: Integration, requester: User, now: datetime) -> None:
    """Create two schema versions and an inspection of the newer one from an hour ago."""
    then = now - timedelta(hours=1)
    bodies = {version: (DATA / f"schema-{version}.json").read_bytes() for version in (OLD_VERSION, VERSION)}
    for version, days in ((OLD_VERSION, 21), (VERSION, 0)):
        stored_at = then - timedelta(days=days)
        services.store_schema(integration, parse_version(version), bodies[version], actor=None, now=stored_at)
    readings = [_build_reading("direct", 0.31, 41_000_000, 6), _build_reading("terraform", 0.84, 98_000_000, 0)]
    answer = {"readings": readings, "schema": json.loads(bodies[VERSION]), "differences": []}
    summary = build_observation(answer, VERSION, then)
    results = _evaluate_checks(integration, summary, then)
    run = TestRun.objects.create(
        integration=integration,
        requested_by=requester,
        requested_at=then,
        finished_at=then,
        kind=TestRun.Kind.PROVIDER_SCHEMA,
        version=VERSION,
        records=summary,
        results=results,
        outcome=results[0]["outcome"],
    )
    KINDS[run.kind].store_observation(run)


def _build_reading(via: str, seconds: float, peak: int, protocol: int) -> JsonObject:
    fine = {"read": True, "key": "", "problem": "", "output": ""}
    return fine | {"via": via, "seconds": seconds, "peak": peak, "protocol": protocol}


def _evaluate_checks(integration: Integration, schema_summary: JsonObject, now: datetime) -> list[JsonObject]:
    subject = replace(build_integration_subject(integration, now), known={OBSERVATION_KEY: schema_summary})
    results = execution.run_checks(SCHEMA_CHECK_KEYS, subject, build_integration_sources(integration, now))
    serialized = [execution.serialize_result(key, result) for key, result in results.items()]
    return [result | ({"advice": ""} if result["outcome"] == "pass" else {}) for result in serialized]
