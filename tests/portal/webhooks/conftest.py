"""Receiver on loopback, and endpoints of Acme and the program that use it."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from portal.audit.event_types import WEBHOOKS
from portal.jobs.execution import run_due_jobs
from portal.webhooks import services
from portal.webhooks.models import WebhookDeliveryAttempt, WebhookEndpoint
from portal.webhooks.tasks import enqueue_due_endpoints
from tests.conftest import NOW
from tests.fakes.receiver import Receiver


def send_due_deliveries(now: datetime | None = None) -> int:
    """Send the messages that are due at a time. Return the number of attempts."""
    attempt_count = WebhookDeliveryAttempt.objects.count()
    with time_machine.travel(now or timezone.now(), tick=False):
        enqueue_due_endpoints(timezone.now())
        run_due_jobs("webhooks", timezone.now())
    return WebhookDeliveryAttempt.objects.count() - attempt_count


@pytest.fixture(scope="session")
def receiver_server() -> Iterator[Receiver]:
    server = Receiver()
    yield server
    server.stop()


@pytest.fixture
def receiver(receiver_server: Receiver, settings: Any) -> Iterator[Receiver]:
    receiver_server.reset()
    settings.ALLOW_LOOPBACK_HTTP = True
    yield receiver_server
    receiver_server.slow.set()


@pytest.fixture
def endpoint(receiver: Receiver, acme: Any, alice: Any) -> Callable[..., WebhookEndpoint]:
    """Return a function that creates an endpoint of Acme for all events; its secret is `endpoint.initial_secret`."""

    def make(partner: Any = acme, by: Any = alice, url: str = "", **fields: Any) -> WebhookEndpoint:
        values = {
            "name": "Build pipeline",
            "event_types": list(WEBHOOKS),
            "url": url or receiver.url,
        } | fields
        row, secret = services.create_endpoint(partner, values, actor=by, now=NOW)
        row.initial_secret = secret  # type: ignore[attr-defined]
        return row

    return make
