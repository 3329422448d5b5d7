"""Helpers of tests that create and deliver messages of webhooks."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from integrations.submissions.services import findings
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from tests.conftest import NOW

CreateEndpoint = Callable[..., WebhookEndpoint]
State = WebhookDelivery.State


def create_event_message(row: Any, by: Any, now: datetime = NOW) -> WebhookDelivery:
    """Post a message about an integration. Return its webhook message."""
    findings.post_message(row, "Hello.", actor=by, now=now)
    return WebhookDelivery.objects.latest("pk")


def list_states(endpoint: WebhookEndpoint) -> list[str]:
    return list(endpoint.deliveries.order_by("pk").values_list("state", flat=True))
