"""HTTP requests of webhook deliveries, signed according to Standard Webhooks.

This module runs in threads, so it never uses the database.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic

from standardwebhooks import Webhook

from portal.core.crypto import Secret
from portal.webhooks.models import WebhookDelivery, WebhookDeliveryAttempt, WebhookEndpoint
from verification.sources.errors import RequestRefusedError, SourceError
from verification.sources.http.client import OutboundClient, SourceResponse
from verification.sources.http.posting import post

TIMEOUT_SECONDS = 10.0  # for a whole request, including DNS
BATCH_BUDGET_SECONDS = 10.0  # no new delivery of a batch starts after this time
MAX_STORED_BODY_BYTES = 2048
MAX_STORED_HEADERS = 20
MAX_HEADER_VALUE_LENGTH = 200
# They can be credentials of the receiver, and every owner can read the log.
HIDDEN_HEADERS = frozenset({"set-cookie", "authorization", "proxy-authenticate", "www-authenticate"})
GONE_STATUS = 410
MAX_RETRY_AFTER_SECONDS = 86_400
# Slack and Teams also report a removed webhook with other statuses than 410.
SLACK_GONE_ERRORS = ("no_service", "channel_is_archived", "invalid_token", "team_disabled")
TEAMS_GONE_ERROR = "WorkflowNotFound"


@dataclass(frozen=True, slots=True)
class DeliveryBatch:
    """Deliveries to send to one endpoint in sequence. `secrets` starts with the newest."""

    format: str
    url: Secret
    secrets: tuple[Secret, ...]
    deliveries: tuple[WebhookDelivery, ...]
    started_at: datetime


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """Unsaved attempt. `retry_after_seconds` is the wait that the receiver requested."""

    attempt: WebhookDeliveryAttempt
    retry_after_seconds: int = 0
    is_endpoint_gone: bool = False

    @property
    def is_delivered(self) -> bool:
        return self.attempt.status is not None and 200 <= self.attempt.status < 300


def send_batch(batch: DeliveryBatch, outbound: OutboundClient) -> list[DeliveryOutcome]:
    """Send the deliveries of a batch until one fails or the time budget is used. The rest stays due."""
    start_time = monotonic()
    outcomes = list[DeliveryOutcome]()
    for delivery in batch.deliveries:
        elapsed_seconds = monotonic() - start_time
        if outcomes and elapsed_seconds > BATCH_BUDGET_SECONDS:
            break
        outcomes.append(send_delivery(batch, delivery, outbound, batch.started_at + timedelta(seconds=elapsed_seconds)))
        # The next delivery would probably fail, too, and would count as another failure of the endpoint.
        if not outcomes[-1].is_delivered:
            break
    return outcomes


def send_delivery(
    batch: DeliveryBatch, delivery: WebhookDelivery, outbound: OutboundClient, at: datetime
) -> DeliveryOutcome:
    """Send a delivery and return the outcome, which can be a failure."""
    headers = build_headers(batch, delivery, at)
    start_time = monotonic()
    try:
        response = post(
            outbound,
            batch.url.value,
            delivery.body.encode(),
            headers,
            timeout_seconds=TIMEOUT_SECONDS,
            max_bytes=MAX_STORED_BODY_BYTES,
        )
    except SourceError as failure:
        prefix = "Request blocked: " if isinstance(failure, RequestRefusedError) else ""
        summary = f"{prefix}{failure}"[:300]
        seconds = monotonic() - start_time
        attempt = WebhookDeliveryAttempt(
            delivery=delivery, at=at, seconds=seconds, response_summary=summary, sent_headers=headers
        )
        return DeliveryOutcome(attempt)
    return interpret_response(batch.format, delivery, at, response, headers)


def build_headers(batch: DeliveryBatch, delivery: WebhookDelivery, at: datetime) -> dict[str, str]:
    """Return the headers of an attempt, signed with all active secrets."""
    headers = {"Content-Type": "application/json"}
    if batch.format == WebhookEndpoint.Format.WEBHOOK:
        signatures = [Webhook(secret.value).sign(delivery.message_id, at, delivery.body) for secret in batch.secrets]
        headers |= {
            "webhook-id": delivery.message_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": " ".join(signatures),
        }
    return headers


def interpret_response(
    endpoint_format: str,
    delivery: WebhookDelivery,
    at: datetime,
    response: SourceResponse,
    sent_headers: dict[str, str],
) -> DeliveryOutcome:
    """Return the outcome of a response, with the body and headers cut for storage."""
    body = response.body[:MAX_STORED_BODY_BYTES].decode("utf-8", "replace").replace("\x00", "\ufffd")
    headers = {
        name[:80]: "(not stored)"
        if name in HIDDEN_HEADERS
        else value[:MAX_HEADER_VALUE_LENGTH].replace("\x00", "\ufffd")
        for name, value in list(response.headers.items())[:MAX_STORED_HEADERS]
    }
    is_gone = response.status == GONE_STATUS
    if endpoint_format == WebhookEndpoint.Format.SLACK and response.status >= 400:
        is_gone = is_gone or body.strip() in SLACK_GONE_ERRORS
    if endpoint_format == WebhookEndpoint.Format.TEAMS and response.status >= 400:
        is_gone = is_gone or TEAMS_GONE_ERROR in body
    attempt = WebhookDeliveryAttempt(
        delivery=delivery,
        at=at,
        seconds=response.seconds,
        status=response.status,
        response_summary=describe_status(response.status),
        sent_headers=sent_headers,
        headers=headers,
        body=body,
    )
    return DeliveryOutcome(attempt, parse_retry_after(response), is_gone)


def describe_status(status: int) -> str:
    """Return what a status code means for a delivery."""
    if 200 <= status < 300:
        return f"Delivered with status {status}."
    if 300 <= status < 400:
        return f"Redirected with status {status}. The portal doesn't follow redirects. Enter the target URL."
    if status == GONE_STATUS:
        return "The endpoint returned 410 Gone."
    return f"The endpoint returned status {status}."


def parse_retry_after(response: SourceResponse) -> int:
    """Return the wait in seconds that the receiver requested, at most one day."""
    header = response.headers.get("retry-after", "")
    return min(int(header), MAX_RETRY_AFTER_SECONDS) if header.isascii() and header.isdigit() and len(header) < 9 else 0
