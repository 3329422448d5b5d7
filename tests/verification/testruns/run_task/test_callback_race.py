"""Test of a callback that arrives while its test run ends, on PostgreSQL."""

import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from tests.verification.testruns.run_task.results import build_callback, create_pending_request
from verification.testruns.kinds.run_task import database_store
from verification.testruns.models import TestRun
from verification.testruns.registry import RUN_TASK

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_callback_that_is_stored_while_the_run_ends_is_evaluated(run_task: Integration, alice: Any) -> None:
    request, _ = create_pending_request(run_task, alice)
    request.step = "verify"
    request.save()

    def abandon_run() -> None:
        try:
            RUN_TASK.abandon(TestRun.objects.get(), "")
        finally:
            connection.close()

    thread = threading.Thread(target=abandon_run)
    with transaction.atomic():
        database_store.record_callback(request.uuid, build_callback("wrong"), timezone.now())
        thread.start()
        thread.join(0.5)  # it waits for the lock, so it evaluates the uncommitted callback, too
    thread.join(30)
    results = {each["rule"]: each["outcome"] for each in TestRun.objects.get().results}
    assert results["verification.quiet"] == "warn"
