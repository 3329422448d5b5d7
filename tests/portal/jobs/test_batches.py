"""A faulty row of a batch is logged, and the others are processed; an outage of the database ends the batch."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection

from integrations.submissions.models import Integration
from integrations.submissions.services.changes import refresh_due_integrations
from portal.demo import checks, loader
from portal.demo.repositories import compute_id
from portal.directory.models import Listing
from portal.directory.services import refresh_due_listings
from portal.jobs.batches import process_each
from tests.conftest import NOW, create_integration
from verification.checks.models import CheckResult, CheckRun
from verification.checks.nightly import plan_nightly_runs

UNKNOWN_EDITION = "1999-01"


def process(item: int) -> int:
    if item == 2:
        raise ValueError("faulty")
    return item


def test_items_after_a_faulty_one_are_processed(caplog: pytest.LogCaptureFixture) -> None:
    assert process_each([1, 2, 3], process, "process row") == 4
    assert [record.getMessage() for record in caplog.records] == ["cannot process row 2"]


def test_batch_fails_if_every_item_is_faulty() -> None:
    with pytest.raises(ValueError, match="faulty"):
        process_each([2, 2], process, "process row")
    assert process_each([2], process, "process row") == 0  # a single row says nothing about the job


def test_items_without_a_result_count_one_each_up_to_the_limit() -> None:
    processed: list[int] = []
    assert process_each([1, 2, 3], processed.append, "process row", limit=2) == 2
    assert processed == [1, 2]


@pytest.mark.django_db
def test_locked_row_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    def process_unlocked(item: int) -> int:
        if item == 1:
            raise OperationalError("canceling statement due to lock timeout")
        return item

    assert process_each([1, 2], process_unlocked, "process row") == 2
    messages = [(record.levelname, record.getMessage(), record.exc_info) for record in caplog.records]
    assert messages == [("WARNING", "cannot process row 1 (canceling statement due to lock timeout)", None)]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="a connection to SQLite can't be lost")
@pytest.mark.django_db(transaction=True)
def test_outage_of_the_database_ends_the_batch() -> None:
    processed: list[int] = []

    def end_connection(item: int) -> None:
        processed.append(item)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(OperationalError):
        process_each([1, 2], end_connection, "process row")
    connection.close()
    assert processed == [1]


@pytest.fixture
def faulty_and_valid_integration(acme: Any, alice: Any) -> tuple[Integration, Integration]:
    """Two integrations, of which the first has an edition that does not exist."""
    rows = [
        create_integration(acme, alice, name=name, repository=f"acme/{name}", repository_id=compute_id(f"acme/{name}"))
        for name in ("terraform-provider-faulty", "terraform-provider-good")
    ]
    Integration.objects.filter(pk=rows[0].pk).update(edition_date=UNKNOWN_EDITION)
    CheckRun.objects.all().delete()
    return rows[0], rows[1]


@pytest.mark.django_db
def test_faulty_integration_does_not_stop_the_refresh_of_next_actions(
    faulty_and_valid_integration: tuple[Integration, Integration],
) -> None:
    Integration.objects.update(next_refresh_at=NOW - timedelta(minutes=1))
    assert refresh_due_integrations(NOW) == 1
    assert list(Integration.objects.filter(next_refresh_at__lte=NOW)) == [faulty_and_valid_integration[0]]


@pytest.mark.django_db
def test_faulty_missing_listings_do_not_stop_the_refresh_of_others(integration_at: Any) -> None:
    listed, *faulty = (integration_at("support", name=name).pk for name in ("Rocket", "Shuttle", "Lander"))
    Integration.objects.filter(pk__in=faulty).update(edition_date=UNKNOWN_EDITION)
    Listing.all_objects.filter(pk__in=faulty).delete()
    later = NOW + timedelta(hours=2)
    with pytest.raises(LookupError):
        refresh_due_listings(later)
    assert Listing.objects.get(pk=listed).figures_at == later


@pytest.mark.django_db
def test_faulty_integration_does_not_stop_nightly_checks(
    faulty_and_valid_integration: tuple[Integration, Integration],
) -> None:
    good = faulty_and_valid_integration[1]
    assert plan_nightly_runs(NOW) == 1
    assert CheckRun.objects.get().integration == good
    checks.run_nightly_checks(NOW)
    assert set(CheckResult.objects.values_list("integration", flat=True)) == {good.pk}


@pytest.mark.django_db
def test_faulty_integration_stops_loading_the_demo_world(
    faulty_and_valid_integration: tuple[Integration, Integration],
) -> None:
    with pytest.raises(RuntimeError, match=r"^The checks of terraform-provider-faulty failed\.$"):
        loader.complete_world(NOW)
