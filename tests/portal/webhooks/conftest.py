"""A receiver on loopback, and endpoints of Acme and of the program that point to it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from portal.webhooks import services
from portal.webhooks.event_kinds import EVENT_TYPES_BY_NAME
from portal.webhooks.models import WebhookEndpoint
from portal.webhooks.services import EndpointConfiguration
from tests.conftest import NOW
from tests.fakes.receiver import Receiver


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
    """Makes an endpoint of Acme that hears of everything; its secret is `endpoint.made`."""

    def make(partner: Any = acme, by: Any = alice, address: str = "", **fields: Any) -> WebhookEndpoint:
        configuration = {
            "name": "Build pipeline",
            "kinds": list(EVENT_TYPES_BY_NAME),
            "address": address or receiver.url,
        } | fields
        row, secret = services.create_endpoint(partner, EndpointConfiguration(**configuration), actor=by, now=NOW)
        row.made = secret  # type: ignore[attr-defined]
        return row

    return make
