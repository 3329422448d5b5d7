"""Provider schemas of the demo world: two versions, and an inspection of the newer one."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.value_types import JsonObject
from verification.checks import execution
from verification.checks.rules.provider_schema import OBSERVATION_KEY, SCHEMA_CHECK_KEYS
from verification.checks.types import Subject
from verification.schemas import services
from verification.terraform.versions import parse_version
from verification.testruns.kinds.provider_schema import summary
from verification.testruns.models import TestRun

SOURCE = "registry.terraform.io/acme-rockets/rocket"
SKIPPED_CHECKS = ("schema.pages", "schema.protocol")  # these checks also read the repository, which is fictional
Attributes = dict[str, dict[str, Any]]


def _build_attribute(kind: object, description: str = "", **flags: bool) -> dict[str, object]:
    description_fields = {"description": description} if description else {}
    return {"type": kind, **description_fields, "description_kind": "plain", **flags}


NAME_ATTRIBUTE = _build_attribute("string", "The display name.", required=True)
ID_ATTRIBUTE = _build_attribute("string", "The ID that the service assigns.", computed=True)
PAD_ATTRIBUTES: Attributes = {
    "id": ID_ATTRIBUTE,
    "name": NAME_ATTRIBUTE,
    "site": _build_attribute("string", "The launch site of the pad.", required=True),
    "fuels": _build_attribute(["set", "string"], "The fuels that the pad supports.", optional=True),
}
BOOSTER_ATTRIBUTES: Attributes = {
    "id": ID_ATTRIBUTE,
    "name": NAME_ATTRIBUTE,
    "stages": _build_attribute("number", "The number of stages.", optional=True, computed=True),
    "arming_token": _build_attribute("string", "The token that arms the booster.", optional=True),
}
OLD_RESOURCES = {
    "rocket_pad": PAD_ATTRIBUTES | {"address": _build_attribute("string", "The address of the pad.", optional=True)},
    "rocket_booster": BOOSTER_ATTRIBUTES,
}
NEW_RESOURCES = {
    "rocket_pad": PAD_ATTRIBUTES,
    "rocket_booster": BOOSTER_ATTRIBUTES | {"serial": _build_attribute("string", optional=True, deprecated=True)},
    "rocket_flight": {"id": ID_ATTRIBUTE, "pad": _build_attribute("string", "The launch pad.", required=True)},
}
DATA_SOURCES = {"rocket_site": {"id": ID_ATTRIBUTE, "name": NAME_ATTRIBUTE}}


def _build_schemas(attributes_by_name: dict[str, Attributes]) -> dict[str, object]:
    return {
        name: {
            "version": 1,
            "block": {"attributes": attributes, "description": "Managed by Acme Rockets.", "description_kind": "plain"},
        }
        for name, attributes in attributes_by_name.items()
    }


def build_document(resources: dict[str, Attributes]) -> JsonObject:
    """Return the schemas in the format of `terraform providers schema`."""
    key = _build_attribute("string", "The API key of the service.", optional=True, sensitive=True)
    provider = {"version": 0, "block": {"attributes": {"api_key": key}, "description_kind": "plain"}}
    own = {
        "provider": provider,
        "resource_schemas": _build_schemas(resources),
        "data_source_schemas": _build_schemas(DATA_SOURCES),
    }
    return {"format_version": "1.0", "provider_schemas": {SOURCE: own}}


def create_inspection(integration: Integration, by: User, now: datetime) -> TestRun:
    """Create two schema versions and an inspection of the newer one from an hour ago."""
    then = now - timedelta(hours=1)
    for version, resources, days in (("1.3.0", OLD_RESOURCES, 21), ("1.4.0", NEW_RESOURCES, 0)):
        body = json.dumps(build_document(resources)).encode()
        services.store_schema(integration, parse_version(version), body, actor=None, now=then - timedelta(days=days))
    readings = [_build_reading("direct", 0.31, 41_000_000, 6), _build_reading("terraform", 0.84, 98_000_000, 0)]
    answer = {"readings": readings, "schema": build_document(NEW_RESOURCES), "differences": []}
    schema_summary = summary.build_observation(answer, "1.4.0", then.isoformat())
    results = _evaluate_checks(schema_summary)
    return TestRun.objects.create(
        integration=integration,
        kind=TestRun.Kind.PROVIDER_SCHEMA,
        version="1.4.0",
        requested_by=by,
        requested_at=then,
        finished_at=then,
        outcome=results[0]["outcome"],
        records=schema_summary,
        results=results,
    )


def _build_reading(via: str, seconds: float, peak: int, protocol: int) -> JsonObject:
    fine = {"read": True, "key": "", "problem": "", "said": ""}
    return fine | {"via": via, "seconds": seconds, "peak": peak, "protocol": protocol}


def _evaluate_checks(schema_summary: Mapping[str, object]) -> list[JsonObject]:
    subject = Subject("", "", "", "", known={OBSERVATION_KEY: schema_summary})
    results = [
        execution.serialize_result(key, execution.run_check(key, subject, None))
        for key in SCHEMA_CHECK_KEYS
        if key not in SKIPPED_CHECKS
    ]
    return [one | ({"advice": ""} if one["outcome"] == "pass" else {}) for one in results]
