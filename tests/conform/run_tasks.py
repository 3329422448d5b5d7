"""Run task requests and results compared with HashiCorp's client library and the documented JSON schema.

Requests of the portal are read by the models of `pytfe`. Results built by `pytfe`, and damaged ones, are checked by the
portal and by the limits that HashiCorp documents, written down here as a JSON schema.
"""

import hashlib
import hmac
import json
import random
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from itertools import product
from typing import Any

from jsonschema import Draft202012Validator

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from verification.testruns.kinds.run_task.callback_parsing import parse_callback
from verification.testruns.kinds.run_task.protocol import (
    SCENARIOS,
    STAGES,
    RequestStep,
    RunTaskTarget,
    RunTaskUrls,
    build_run_request,
    compute_signature as sign,
    encode_document,
)

REFERENCE = "pytfe (HashiCorp), the documented JSON schema of results, and HMAC-SHA512 of the standard library"
SHORT_RESULTS = 200
LONG_RESULTS = 3000
URLS = RunTaskUrls("https://portal.example/callback", "https://portal.example/plan", "https://portal.example/files")
NOW = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)
EMPTY = "The JSON schema requires at least one character. On the API page and in the portal, the text is optional"


def build_text_schema(most: int) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": most}


def build_object_schema(properties: dict[str, Any], required_properties: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required_properties}


TAG = build_object_schema(
    {"label": build_text_schema(32), "level": {"enum": ["none", "info", "warning", "error"]}}, ["label"]
)
OUTCOME = build_object_schema(
    {
        "outcome-id": build_text_schema(64),
        "description": build_text_schema(1000),
        "body": {"type": "string", "maxLength": 5 * 1024 * 1024},
        "url": {"type": "string", "maxLength": 500},
        "tags": {"type": "object", "maxProperties": 10, "additionalProperties": {"type": "array", "items": TAG}},
    },
    ["outcome-id", "description"],
)
LISTED_OUTCOME = build_object_schema(
    {"type": {"const": "task-result-outcomes"}, "attributes": OUTCOME}, ["type", "attributes"]
)
ATTRIBUTES = build_object_schema(
    {
        "status": {"enum": ["running", "passed", "failed"]},
        "message": build_text_schema(1000),
        "url": build_text_schema(500),
    },
    ["status"],
)
OUTCOMES = build_object_schema(
    {"data": {"type": "array", "minItems": 0, "maxItems": 10, "items": LISTED_OUTCOME}}, ["data"]
)
DATA = build_object_schema(
    {
        "type": {"const": "task-results"},
        "attributes": ATTRIBUTES,
        "relationships": build_object_schema({"outcomes": OUTCOMES}, []),
    },
    ["type", "attributes"],
)
RESULT = build_object_schema({"data": DATA}, ["data"])


def run(options: RunOptions) -> SuiteReport:
    """Compare every kind of request, then results drawn from the seed."""
    requests = list(compare_requests())
    count = LONG_RESULTS if options.full else SHORT_RESULTS
    results = list(compare_results(count, random.Random(options.seed)))
    disagreements = [each for each in (*requests, *results) if each is not None]
    figures = (("Requests read by pytfe", str(len(requests))), ("Results checked", f"{len(results):,}"))
    return SuiteReport(REFERENCE, len(requests) + len(results), tuple(disagreements), figures=figures)


def compare_requests() -> Iterator[Disagreement | None]:
    """Yield a disagreement for each request that the library reads otherwise than it was written."""
    from pytfe.models import RunTaskRequest

    target = RunTaskTarget("https://run.acme.io/", "key", STAGES, test_run_id="conform", started_at=NOW)
    for stage, scenario, level in product(STAGES, SCENARIOS, ("advisory", "mandatory")):
        step = RequestStep(f"{scenario}.{stage}", "", stage=stage, scenario=scenario, level=level)
        run_request = build_run_request(target, step, URLS, "token")
        body = encode_document(run_request)
        parsed_request = RunTaskRequest.model_validate_json(body).model_dump(mode="json", exclude_unset=True)
        expected = run_request | {"run_created_at": "2026-04-14T09:00:00Z"}  # the library writes no milliseconds
        signed = hmac.digest(b"key", body, hashlib.sha512).hex() == sign(body, "key")
        case = f"{stage}, {level}, {scenario} run"
        yield (
            None if parsed_request == expected and signed else Disagreement(case, str(run_request), str(parsed_request))
        )


def compare_results(count: int, draw: random.Random) -> Iterator[Disagreement | None]:
    """Yield a disagreement for each result that one accepts and the other refuses."""
    reference = Draft202012Validator(RESULT)
    for _ in range(count):
        document = build_result(draw)
        if draw.random() < 0.7:
            document = damage_result(document, draw)
        portal = not parse_callback(json.dumps(document).encode()).problems
        is_documented = reference.is_valid(document)
        if portal == is_documented:
            yield None
            continue
        errors = [f"{error.json_path}: {error.message}" for error in reference.iter_errors(document)]
        reason = EMPTY if errors and all("non-empty" in each or "too short" in each for each in errors) else ""
        yield Disagreement(
            "; ".join(errors)[:200] or json.dumps(document)[:200],
            describe_verdict(portal),
            describe_verdict(is_documented),
            reason,
        )


def describe_verdict(is_accepted: bool) -> str:
    return "accepts" if is_accepted else "refuses"


def build_result(draw: random.Random) -> dict[str, Any]:
    """Return a result as HashiCorp's library writes it."""
    from pytfe.models import TaskResultCallbackRequestOptions, TaskResultCallbackStatus
    from pytfe.models.run_task_integration import TaskResultOutcome

    outcomes = [TaskResultOutcome.model_validate(build_outcome(draw)) for _ in range(draw.choice((0, 1, 2, 10)))]
    options = TaskResultCallbackRequestOptions(
        status=TaskResultCallbackStatus(draw.choice(("running", "passed", "failed"))),
        message=draw.choice((None, "Looked at.", "m" * 1000)),
        url=draw.choice((None, "https://example.com/" + "u" * 480)),
        outcomes=outcomes,
    )
    return options.to_payload()


def build_outcome(draw: random.Random) -> dict[str, Any]:
    tags = {name: [{"label": "High", "level": "error"}, {"label": "l" * 32}] for name in ("Severity", "Cost Center")}
    return {
        "outcome-id": draw.choice(("R-1", "i" * 64)),
        "description": draw.choice(("Open to all", "d" * 1000)),
        "body": draw.choice((None, "# Open", "b" * 20_000)),
        "tags": draw.choice((None, {}, tags)),
    }


def damage_result(document: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Return the result with one value replaced, removed or made too long."""
    damaged_document = deepcopy(document)
    container, key = draw.choice(list(find_items(damaged_document)))
    replacements: tuple[object, ...] = (
        None,
        7,
        "",
        "x" * 33,
        "x" * 65,
        "x" * 501,
        "x" * 1001,
        [],
        {},
        ["x"],
        "passed",
        True,
    )
    if draw.random() < 0.25:
        del container[key]
    else:
        container[key] = draw.choice([each for each in replacements if each is not None])
    return damaged_document


def find_items(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container with each of its keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield value, key
        yield from find_items(one)


SUITE = Suite("run-tasks", "Run task payloads", run)
