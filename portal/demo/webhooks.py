"""Webhooks of the demo world: a partner's with failed deliveries, and the program's to Slack."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from integrations.partners.models import Partner
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.event_types import WEBHOOKS
from portal.audit.models import AuditEvent
from portal.core.content_files import Content, load_content
from portal.core.value_types import JsonObject
from portal.demo.content import DATA
from portal.webhooks import delivery_results, fanout, payloads, services
from portal.webhooks.http_delivery import DeliveryOutcome, describe_status
from portal.webhooks.models import WebhookDelivery, WebhookDeliveryAttempt, WebhookEndpoint

MAX_LOGGED_EVENTS = 30  # events of the partner in the log
FAST_SECONDS = 0.18
SLOW_SECONDS = 10.0
RESPONSE_HEADERS = {"content-type": "application/json", "server": "pipeline"}
# statuses of the attempts of the newest deliveries, newest first; None means no response
NEWEST_STATUSES: tuple[tuple[int | None, ...], ...] = ((200,), (503, 200), (200,), (502,), (200,), (None, 503, 200))


class WebhookFile(Content):
    """Content of webhooks.yaml: the settings of the partner's webhook and of the program's."""

    pipeline: JsonObject
    channel: JsonObject


WEBHOOK_SETTINGS = load_content(DATA / "webhooks.yaml", WebhookFile)


def create_webhooks(partner: Partner, owner: User, staff: User, now: datetime) -> None:
    """Create both webhooks and their logs."""
    created_at = now - timedelta(days=29)
    event_types = [key for key, webhook in WEBHOOKS.items() if not webhook.is_program_only]
    pipeline_settings = WEBHOOK_SETTINGS.pipeline | {"event_types": event_types}
    pipeline, _ = services.create_endpoint(partner, pipeline_settings, actor=owner, now=created_at)
    channel, _ = services.create_endpoint(None, WEBHOOK_SETTINGS.channel, actor=staff, now=created_at)
    create_log(pipeline, AuditEvent.objects.filter(partner=partner), owner, now)
    create_log(channel, AuditEvent.objects.exclude(partner=partner), None, now)


def create_log(endpoint: WebhookEndpoint, events: QuerySet[AuditEvent], owner: AnyUser | None, now: datetime) -> None:
    """Create deliveries for the newest events."""
    logged_events = events.filter(
        event_type__in=endpoint.event_types, at__gte=now - timedelta(days=29), at__lte=now - timedelta(minutes=20)
    )
    logged_events = logged_events.exclude(integration=None).order_by("-at", "-pk")
    for place, event in reversed(list(enumerate(logged_events[:MAX_LOGGED_EVENTS]))):  # oldest first
        body = fanout.format_event(endpoint.format, event, payloads.build_body(event))
        message = fanout.create_delivery(endpoint, event, body)
        statuses = NEWEST_STATUSES[place] if owner and place < len(NEWEST_STATUSES) else (200,)
        record_attempts(message, statuses)
        if len(statuses) == 2:  # failed, then replayed manually
            WebhookDelivery.objects.filter(pk=message.pk).update(replayed_at=now, replayed_by=owner)
        if statuses == (502,):
            values = {"state": WebhookDelivery.State.FAILED, "failure_count": 11, "attempt_count": 11}
            WebhookDelivery.objects.filter(pk=message.pk).update(**values)
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(failing_since=None, failures=0)


def record_attempts(message: WebhookDelivery, statuses: tuple[int | None, ...]) -> None:
    """Record attempts as the delivery job does."""
    at = max(message.due_at, message.created_at)
    for number, status in enumerate(statuses):
        body = '{"received":true}' if status == 200 else "upstream is restarting"
        outcome = build_outcome(message, at + timedelta(seconds=30 * number), status, body)
        delivery_results.save_outcomes(message.endpoint_id, [outcome])


def build_outcome(message: WebhookDelivery, at: datetime, status: int | None, body: str) -> DeliveryOutcome:
    attempt = WebhookDeliveryAttempt(
        delivery=message,
        at=at,
        seconds=SLOW_SECONDS if status is None else FAST_SECONDS,
        status=status,
        response_summary="ci.acme.example did not respond in time." if status is None else describe_status(status),
        sent_headers={"Content-Type": "application/json", "webhook-id": message.message_id},
        headers={} if status is None else RESPONSE_HEADERS,
        body="" if status is None else body,
    )
    return DeliveryOutcome(attempt)
