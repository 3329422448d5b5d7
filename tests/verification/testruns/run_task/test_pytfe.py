"""Tests with HashiCorp's own client library."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pytfe import TFEClient, TFEConfig
from pytfe.models import RunTaskRequest, TaskResultCallbackRequestOptions
from pytfe.models.run_task_integration import TaskResultOutcome, TaskResultTag

from tests.verification.testruns.endpoints import KEY, QUICK
from verification.sources.http.client import OutboundClient
from verification.testruns.kinds.run_task.callback_parsing import parse_callback
from verification.testruns.kinds.run_task.driver import run_test
from verification.testruns.kinds.run_task.local_server import open_callback_server
from verification.testruns.kinds.run_task.protocol import (
    SCENARIOS,
    STAGES,
    RequestStep,
    RunTaskTarget,
    RunTaskUrls,
    build_run_request,
    compute_signature,
    encode_document,
)
from verification.testruns.kinds.run_task.rules import RULES

URLS = RunTaskUrls("https://portal.example/callback", "https://portal.example/plan", "https://portal.example/files")
NOW = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)
TARGET = RunTaskTarget("https://run.acme.io/", KEY, STAGES, started_at=NOW)


@pytest.mark.parametrize("stage", STAGES)
def test_request_is_read_by_the_model_of_the_library(stage: str) -> None:
    step = RequestStep(f"passing.{stage}", "", stage=stage, scenario="passing", level="advisory")
    document = build_run_request(TARGET, step, URLS, "token")
    request = RunTaskRequest.model_validate_json(encode_document(document))
    assert request.capabilities.outcomes
    assert (request.stage, request.run_created_at, request.task_result_enforcement_level) == (stage, NOW, "advisory")
    assert request.plan_json_api_url == (None if stage == "pre_plan" else URLS.plan)
    request_document = document | {"run_created_at": "2026-04-14T09:00:00Z"}  # the library writes no milliseconds
    assert request.model_dump(mode="json", exclude_unset=True) == request_document


def build_result(status: str) -> TaskResultCallbackRequestOptions:
    tags = {"Severity": [TaskResultTag(label="High", level="error")], "Status": [TaskResultTag(label="Denied")]}
    outcome = TaskResultOutcome.model_validate(
        {"outcome-id": "R-1", "description": "Open to all", "body": "# Open", "url": "https://x.example", "tags": tags}
    )
    return TaskResultCallbackRequestOptions(status=status, message="Looked at.", outcomes=[outcome])


@pytest.mark.parametrize("status", ["running", "passed", "failed"])
def test_result_built_by_the_library_is_read(status: str) -> None:
    callback = parse_callback(json.dumps(build_result(status).to_payload()).encode())
    assert (callback.status, callback.message, callback.problems, callback.notes) == (status, "Looked at.", (), ())
    assert callback.outcomes == (
        {"id": "R-1", "description": "Open to all", "tags": ["Severity: High (error)", "Status: Denied (none)"]},
    )


class Handler(BaseHTTPRequestHandler):
    """Endpoint that reads requests and builds results with the library."""

    server: Any

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["X-TFC-Task-Signature"] != compute_signature(body, KEY):
            return self.respond(401)
        try:
            request = RunTaskRequest.model_validate_json(body)
        except ValueError:
            return self.respond(400)
        if request.access_token != "test-token":
            threading.Thread(target=self.work, args=(request,), daemon=True).start()
        return self.respond(200)

    def work(self, request: RunTaskRequest) -> None:
        status = "failed" if request.workspace_name == SCENARIOS["failing"].workspace else "passed"
        for each in ("running", status):
            self.server.client.run_task_integrations.callback(
                request.task_result_callback_url, request.access_token, build_result(each)
            )

    def respond(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def endpoint() -> Iterator[str]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.client = TFEClient(TFEConfig(address="https://app.terraform.io", token="none", ca_bundle=None))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    server.client.close()
    thread.join(5)


def test_endpoint_of_the_library_passes_every_rule(endpoint: str) -> None:
    target = RunTaskTarget(endpoint, KEY, ("post_plan", "pre_apply"), limits=QUICK)
    with open_callback_server(target) as place:
        verdicts = RULES.evaluate(run_test(place, OutboundClient(loopback=True)))
    rules = [rule.key for rule in RULES.file.rules if rule.variant != "unsigned"]
    assert {each["rule"]: str(each["outcome"]) for each in verdicts} == dict.fromkeys(rules, "pass")
    assert next(each for each in verdicts if each["rule"] == "progress")["summary"].startswith(
        "4 progress updates arrived"
    )
