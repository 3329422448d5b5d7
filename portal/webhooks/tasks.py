"""Sending of due webhook deliveries, with several endpoints in parallel and one sender per endpoint.

If a sender dies, its claim expires and the deliveries are sent again with the same webhook-id. Delivery is at least
once, and twice only if a response is lost. Threads send requests; only the main thread uses the database.
"""

import logging
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from datetime import datetime, timedelta
from time import monotonic
from uuid import uuid4

from django.db.models import Q
from django.utils import timezone

from portal.core.crypto import DecryptionError
from portal.webhooks import secrets as sealing
from portal.webhooks import settlement as settling
from portal.webhooks.http_delivery import DeliveryBatch, DeliveryOutcome, OutgoingDelivery, send_batch
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from verification.sources import build_outbound_client

log = logging.getLogger(__name__)
LEASE_DURATION = timedelta(seconds=90)  # longer than a batch can take
MAX_CONCURRENT_ENDPOINTS = 8
BATCH_SIZE = 20  # deliveries of one endpoint in a batch
ERROR_BACKOFF = timedelta(minutes=5)
RUN_BUDGET_SECONDS = 20.0  # no new batches start after this time
RunningBatches = dict[Future[list[DeliveryOutcome]], DeliveryBatch]


def send_due_deliveries(now: datetime | None = None) -> int:
    """Send due deliveries until none is left or the time budget is used, and return the number of attempts."""
    started_at, start_time = now or timezone.now(), monotonic()
    attempt_count, running = 0, RunningBatches()
    client = build_outbound_client()
    with ThreadPoolExecutor(MAX_CONCURRENT_ENDPOINTS, thread_name_prefix="webhooks") as pool:
        while True:
            current_time = started_at + timedelta(seconds=monotonic() - start_time)
            if monotonic() - start_time < RUN_BUDGET_SECONDS:
                for batch in claim_due_endpoints(current_time, MAX_CONCURRENT_ENDPOINTS - len(running)):
                    running[pool.submit(send_batch, batch, client)] = batch
            if not running:
                return attempt_count
            attempt_count += _save_finished_batches(running, started_at, start_time)


def _save_finished_batches(running: RunningBatches, started_at: datetime, start_time: float) -> int:
    """Wait for finished batches, save their outcomes, and return the number of attempts."""
    finished_futures, _ = wait_for(running, timeout=1, return_when=FIRST_COMPLETED)
    attempt_count = 0
    for future in finished_futures:
        batch, now = running.pop(future), started_at + timedelta(seconds=monotonic() - start_time)
        try:
            outcomes = future.result()
            settling.save_outcomes(batch, outcomes, now)
            attempt_count += len(outcomes)
        except Exception:
            log.exception("batch of endpoint %s failed, will retry", batch.endpoint)
            settling.release_claim(batch.endpoint, batch.claim, rests_until=now + ERROR_BACKOFF)
    return attempt_count


def claim_due_endpoints(now: datetime, limit: int) -> Iterator[DeliveryBatch]:
    """Claim endpoints with due deliveries and yield their batches, healthy endpoints first."""
    if limit <= 0:
        return
    due_deliveries = WebhookDelivery.objects.filter(state=WebhookDelivery.State.WAITING, due_at__lte=now)
    available_endpoints = WebhookEndpoint.objects.filter(
        _build_available_condition(now), ended_at=None, pause="", pk__in=due_deliveries.values("endpoint")
    )
    for pk in list(available_endpoints.order_by("failures", "pk").values_list("pk", flat=True)[:limit]):
        batch = claim_endpoint(pk, now)
        if batch is not None:
            yield batch


def _build_available_condition(now: datetime) -> Q:
    rested_condition = Q(rests_until=None) | Q(rests_until__lte=now)
    return rested_condition & (Q(claimed_until=None) | Q(claimed_until__lt=now))


def claim_endpoint(pk: int, now: datetime) -> DeliveryBatch | None:
    """Claim an endpoint with a conditional update, so that exactly one sender succeeds."""
    token = uuid4()
    claimable_endpoints = WebhookEndpoint.objects.filter(
        _build_available_condition(now), pk=pk, ended_at=None, pause=""
    )
    if not claimable_endpoints.update(claim=token, claimed_until=now + LEASE_DURATION):
        return None
    endpoint = WebhookEndpoint.objects.get(pk=pk)
    due_deliveries = endpoint.messages.filter(state=WebhookDelivery.State.WAITING, due_at__lte=now).order_by(
        "due_at", "pk"
    )
    deliveries = tuple(
        OutgoingDelivery(delivery.pk, delivery.message_id, delivery.body)
        for delivery in due_deliveries.only("pk", "message_id", "body")[:BATCH_SIZE]
    )
    try:
        address, secrets = sealing.decrypt_address(endpoint), sealing.list_signing_secrets(endpoint, now)
    except DecryptionError:
        log.exception("could not decrypt URL of endpoint %s", pk)
        settling.release_claim(pk, str(token), rests_until=now + ERROR_BACKOFF)
        return None
    return DeliveryBatch(pk, str(token), endpoint.form, address, secrets, deliveries, now)
