"""Tests of concurrent workers on a real PostgreSQL."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from integrations.submissions.models import Finding
from integrations.submissions.services import requirements
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, begin
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


def at_once(work: Callable[[], Any], times: int = 6) -> list[Any]:
    """Run a function in several threads at the same time. Return the results."""
    gate, results = threading.Barrier(times), []

    def one() -> None:
        try:
            gate.wait()
            results.append(work())
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_asking_at_once_is_one_run(acme: Any, alice: Any) -> None:
    row = begin(acme, alice, "terraform-provider")
    for _ in range(10):
        CheckRun.objects.update(finished_at=NOW)
        at_once(lambda: runs.request_check_run(row, now=NOW))
        assert CheckRun.objects.open().count() == 1


def test_two_planners_at_once_plan_one_night(acme: Any, alice: Any) -> None:
    begin(acme, alice, "terraform-provider")
    CheckRun.objects.update(finished_at=NOW)
    at_once(lambda: nightly.plan_nightly_runs(NOW))
    assert CheckRun.objects.open().count() == 1


def test_budget_is_kept_by_all_workers_together(db: None) -> None:
    gate = GitHubRateLimiter("token", 100, background=True, clock=lambda: NOW)

    def ask() -> int:
        request_count = 0
        for _ in range(20):
            try:
                gate.before()
            except SourceUnavailableError:
                continue
            request_count += 1
        return request_count

    assert sum(at_once(ask)) == GitHubRateLimit.objects.get().spent == 50


def test_failure_found_by_several_at_once_is_one_finding_and_one_email_each(at: Any) -> None:
    row = at("support", program="terraform-provider")

    def fails() -> None:
        requirements.record_check_outcome(
            row, "TP-LIC", outcome="fail", summary="Gone.", detail=[], retry_at=None, now=NOW, valid_until=None
        )

    at_once(fails)
    assert Finding.objects.count() == 1
    emails = list(EmailMessage.objects.filter(name="check_failed").values_list("to", flat=True))
    assert len(emails) == len(set(emails)) == 2


def test_observation_written_by_several_at_once_is_one_row(acme: Any, alice: Any) -> None:
    row = begin(acme, alice, "terraform-provider")
    at_once(lambda: observations.store_observation(row, "repository.public", {"owner": 47}, NOW))
    assert Observation.objects.filter(key="owner").count() == 1
