"""Test that the result of a test run counts only for the endpoint that was tested."""

from typing import Any

import pytest
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services.requirements import submit_answer
from verification.checks.rules.latest_test_run import RUN_TASK_CHECK_KEY, RUN_TASK_OBSERVATION_KEY
from verification.checks.runner import run_integration_checks
from verification.checks.services import observations


@pytest.mark.django_db
def test_result_counts_only_for_the_endpoint_of_the_answer(run_task: Integration, alice: Any) -> None:
    now = timezone.now()
    url = "https://run.acme.io/"
    observation = {"url": url, "stages": ["post_plan"], "outcome": "pass", "verdicts": [], "at": now.isoformat()}
    observations.store_observation(run_task, RUN_TASK_CHECK_KEY, {RUN_TASK_OBSERVATION_KEY: observation}, now)
    summaries = []
    for endpoint in ("", url, "https://new.acme.io/"):
        submit_answer(run_task, "RT-3", {"endpoint": endpoint}, actor=alice, now=now)
        run_integration_checks(Integration.objects.get(pk=run_task.pk), ["RT-TEST"], now=now)
        summaries.append(run_task.fulfillments.get(requirement_id="RT-TEST").summary)
    passed = "The run task passed its test run (Post-plan)."
    assert summaries == [passed, passed, "The last test run was of another endpoint. Start a new one."]
