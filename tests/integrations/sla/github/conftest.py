"""A monitored repository and the delivery of its first issue."""

import pytest

from integrations.partners.models import Partner
from integrations.sla.models import MonitoredRepository
from tests.fakes.github.tracker import WebhookDelivery
from tests.integrations.sla.watched import OPENED_AT, REPORTER, create_listed_integration, tracker_of, watch_over


@pytest.fixture
def watch(acme: Partner) -> MonitoredRepository:
    return watch_over(create_listed_integration(acme))


@pytest.fixture
def opened_delivery(watch: MonitoredRepository) -> WebhookDelivery:
    tracker = tracker_of(watch)
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    return tracker.hooked[0]
