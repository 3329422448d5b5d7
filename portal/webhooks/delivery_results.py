"""Results of a batch: delivered, retried later, failed, or endpoint paused."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from portal.core.site_urls import build_absolute_url
from portal.core.value_types import TemplateContext
from portal.notifications import email
from portal.webhooks.http_delivery import DeliveryOutcome
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from portal.webhooks.permissions import list_owners
from portal.webhooks.retry_policy import UNREACHABLE_AFTER, get_endpoint_backoff, get_retry_delay


@transaction.atomic
def save_outcomes(endpoint_id: int, outcomes: Sequence[DeliveryOutcome]) -> datetime | None:
    """Save the outcomes of a batch. Return the earliest time of the next attempt, None if the last one succeeded."""
    # no_key: other transactions can create deliveries of this endpoint at the same time.
    endpoint = WebhookEndpoint.objects.select_for_update(of=("self",), no_key=True).get(pk=endpoint_id)
    for outcome in outcomes:
        _save_attempt(endpoint, outcome)
    endpoint.save()
    if not outcomes or outcomes[-1].is_delivered:
        return None
    backoff = get_endpoint_backoff(endpoint.failures, outcomes[-1].retry_after_seconds)
    return outcomes[-1].attempt.at + backoff


def _save_attempt(endpoint: WebhookEndpoint, outcome: DeliveryOutcome) -> None:
    attempt = outcome.attempt
    delivery = WebhookDelivery.objects.select_for_update(of=("self",)).filter(pk=attempt.delivery_id).first()
    if delivery is None:  # the cleanup deleted it during the request
        return
    delivery.attempt_count += 1
    delivery.last_response_summary = attempt.response_summary
    attempt.number = delivery.attempt_count
    attempt.seconds = round(attempt.seconds, 3)
    attempt.save()
    if outcome.is_delivered:
        delivery.state = WebhookDelivery.State.DELIVERED
        delivery.delivered_at = attempt.at
        endpoint.delivered_at = attempt.at
        endpoint.failing_since = None
        endpoint.failures = 0
    else:
        _mark_failed(endpoint, delivery, outcome)
    delivery.save()


def _mark_failed(endpoint: WebhookEndpoint, delivery: WebhookDelivery, outcome: DeliveryOutcome) -> None:
    delivery.failure_count += 1
    retry_delay = get_retry_delay(delivery.failure_count, outcome.retry_after_seconds)
    if retry_delay is None:
        delivery.state = WebhookDelivery.State.FAILED
    else:
        # From the attempt, not from now: a batch is saved when its last request has ended.
        delivery.due_at = outcome.attempt.at + retry_delay
    endpoint.failures += 1
    endpoint.failing_since = endpoint.failing_since or outcome.attempt.at
    # The owners can have paused or removed the endpoint during the request.
    is_active = endpoint.pause == "" and endpoint.ended_at is None
    if is_active and outcome.is_endpoint_gone:
        pause_endpoint(endpoint, WebhookEndpoint.Pause.ENDPOINT_GONE, outcome.attempt.at)
    # A single delivery is usually given up earlier, so this takes several events that all failed.
    elif is_active and outcome.attempt.at - endpoint.failing_since >= UNREACHABLE_AFTER:
        pause_endpoint(endpoint, WebhookEndpoint.Pause.UNREACHABLE, outcome.attempt.at)


def pause_endpoint(endpoint: WebhookEndpoint, reason: WebhookEndpoint.Pause, now: datetime) -> None:
    """Pause an endpoint and notify its owners. The caller saves the endpoint."""
    endpoint.pause = reason
    endpoint.paused_at = now
    template_context: TemplateContext = {
        "endpoint": endpoint,
        "why_paused": reason.label,
        "page": build_absolute_url("webhooks:detail", endpoint.uuid),
    }
    for recipient in list_owners(endpoint):
        key = f"webhook_paused:{endpoint.pk}:{now.isoformat()}:{recipient.pk}"
        email.queue("webhook_paused", key, recipient, template_context, now=now)
