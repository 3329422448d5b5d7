"""Tests of callbacks and exchanges that arrive while their test run ends, on PostgreSQL."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from tests.verification.testruns.run_task.results import build_callback, create_pending_request
from tests.verification.testruns.run_task.test_missing_response import build_exchange
from verification.testruns.kinds.run_task import database_store
from verification.testruns.kinds.run_task.kind import RUN_TASK
from verification.testruns.models import TestRun

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def start_waiting_thread(operation: Callable[[], object]) -> threading.Thread:
    """Start an operation that waits for a lock of this transaction."""

    def run_operation() -> None:
        try:
            operation()
        finally:
            connection.close()

    thread = threading.Thread(target=run_operation)
    thread.start()
    thread.join(0.5)
    return thread


def test_callback_that_is_stored_while_the_run_ends_is_evaluated(run_task: Integration, alice: Any) -> None:
    request, _ = create_pending_request(run_task, alice)
    request.step = "verify"
    request.save()

    with transaction.atomic():
        database_store.record_callback(request.uuid, build_callback("wrong"), timezone.now())
        thread = start_waiting_thread(lambda: RUN_TASK.abandon(TestRun.objects.get(), ""))
    thread.join(30)
    results = {each["rule"]: each["outcome"] for each in TestRun.objects.get().results}
    assert results["verification.quiet"] == "warn"


def test_exchange_that_ends_during_a_cancellation_is_evaluated(run_task: Integration, alice: Any) -> None:
    create_pending_request(run_task, alice)

    def store_exchange() -> None:
        store = database_store.DatabaseStore(TestRun.objects.get())
        store.save_exchange(build_exchange("passing.post_plan", 500))
        RUN_TASK.store_progress(store.run, store.load_records())

    with transaction.atomic():
        RUN_TASK.abandon(TestRun.objects.get(), "")
        thread = start_waiting_thread(store_exchange)
    thread.join(30)
    results = TestRun.objects.get().results
    assert [each["rule"] for each in results if each["outcome"] != "not_run"] == ["response_time", "body"]
