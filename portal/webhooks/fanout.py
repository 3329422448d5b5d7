"""Creation of webhook deliveries in the transaction of an event, with bodies in the format of their endpoint."""

import json
from datetime import datetime
from types import ModuleType

from django.db.models import Q

from portal.audit.event_types import WEBHOOKS
from portal.audit.models import AuditEvent
from portal.webhooks import payloads, slack, teams
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from portal.webhooks.tasks import enqueue_endpoint

CHATS: dict[str, ModuleType] = {WebhookEndpoint.Format.SLACK: slack, WebhookEndpoint.Format.TEAMS: teams}


def format_event(endpoint_format: str, event: AuditEvent, body: str) -> str:
    """Return the body of an event in the format of its endpoint: signed JSON as it is, or a chat message."""
    return str(CHATS[endpoint_format].build_body(event, json.loads(body))) if endpoint_format in CHATS else body


def format_test(endpoint_format: str, body: str) -> str:
    """Return the body of a test event."""
    return str(CHATS[endpoint_format].build_test_body(json.loads(body))) if endpoint_format in CHATS else body


def create_deliveries(event: AuditEvent) -> None:
    """Create the deliveries of an event. Deliveries of a decision wait until the decision can't be undone."""
    webhook = WEBHOOKS.get(event.event_type)
    integration = event.integration
    if webhook is None or integration is None or (event.internal and not webhook.is_program_only):
        return
    # Internal events never reach an endpoint of a partner, whatever it has subscribed to.
    owner_condition = Q(partner=None) if webhook.is_program_only else Q(partner=None) | Q(partner=event.partner_id)
    endpoints = WebhookEndpoint.objects.filter(owner_condition, ended_at=None)
    endpoints = endpoints.filter(program_key__in=("", integration.program_key)).order_by("pk")
    subscribed_endpoints = [endpoint for endpoint in endpoints if event.event_type in endpoint.event_types]
    if not subscribed_endpoints:
        return
    text = payloads.build_body(event)
    bodies = {key: format_event(key, event, text) for key in {endpoint.format for endpoint in subscribed_endpoints}}
    for endpoint in subscribed_endpoints:
        create_delivery(endpoint, event, bodies[endpoint.format])


def create_delivery(endpoint: WebhookEndpoint, event: AuditEvent, body: str) -> WebhookDelivery:
    """Return the delivery of an event to an endpoint, and create it unless it exists."""
    undo_until = event.data.get("undo_until")
    due_at = datetime.fromisoformat(undo_until) if undo_until else event.at
    delivery, is_new = WebhookDelivery.objects.get_or_create(
        endpoint=endpoint,
        # An event that is handled twice must not be delivered twice.
        key=f"{event.stream}:{event.seq}",
        defaults={
            "event": event,
            "event_type": event.event_type,
            "about": event.integration.name if event.integration else "",
            "body": body,
            "created_at": event.at,
            "due_at": due_at,
        },
    )
    if is_new and endpoint.pause == "":
        enqueue_endpoint(endpoint.pk, due_at)
    return delivery


def delete_deliveries(decision: AuditEvent) -> None:
    """Delete the pending deliveries of a decision that was undone, so that no one can replay them."""
    WebhookDelivery.objects.filter(event=decision, state=WebhookDelivery.State.PENDING, attempt_count=0).delete()
