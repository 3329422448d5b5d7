"""Summaries of provider schema inspections for checks. Pure functions."""

import json

from portal.core.value_types import JsonObject
from verification.schemas.engine import quality
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import SchemaParseError


def build_observation(answer: JsonObject, version: str, at: str) -> JsonObject:
    """Return the input of the schema checks, without the schema. `answer`: see worker.run_job."""
    observation = {key: answer[key] for key in ("readings", "differences")}
    observation |= {
        "version": version,
        "at": at,
        "protocol": get_protocol(answer),
        "rules": [],
        "offered": {},
        "problem": "",
    }
    if answer["schema"] is None:
        return observation
    try:
        schema = parse_schema(json.dumps(answer["schema"]).encode())
    except SchemaParseError as error:
        failure = {"read": False, "problem": f"The schema can't be used: {error}", "key": "answer"}
        return observation | {"readings": [one | failure for one in answer["readings"]], "problem": str(error)}
    rules = [one.as_dict() for one in quality.evaluate_quality(schema)]
    return observation | {"rules": rules, "offered": quality.list_documented_names(schema)}


def get_protocol(answer: JsonObject) -> int:
    """Return the negotiated protocol version, 0 if unknown."""
    return next((reading["protocol"] for reading in answer["readings"] if reading["protocol"]), 0)
