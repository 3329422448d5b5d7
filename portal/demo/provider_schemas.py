"""Which schemas does the demo world show? Two versions of a provider, and what the reading of the newer one found."""

import json
from datetime import datetime, timedelta
from typing import Any

from integrations.submissions.models import Integration
from portal.accounts.models import User
from verification.checks import execution
from verification.checks.rules.provider_schema import CHECKS_OF, KNOWN
from verification.checks.types import Subject
from verification.schemas import services
from verification.terraform.versions import parse
from verification.testruns.kinds.provider_schema import summary
from verification.testruns.models import SchemaReading

SOURCE = "registry.terraform.io/acme-rockets/rocket"
ASIDE = ("schema.pages", "schema.protocol")  # they look elsewhere too, and these repositories are made up
Attributes = dict[str, dict[str, Any]]


def _attribute(kind: Any, description: str = "", **flags: bool) -> dict[str, Any]:
    told = {"description": description} if description else {}
    return {"type": kind, **told, "description_kind": "plain", **flags}


NAME = _attribute("string", "What people call it.", required=True)
ID = _attribute("string", "Given by the service.", computed=True)
PAD: Attributes = {
    "id": ID, "name": NAME, "site": _attribute("string", "The launch site that it belongs to.", required=True),
    "fuels": _attribute(["set", "string"], "Fuels that it can pump.", optional=True),
}  # fmt: skip
BOOSTER: Attributes = {
    "id": ID, "name": NAME, "stages": _attribute("number", "How many stages it has.", optional=True, computed=True),
    "arming_token": _attribute("string", "Arms the booster.", optional=True),
}  # fmt: skip
OLD = {"rocket_pad": PAD | {"address": _attribute("string", "Where it is.", optional=True)}, "rocket_booster": BOOSTER}
NEW = {
    "rocket_pad": PAD,
    "rocket_booster": BOOSTER | {"serial": _attribute("string", optional=True, deprecated=True)},
    "rocket_flight": {"id": ID, "pad": _attribute("string", "Where it begins.", required=True)},
}  # fmt: skip
DATA = {"rocket_site": {"id": ID, "name": NAME}}


def _schemas(found: dict[str, Attributes]) -> dict[str, Any]:
    return {
        name: {"version": 1, "block": {"attributes": attributes, "description": "Made by Acme Rockets.",
                                       "description_kind": "plain"}}
        for name, attributes in found.items()
    }  # fmt: skip


def document(resources: dict[str, Attributes]) -> dict[str, Any]:
    """As Terraform prints it."""
    key = _attribute("string", "Key of the service's API.", optional=True, sensitive=True)
    provider = {"version": 0, "block": {"attributes": {"api_key": key}, "description_kind": "plain"}}
    own = {
        "provider": provider, "resource_schemas": _schemas(resources), "data_source_schemas": _schemas(DATA),
    }  # fmt: skip
    return {"format_version": "1.0", "provider_schemas": {SOURCE: own}}


def read(integration: Integration, by: User, now: datetime) -> SchemaReading:
    """Two versions are kept; the newer one was read from the provider an hour ago."""
    then = now - timedelta(hours=1)
    for version, resources, days in (("1.3.0", OLD, 21), ("1.4.0", NEW, 0)):
        body = json.dumps(document(resources)).encode()
        services.store(integration, parse(version), body, by=None, now=then - timedelta(days=days))
    ways = [_way("direct", 0.31, 41_000_000, 6), _way("terraform", 0.84, 98_000_000, 0)]
    answer = {"readings": ways, "schema": document(NEW), "differences": []}
    told = summary.told(answer, "1.4.0", then.isoformat())
    results = _results(told)
    return SchemaReading.objects.create(
        integration=integration, version="1.4.0", requested_by=by, requested_at=then, due_at=then, attempts=1,
        finished_at=then, outcome=results[0]["outcome"], told=told, results=results,
    )  # fmt: skip


def _way(via: str, seconds: float, peak: int, protocol: int) -> dict[str, Any]:
    fine = {"read": True, "key": "", "problem": "", "said": ""}
    return fine | {"via": via, "seconds": seconds, "peak": peak, "protocol": protocol}


def _results(told: dict[str, Any]) -> list[dict[str, Any]]:
    subject = Subject("", "", "", "", known={KNOWN: told})
    found = [execution.as_dict(key, execution.safely(key, subject, None)) for key in CHECKS_OF if key not in ASIDE]
    return [one | ({"advice": ""} if one["outcome"] == "pass" else {}) for one in found]
