"""Bodies of deliveries in the format of their endpoint."""

import json
from types import MappingProxyType, ModuleType

from portal.audit.models import AuditEvent
from portal.webhooks import slack, teams
from portal.webhooks.models import WebhookEndpoint

CHATS = MappingProxyType[str, ModuleType]({WebhookEndpoint.Format.SLACK: slack, WebhookEndpoint.Format.TEAMS: teams})


def format_event(endpoint_format: str, event: AuditEvent, body: str) -> str:
    """Return the body of an event: signed JSON as it is, or a chat message."""
    return str(CHATS[endpoint_format].build_body(event, json.loads(body))) if endpoint_format in CHATS else body


def format_test(endpoint_format: str, body: str) -> str:
    """Return the body of a test event."""
    return str(CHATS[endpoint_format].build_test_body(json.loads(body))) if endpoint_format in CHATS else body
