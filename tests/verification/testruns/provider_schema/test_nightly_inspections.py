"""Tests of the job that inspects new releases at night."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from integrations.submissions.models import Integration
from tests.conftest import create_integration
from verification.checks.models import CheckResult
from verification.testruns import tasks
from verification.testruns.models import TestRun

pytestmark = pytest.mark.every_database
NIGHT = datetime(2026, 4, 14, 23, 0, tzinfo=UTC)


@pytest.fixture
def rocket(acme: Any, alice: Any) -> Integration:
    return create_integration(acme, alice, name="Rocket", repository="acme/terraform-provider-rocket", repository_id=77)


def verify_release(integration: Integration) -> None:
    """Store the result of the check that read every byte of a release."""
    CheckResult.objects.create(
        integration=integration,
        key="release.archive",
        version=1,
        outcome="pass",
        at=NIGHT,
        confirmed_at=NIGHT,
        inspected_revisions=[["version", "1.4.0"], ["checksums", "ab"]],
    )


def test_nightly_job_inspects_each_new_release_once(rocket: Integration) -> None:
    verify_release(rocket)
    assert tasks.request_new_inspections(NIGHT - timedelta(hours=8)) == 0
    assert tasks.request_new_inspections(NIGHT) == 1
    assert tasks.request_new_inspections(NIGHT) == 0
    row = TestRun.objects.get()
    assert (row.version, row.requested_by) == ("1.4.0", None)
    TestRun.objects.update(finished_at=NIGHT, outcome="not_run")
    assert tasks.request_new_inspections(NIGHT + timedelta(hours=1)) == 0
    assert tasks.request_new_inspections(NIGHT + timedelta(hours=25)) == 1
    TestRun.objects.update(finished_at=NIGHT, outcome="pass")
    assert tasks.request_new_inspections(NIGHT + timedelta(hours=49)) == 0


def test_limit_of_nightly_inspections_counts_requests_only(rocket: Integration, acme: Any, alice: Any) -> None:
    comet = create_integration(acme, alice, name="Comet", repository="acme/terraform-provider-comet", repository_id=78)
    for integration in (rocket, comet):
        verify_release(integration)
    assert [tasks.request_new_inspections(NIGHT, limit=1) for _ in range(3)] == [1, 1, 0]
    assert [row.integration for row in TestRun.objects.order_by("pk")] == [rocket, comet]
