"""Tests that a listing shows the SLA targets of its program only while its issue tracker is measurable."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from integrations.sla.models import MonitoredRepository
from integrations.sla.services.monitoring import MAX_DATA_AGE
from integrations.submissions.models import Integration
from portal.directory import services
from portal.directory.models import Listing

TARGET = "Partners resolve critical issues within 48 hours, and all others within 5 business days."
PAGES = (
    "/directory/{}/",
    "/directory/{}/badge/",
    "/directory/{}/badge.json",
    "/directory/{}/badge.svg",
    "/api/v1/directory/{}",
    "/api/v1/directory",
    "/directory/",
    "/feeds/directory.atom",
    "/feeds/directory.json",
)
PAGES_WITH_TARGET = {"/directory/{}/", "/api/v1/directory/{}", "/api/v1/directory", "/feeds/directory.json"} | {
    "/directory/{}/badge.json"
}
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


@pytest.fixture
def listed_integration(integration_at: Any) -> Integration:
    return integration_at("support")


def find_pages_with_target(client: Client, row: Integration) -> set[str]:
    """Return the public pages that state the target."""
    return {page for page in PAGES if TARGET in client.get(page.format(row.uuid)).text}


def update_monitoring(row: Integration, now: datetime, **fields: object) -> None:
    MonitoredRepository.objects.filter(integration=row).update(**fields)
    services.refresh_metrics(Listing.objects.all(), now)


def test_target_is_shown_if_it_is_measured(client: Client, listed_integration: Integration, now: datetime) -> None:
    update_monitoring(listed_integration, now + DAY, began_at=now, data_up_to=now + DAY - HOUR)
    assert find_pages_with_target(client, listed_integration) == PAGES_WITH_TARGET
    assert client.get(f"/api/v1/directory/{listed_integration.uuid}").json()["support"]["target"] == TARGET


@pytest.mark.parametrize(
    "offsets",
    [
        pytest.param({"data_up_to": timedelta()}, id="never read"),
        pytest.param({"data_up_to": 9 * DAY - MAX_DATA_AGE}, id="not read for more than a day"),
        pytest.param({"data_up_to": 9 * DAY, "ended_at": DAY}, id="no longer monitored"),
    ],
)
def test_target_is_not_shown_if_it_is_not_measured(
    client: Client, listed_integration: Integration, now: datetime, offsets: dict[str, timedelta]
) -> None:
    moments = {name: now + offset for name, offset in offsets.items()}
    update_monitoring(listed_integration, now + 9 * DAY + HOUR, began_at=now, **moments)
    assert find_pages_with_target(client, listed_integration) == set()
    assert client.get(f"/api/v1/directory/{listed_integration.uuid}").json()["support"]["target"] is None
    page = client.get(f"/directory/{listed_integration.uuid}/").text
    assert "The portal can't read the issue tracker now, so this listing doesn't state an SLA." in page.replace(
        "&#x27;", "'"
    )


def test_target_is_not_shown_without_a_repository(
    client: Client, listed_integration: Integration, now: datetime
) -> None:
    MonitoredRepository.objects.all().delete()
    services.refresh_metrics(Listing.objects.all(), now + DAY)
    assert find_pages_with_target(client, listed_integration) == set()


def test_former_listing_shows_no_target(client: Client, listed_integration: Integration, now: datetime) -> None:
    update_monitoring(listed_integration, now + DAY, began_at=now, data_up_to=now + DAY)
    Listing.objects.update(listing_status="delisted")
    assert find_pages_with_target(client, listed_integration) == set()
