"""Intake of GitHub webhooks: verify the raw payload, store it with one statement, and respond.

The content is processed later. Deliveries without a valid signature are only counted.
"""

import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection
from django.db.models import F

from integrations.sla.models import GitHubDelivery, MonitoredRepository
from integrations.sla.services import monitoring
from portal.core.value_types import JsonObject

MAX_PAYLOAD_BYTES = 25 * 1024 * 1024
CACHE_SECONDS = 5.0  # for known and unknown repositories
MAX_CACHED_REPOSITORIES = 20_000
BODY_RETENTION_PERIOD = timedelta(days=7)  # for debugging
PER_SECOND, BURST_DELIVERIES = 100.0, 1_000.0  # per repository and process
REFUSAL_WRITE_INTERVAL = timedelta(seconds=1)
Result = TypeVar("Result")
Cached = TypeVar("Cached")
DELIVERY_TABLE = GitHubDelivery._meta.db_table
INSERT_STATEMENT = (
    f"INSERT INTO {DELIVERY_TABLE} (watch_id, delivery_id, event, digest, body, received_at, attempts, outcome)"  # noqa: S608
    " VALUES (%s, %s, %s, %s, %s, %s, 0, '') ON CONFLICT (watch_id, delivery_id) DO NOTHING"
)


@dataclass(frozen=True, slots=True)
class IntakeResponse:
    """HTTP response with a message for GitHub's delivery log, and seconds to wait before a retry."""

    status: int
    sentence: str
    retry_after: int = 0


@dataclass(slots=True)
class CachedRepository:
    """Cached repository with its secrets and remaining allowance."""

    pk: int
    keys: monitoring.WebhookSecrets
    repository_id: int | None
    repository: str
    has_hook: bool
    expires_at: float
    allowance: float = BURST_DELIVERIES
    refilled_at: float = 0.0
    refused_count: int = 0
    counted_at: datetime | None = None


_CACHED_REPOSITORIES: dict[UUID, CachedRepository | None] = {}
_ABSENT_EXPIRES_AT: dict[UUID, float] = {}


def refuse_early(length: str, content_type: str, encoding: str) -> IntakeResponse | None:
    """Refuse a request based on its headers: 411 without a length, 413 above 25 MiB, 415 unless plain JSON."""
    if not (length.isascii() and length.isdigit()):
        return IntakeResponse(411, "Send a Content-Length header.")
    if len(length) > 15 or int(length) > MAX_PAYLOAD_BYTES:
        return IntakeResponse(413, "The payload is larger than 25 MiB.")
    media_type, _, parameters = content_type.partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    if media_type.strip().lower() != "application/json" or charset not in ("", "utf-8", "utf8") or encoding:
        return IntakeResponse(415, "Select the content type application/json for this webhook.")
    return None


def is_watched(uuid: UUID) -> bool:
    """Return whether this address accepts deliveries. Callers handle database errors."""
    return _try_twice(lambda: _get_repository(uuid) is not None)


def ingest_delivery(uuid: UUID, headers: JsonObject, body: bytes, now: datetime) -> IntakeResponse:
    """Ingest a delivery. `headers` has WSGI names (HTTP_X_GITHUB_DELIVERY …). Callers handle database errors."""
    return _try_twice(lambda: _ingest_delivery(uuid, headers, body, now))


def _try_twice(operation: Callable[[], Result]) -> Result:
    """Run the operation without a connection health check, and retry once on a new connection."""
    connection.health_check_done = True  # type: ignore[attr-defined]
    try:
        return operation()
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block:
            raise
        connection.close()
        return operation()


def _ingest_delivery(uuid: UUID, headers: JsonObject, body: bytes, now: datetime) -> IntakeResponse:
    watch = _get_repository(uuid)
    if watch is None:
        return IntakeResponse(404, "Webhook not found.")
    if not has_valid_signature(body, headers.get("HTTP_X_HUB_SIGNATURE_256", ""), watch.keys.get_valid_secrets(now)):
        _count_refusal(watch, now)
        return IntakeResponse(401, "The signature doesn't match the webhook's secret.")
    delivery_id, event = headers.get("HTTP_X_GITHUB_DELIVERY", ""), headers.get("HTTP_X_GITHUB_EVENT", "")
    if not (0 < len(delivery_id) <= 80 and 0 < len(event) <= 60 and f"{delivery_id}{event}".isprintable()):
        return IntakeResponse(400, "The headers X-GitHub-Delivery and X-GitHub-Event are missing.")
    if not _consume_allowance(watch):
        return IntakeResponse(429, "Too many deliveries. The portal reads missed events from the API.", 1)
    if refusal := _check_payload(watch, body):
        return refusal
    _insert_delivery(watch.pk, delivery_id, event, body, now)
    _record_hook_id(watch, str(headers.get("HTTP_X_GITHUB_HOOK_ID", "")))
    return IntakeResponse(202, "Accepted.")


def has_valid_signature(body: bytes, signature: str, keys: tuple[bytes, ...]) -> bool:
    """Return whether one of the keys signed the raw body with HMAC-SHA256. No other signature counts."""
    signature_bytes = signature.encode("utf-8", "replace")
    expected = (b"sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest().encode() for key in keys)
    return any([hmac.compare_digest(candidate, signature_bytes) for candidate in expected])


def clear_cached_repository(uuid: UUID) -> None:
    """Remove a changed repository from this process's cache."""
    _CACHED_REPOSITORIES.pop(uuid, None)
    _ABSENT_EXPIRES_AT.pop(uuid, None)


def forget_bodies(now: datetime, limit: int = 5000) -> int:
    """Clear the bodies of old processed deliveries, keeping digests and outcomes. Return the number of deliveries."""
    old_deliveries = GitHubDelivery.objects.filter(
        read_at__isnull=False, forgotten_at=None, received_at__lt=now - BODY_RETENTION_PERIOD
    )
    pks = list(old_deliveries.order_by("received_at").values_list("pk", flat=True)[:limit])
    return GitHubDelivery.objects.filter(pk__in=pks).update(body=b"", forgotten_at=now)


def _get_repository(uuid: UUID) -> CachedRepository | None:
    """Return the repository that accepts deliveries at this address, cached for a few seconds."""
    monotonic_now, cached = time.monotonic(), _CACHED_REPOSITORIES.get(uuid)
    if cached is not None and cached.expires_at > monotonic_now:
        return cached
    if _ABSENT_EXPIRES_AT.get(uuid, 0.0) > monotonic_now:
        return None
    row = MonitoredRepository.objects.filter(uuid=uuid, ended_at=None).exclude(secret=None).first()
    if row is None:
        _limit_cache_size(_ABSENT_EXPIRES_AT)
        _ABSENT_EXPIRES_AT[uuid] = monotonic_now + CACHE_SECONDS
        _CACHED_REPOSITORIES.pop(uuid, None)
        return None
    entry = CachedRepository(
        row.pk,
        monitoring.decrypt_secrets(row),
        row.repository_id,
        row.repository.casefold(),
        row.hook_id is not None,
        monotonic_now + CACHE_SECONDS,
        refilled_at=monotonic_now,
    )
    if cached is not None:
        entry.allowance, entry.refilled_at = cached.allowance, cached.refilled_at
        entry.refused_count, entry.counted_at = cached.refused_count, cached.counted_at
    _limit_cache_size(_CACHED_REPOSITORIES)
    _CACHED_REPOSITORIES[uuid] = entry
    return entry


def _limit_cache_size(cache: dict[UUID, Cached]) -> None:
    if len(cache) >= MAX_CACHED_REPOSITORIES:
        cache.clear()


def _consume_allowance(watch: CachedRepository) -> bool:
    monotonic_now = time.monotonic()
    watch.allowance = min(BURST_DELIVERIES, watch.allowance + (monotonic_now - watch.refilled_at) * PER_SECOND)
    watch.refilled_at = monotonic_now
    if watch.allowance < 1:
        return False
    watch.allowance -= 1
    return True


def _record_hook_id(watch: CachedRepository, number: str) -> None:
    """Record the hook ID from the header, which is needed to find failed deliveries.

    The header is not signed, so a ping, which is signed, overwrites it.
    """
    if watch.has_hook or not (number.isascii() and number.isdigit() and 0 < int(number[:20]) < 2**63):
        return
    MonitoredRepository.objects.filter(pk=watch.pk, hook_id=None).update(hook_id=int(number))
    watch.has_hook = True


def _count_refusal(watch: CachedRepository, now: datetime) -> None:
    """Count refused deliveries. Write the count at most once per second, so that a flood causes few writes."""
    watch.refused_count += 1
    if watch.counted_at is not None and now - watch.counted_at < REFUSAL_WRITE_INTERVAL:
        return
    MonitoredRepository.objects.filter(pk=watch.pk).update(refused=F("refused") + watch.refused_count, refused_at=now)
    watch.refused_count, watch.counted_at = 0, now


def _check_payload(watch: CachedRepository, body: bytes) -> IntakeResponse | None:
    """Refuse a signed payload that is not a JSON object or concerns another repository."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return IntakeResponse(400, "The payload is not JSON.")
    if not isinstance(payload, dict):
        return IntakeResponse(400, "The payload is not a JSON object.")
    repository = payload.get("repository")
    if repository is None:  # a ping of an organization's hook
        return None
    if not isinstance(repository, dict) or not is_own_repository(watch.repository_id, watch.repository, repository):
        return IntakeResponse(403, "This webhook belongs to another repository.")
    return None


def is_own_repository(number: int | None, name: str, repository: JsonObject) -> bool:
    """Return whether a payload concerns the monitored repository, by ID or, if the ID is unknown, by name."""
    if number is not None:
        return repository.get("id") == number
    return str(repository.get("full_name", "")).casefold() == name.casefold()


def _insert_delivery(watch_id: int, delivery_id: str, event: str, body: bytes, now: datetime) -> None:
    received_at = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        binary_body = connection.Database.Binary(body)  # type: ignore[attr-defined]
        cursor.execute(
            INSERT_STATEMENT, [watch_id, delivery_id, event, hashlib.sha256(body).hexdigest(), binary_body, received_at]
        )
