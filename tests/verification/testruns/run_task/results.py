"""Pending requests and results for tests of run task tests."""

import json
import secrets
from typing import Any

from django.utils import timezone

from integrations.submissions.models import Integration
from portal.core.crypto import hash_token
from tests.verification.testruns.endpoints import KEY
from verification.testruns import services
from verification.testruns.kinds.run_task import callbacks
from verification.testruns.models import RunTaskRequest

FORM_DATA: dict[str, Any] = {
    "key": KEY,
    "stages": ["post_plan"],
    "passing_workspace": "",
    "failing_workspace": "",
    "passing_plan": "",
    "failing_plan": "",
}
DOCUMENT = json.dumps({"data": {"type": "task-results", "attributes": {"status": "passed", "message": "Late."}}})


def create_pending_request(run_task: Integration, alice: Any) -> tuple[RunTaskRequest, str]:
    """Start a test run. Return a request that waits for its result, and its token."""
    form_data = FORM_DATA | {"url": "https://run.acme.io/"}
    row = services.start_test_run("run_task", run_task, form_data, actor=alice, now=timezone.now())
    token = secrets.token_urlsafe(32)
    request = row.requests.create(step="passing.post_plan", token_hash=hash_token(token), sent_at=timezone.now())
    return request, token


def build_callback(token: str, method: str = "PATCH", body: bytes = DOCUMENT.encode()) -> callbacks.CallbackRequest:
    authorization = f"Bearer {token}" if token else ""
    return callbacks.CallbackRequest(method, authorization, "application/vnd.api+json", body, len(body))
