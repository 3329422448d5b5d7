"""Tests of a test run after the endpoint or the stages in the answer change."""

from typing import Any

import pytest
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services.requirements import submit_answer
from verification.checks.rules.latest_test_run import RUN_TASK_CHECK_KEY, RUN_TASK_OBSERVATION_KEY
from verification.checks.services import observations
from verification.checks.services.runner import run_integration_checks
from verification.testruns.kinds.run_task.kind import RunTaskTest
from verification.testruns.models import TestRun


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


@pytest.mark.django_db
def test_result_counts_only_for_the_stages_of_the_answer(run_task: Integration, alice: Any) -> None:
    now = timezone.now()
    stages = ["post_plan", "pre_apply"]
    observation = {"url": "https://run.acme.io/", "stages": stages, "outcome": "pass", "verdicts": []}
    observation |= {"at": now.isoformat()}
    observations.store_observation(run_task, RUN_TASK_CHECK_KEY, {RUN_TASK_OBSERVATION_KEY: observation}, now)
    results = []
    for answer in (["pre_apply"], ["api", "post_plan"], ["pre_plan", "pre_apply", "post_apply"]):
        submit_answer(run_task, "RT-3", {"stages": answer}, actor=alice, now=now)
        run_integration_checks(Integration.objects.get(pk=run_task.pk), ["RT-TEST"], now=now)
        results.append(run_task.fulfillments.get(requirement_id="RT-TEST"))
    passed = ("pass", "The run task passed its test run (Post-plan, Pre-apply).")
    untested = ("not_run", "The last test run left out Pre-plan, Post-apply. Start a new one.")
    assert [(result.status, result.summary) for result in results] == [passed, passed, untested]


@pytest.mark.django_db
def test_next_test_run_is_of_the_stages_of_the_answer(run_task: Integration, alice: Any) -> None:
    submit_answer(run_task, "RT-3", {"stages": ["api", "pre_apply"]}, actor=alice, now=timezone.now())
    last = TestRun(inputs={"url": "https://run.acme.io/", "stages": ["post_plan"]})
    values = RunTaskTest().get_initial_values(Integration.objects.get(pk=run_task.pk), last)
    assert values == {"url": "https://run.acme.io/", "stages": ["pre_apply"]}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("answer", "url"), [("", "https://run.acme.io/"), ("https://new.acme.io/", "https://new.acme.io/")]
)
def test_next_test_run_is_of_the_endpoint_of_the_answer(
    run_task: Integration, alice: Any, answer: str, url: str
) -> None:
    submit_answer(run_task, "RT-3", {"endpoint": answer}, actor=alice, now=timezone.now())
    last = TestRun(inputs={"url": "https://run.acme.io/", "stages": ["post_plan"]})
    values = RunTaskTest().get_initial_values(Integration.objects.get(pk=run_task.pk), last)
    assert values == {"url": url, "stages": ["post_plan"]}
