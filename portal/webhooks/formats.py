"""Bodies of deliveries in the format of their endpoint."""

import json
from types import MappingProxyType, ModuleType

from portal.audit.models import AuditEvent
from portal.webhooks import slack, teams
from portal.webhooks.models import WebhookEndpoint

CHATS = MappingProxyType[str, ModuleType]({WebhookEndpoint.Form.SLACK: slack, WebhookEndpoint.Form.TEAMS: teams})


def format_event(form: str, event: AuditEvent, body: str) -> str:
    """Return the body of an event: signed JSON as it is, or a chat message."""
    return str(CHATS[form].build_body(event, json.loads(body))) if form in CHATS else body


def format_test(form: str, body: str) -> str:
    """Return the body of a test event."""
    return str(CHATS[form].build_test_body(json.loads(body))) if form in CHATS else body
