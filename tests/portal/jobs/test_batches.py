"""A faulty row of a batch is logged, and the others are processed; an outage of the database ends the batch."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError

from integrations.submissions.models import Integration
from integrations.submissions.tasks import refresh_due_integrations
from portal.demo import checks
from portal.demo.repositories import compute_id
from portal.jobs.batches import process_each
from tests.conftest import NOW, begin
from verification.checks.models import CheckResult, CheckRun
from verification.checks.nightly import plan_nightly_runs

UNKNOWN_EDITION = "1999-01"


def process(item: int) -> int:
    if item == 2:
        raise ValueError("faulty")
    return item


def test_items_after_a_faulty_one_are_processed(caplog: pytest.LogCaptureFixture) -> None:
    assert process_each([1, 2, 3], process, "row") == 4
    assert [record.getMessage() for record in caplog.records] == ["cannot process row 2"]


def test_outage_of_the_database_ends_the_batch() -> None:
    processed: list[int] = []

    def fail(item: int) -> int:
        processed.append(item)
        raise OperationalError("The database is gone.")

    with pytest.raises(OperationalError):
        process_each([1, 2], fail, "row")
    assert processed == [1]


@pytest.fixture
def faulty_and_good(acme: Any, alice: Any) -> tuple[Integration, Integration]:
    """Two integrations, of which the first has an edition that does not exist."""
    rows = [
        begin(acme, alice, name=name, repository=f"acme/{name}", repository_id=compute_id(f"acme/{name}"))
        for name in ("terraform-provider-faulty", "terraform-provider-good")
    ]
    Integration.objects.filter(pk=rows[0].pk).update(edition_date=UNKNOWN_EDITION)
    CheckRun.objects.all().delete()
    return rows[0], rows[1]


@pytest.mark.django_db
def test_faulty_integration_stops_no_refresh_of_next_actions(
    faulty_and_good: tuple[Integration, Integration],
) -> None:
    Integration.objects.update(next_refresh_at=NOW - timedelta(minutes=1))
    assert refresh_due_integrations(NOW) == 1
    assert list(Integration.objects.filter(next_refresh_at__lte=NOW)) == [faulty_and_good[0]]


@pytest.mark.django_db
def test_faulty_integration_stops_no_nightly_checks(faulty_and_good: tuple[Integration, Integration]) -> None:
    good = faulty_and_good[1]
    assert plan_nightly_runs(NOW) == 1
    assert CheckRun.objects.get().integration == good
    checks.run_nightly_checks(NOW)
    assert set(CheckResult.objects.values_list("integration", flat=True)) == {good.pk}
