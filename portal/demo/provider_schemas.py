"""Provider schemas of the demo world: two versions, and an inspection of the newer one."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.value_types import JsonObject
from portal.demo.content import DATA
from verification.checks import execution
from verification.checks.rules.provider_schema import OBSERVATION_KEY, SCHEMA_CHECK_KEYS
from verification.checks.types import Subject
from verification.schemas import services
from verification.terraform.versions import parse_version
from verification.testruns.kinds.provider_schema.kind import build_observation
from verification.testruns.models import TestRun

OLD_VERSION, NEW_VERSION = "1.3.0", "1.4.0"
SKIPPED_CHECKS = ("schema.pages", "schema.protocol")  # these checks also read the repository, which is fictional


def create_inspection(integration: Integration, by: User, now: datetime) -> TestRun:
    """Create two schema versions and an inspection of the newer one from an hour ago."""
    then = now - timedelta(hours=1)
    bodies = {version: (DATA / f"schema-{version}.json").read_bytes() for version in (OLD_VERSION, NEW_VERSION)}
    for version, days in ((OLD_VERSION, 21), (NEW_VERSION, 0)):
        stored_at = then - timedelta(days=days)
        services.store_schema(integration, parse_version(version), bodies[version], actor=None, now=stored_at)
    readings = [_build_reading("direct", 0.31, 41_000_000, 6), _build_reading("terraform", 0.84, 98_000_000, 0)]
    answer = {"readings": readings, "schema": json.loads(bodies[NEW_VERSION]), "differences": []}
    schema_summary = build_observation(answer, NEW_VERSION, then)
    results = _evaluate_checks(schema_summary)
    return TestRun.objects.create(
        integration=integration,
        kind=TestRun.Kind.PROVIDER_SCHEMA,
        version=NEW_VERSION,
        requested_by=by,
        requested_at=then,
        finished_at=then,
        outcome=results[0]["outcome"],
        records=schema_summary,
        results=results,
    )


def _build_reading(via: str, seconds: float, peak: int, protocol: int) -> JsonObject:
    fine = {"read": True, "key": "", "problem": "", "output": ""}
    return fine | {"via": via, "seconds": seconds, "peak": peak, "protocol": protocol}


def _evaluate_checks(schema_summary: Mapping[str, object]) -> list[JsonObject]:
    subject = Subject("", "", "", "", known={OBSERVATION_KEY: schema_summary})
    keys = (key for key in SCHEMA_CHECK_KEYS if key not in SKIPPED_CHECKS)
    results = [execution.serialize_result(key, execution.run_check(key, subject, None)) for key in keys]
    return [one | ({"advice": ""} if one["outcome"] == "pass" else {}) for one in results]
