"""Provider schemas of the demo world: two versions, and an inspection of the newer one."""

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
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS

OLD_VERSION, NEW_VERSION = "1.3.0", "1.4.0"


def create_inspection(integration: Integration, requester: User, now: datetime) -> TestRun:
    """Create two schema versions and an inspection of the newer one from an hour ago."""
    then = now - timedelta(hours=1)
    bodies = {version: (DATA / f"schema-{version}.json").read_bytes() for version in (OLD_VERSION, NEW_VERSION)}
    for version, days in ((OLD_VERSION, 21), (NEW_VERSION, 0)):
        stored_at = then - timedelta(days=days)
        services.store_schema(integration, parse_version(version), bodies[version], actor=None, now=stored_at)
    readings = [_build_reading("direct", 0.31, 41_000_000, 6), _build_reading("terraform", 0.84, 98_000_000, 0)]
    answer = {"readings": readings, "schema": json.loads(bodies[NEW_VERSION]), "differences": []}
    schema_summary = build_observation(answer, NEW_VERSION, then)
    results = _evaluate_checks(integration, schema_summary, then)
    run = TestRun.objects.create(
        integration=integration,
        kind=TestRun.Kind.PROVIDER_SCHEMA,
        version=NEW_VERSION,
        requested_by=requester,
        requested_at=then,
        finished_at=then,
        outcome=results[0]["outcome"],
        records=schema_summary,
        results=results,
    )
    KINDS[run.kind].store_observation(run)
    return run


def _build_reading(via: str, seconds: float, peak: int, protocol: int) -> JsonObject:
    fine = {"read": True, "key": "", "problem": "", "output": ""}
    return fine | {"via": via, "seconds": seconds, "peak": peak, "protocol": protocol}


def _evaluate_checks(integration: Integration, schema_summary: JsonObject, now: datetime) -> list[JsonObject]:
    subject = replace(build_integration_subject(integration, now), known={OBSERVATION_KEY: schema_summary})
    results = execution.run_checks(SCHEMA_CHECK_KEYS, subject, build_integration_sources(integration, now))
    serialized = [execution.serialize_result(key, result) for key, result in results.items()]
    return [result | ({"advice": ""} if result["outcome"] == "pass" else {}) for result in serialized]
