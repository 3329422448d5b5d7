"""Test of a run task test whose secret was encrypted with a key that was replaced."""

from typing import Any

import pytest
from django.utils import timezone

from integrations.submissions.models import Integration
from tests.integrations.page_text import get_text
from tests.verification.testruns.run_task.results import FORM_DATA
from verification.testruns import services
from verification.testruns.models import TestRun


@pytest.mark.django_db
def test_unreadable_key_ends_the_test_run_with_the_reason(run_task: Integration, alice: Any, client: Any) -> None:
    inputs = FORM_DATA | {"url": "https://run.acme.io/"}
    row = services.start_test_run("run_task", run_task, inputs, actor=alice, now=timezone.now())
    TestRun.objects.filter(pk=row.pk).update(encrypted_secrets=b"of another encryption key")
    services.execute_test_run(row.pk)
    client.force_login(alice)
    text = get_text(client.get(f"/integrations/{run_task.uuid}/tests/run-task/"))
    assert "We can no longer decrypt the HMAC key. Enter it again in a new test run." in text
    assert (TestRun.objects.open().count(), row.requests.count()) == (0, 0)
