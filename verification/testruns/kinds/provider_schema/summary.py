"""What is told of a reading: to a check as plain values, to people as lines. Pure."""

import json
from typing import Any

from verification.schemas.engine import quality
from verification.schemas.engine.parsing import read_one
from verification.schemas.engine.types import Unreadable


def told(answer: dict[str, Any], version: str, at: str) -> dict[str, Any]:
    """What the checks of the schema are made of; the schema itself is kept elsewhere. `answer`: see schema_job."""
    found = {key: answer[key] for key in ("readings", "differences")}
    found |= {"version": version, "at": at, "protocol": protocol_of(answer), "rules": [], "offered": {}, "problem": ""}
    if answer["schema"] is None:
        return found
    try:
        schema = read_one(json.dumps(answer["schema"]).encode())
    except Unreadable as sentence:
        unfit = {"read": False, "problem": f"Its schema cannot be used: {sentence}", "key": "answer"}
        return found | {"readings": [one | unfit for one in answer["readings"]], "problem": str(sentence)}
    rules = [one.as_dict() for one in quality.judge(schema)]
    return found | {"rules": rules, "offered": quality.offered(schema)}


def protocol_of(answer: dict[str, Any]) -> int:
    """The protocol that was chosen in the handshake, 0 where it was not seen."""
    return next((one["protocol"] for one in answer["readings"] if one["protocol"]), 0)
