"""A monitored repository and the delivery of its first issue."""

import pytest

from integrations.partners.models import Partner
from integrations.sla.models import MonitoredRepository
from tests.fakes.github.tracker import WebhookDelivery
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    REPORTER,
    build_tracker,
    create_listed_integration,
    monitor_repository,
)


@pytest.fixture
def monitored_repository(acme: Partner) -> MonitoredRepository:
    return monitor_repository(create_listed_integration(acme))


@pytest.fixture
def opened_delivery(monitored_repository: MonitoredRepository) -> WebhookDelivery:
    tracker = build_tracker(monitored_repository)
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    return tracker.webhooks[0]
