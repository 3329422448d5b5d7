"""Tests of concurrent workers on PostgreSQL."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from integrations.submissions.models import Finding
from integrations.submissions.services import requirements
from portal.notifications.models import EmailMessage
from tests.concurrency import run_concurrently
from tests.conftest import NOW, create_integration
from verification.checks import nightly
from verification.checks.models import CheckRun, Observation
from verification.checks.services import observations, runs
from verification.sources.errors import SourceUnavailableError
from verification.sources.models import GitHubRateLimit
from verification.sources.rate_limits import GitHubRateLimiter

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def run_six_times(work: Callable[[], Any]) -> list[Any]:
    """Run a function in six threads at the same time. Return the results."""
    results = run_concurrently(*[work] * 6)
    assert not [result for result in results if isinstance(result, Exception)]
    return results


def test_concurrent_requests_create_one_run(acme: Any, alice: Any) -> None:
    row = create_integration(acme, alice, "terraform-provider")
    for _ in range(10):
        CheckRun.objects.update(finished_at=NOW)
        run_six_times(lambda: runs.request_check_run(row, now=NOW))
        assert CheckRun.objects.open().count() == 1


def test_concurrent_plans_create_one_run(acme: Any, alice: Any) -> None:
    create_integration(acme, alice, "terraform-provider")
    CheckRun.objects.update(finished_at=NOW)
    run_six_times(lambda: nightly.plan_nightly_runs(NOW))
    assert CheckRun.objects.open().count() == 1


def test_concurrent_workers_share_the_rate_limit(db: None) -> None:
    limiter = GitHubRateLimiter("token", 100, background=True)

    def send_requests() -> int:
        request_count = 0
        for _ in range(20):
            try:
                limiter.count_request()
            except SourceUnavailableError:
                continue
            request_count += 1
        return request_count

    assert sum(run_six_times(send_requests)) == GitHubRateLimit.objects.get().request_count == 50


def test_concurrent_failures_open_one_finding_and_send_one_email_each(integration_at: Any) -> None:
    row = integration_at("support", program="terraform-provider")

    def record_failure() -> None:
        requirements.record_check_outcome(
            row, "TP-LIC", outcome="fail", summary="Gone.", detail=[], retry_at=None, now=NOW, valid_until=None
        )

    run_six_times(record_failure)
    assert Finding.objects.count() == 1
    emails = list(EmailMessage.objects.filter(name="check_failed").values_list("to", flat=True))
    assert len(emails) == len(set(emails)) == 2


def test_concurrent_observations_are_one_row(acme: Any, alice: Any) -> None:
    row = create_integration(acme, alice, "terraform-provider")
    run_six_times(lambda: observations.store_observation(row, "repository.public", {"owner": 47}, NOW))
    assert Observation.objects.filter(key="owner").count() == 1
