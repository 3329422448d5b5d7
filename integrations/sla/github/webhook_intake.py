"""Intake of GitHub webhooks: verify the raw payload, store it with one statement, and respond.

The content is processed later. Deliveries without a valid signature are only counted.
"""

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import F, UUIDField

from integrations.sla.models import GitHubDelivery, MonitoredRepository
from integrations.sla.services import monitoring
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.core.primary_keys import parse_pk

MAX_PAYLOAD_BYTES = 25 * 1024 * 1024
CACHE_SECONDS = 5.0  # for known and unknown repositories
MAX_CACHED_REPOSITORIES = 20_000
BODY_RETENTION_PERIOD = timedelta(days=7)  # for debugging
REFUSAL_WRITE_INTERVAL = timedelta(seconds=1)
Result = TypeVar("Result")
DELIVERY_TABLE = GitHubDelivery._meta.db_table
INSERT_STATEMENT = (  # in autocommit mode, one round trip to the database
    f"INSERT INTO {DELIVERY_TABLE} (monitored_repository_id, delivery_id, event, digest, body, received_at,"  # noqa: S608
    " attempts, outcome) VALUES (%s, %s, %s, %s, %s, %s, 0, '')"
    " ON CONFLICT (monitored_repository_id, delivery_id) DO NOTHING"
)
ACTIVE_REPOSITORY = CompiledQuery(
    lambda: (
        MonitoredRepository.objects.filter(uuid=Parameter("uuid", UUIDField()), ended_at=None, secret__isnull=False)
        .select_related("integration")
        .only(
            *("uuid", "repository", "repository_id", "hook_id", "secret", "old_secret", "old_secret_until"),
            *("integration__repository", "integration__repository_id"),
        )
    )
)


@dataclass(frozen=True, slots=True)
class IntakeResponse:
    """HTTP response with a message for GitHub's delivery log, and seconds to wait before a retry."""

    status: int
    message: str
    retry_after: int = 0


@dataclass(slots=True)
class CachedRepository:
    """Cached repository with its secrets and the refused deliveries that were not written yet."""

    row: MonitoredRepository
    secrets: monitoring.WebhookSecrets
    refused_count: int = 0
    counted_at: datetime | None = None


# Repositories with the time at which their entry expires. None for unknown addresses
_CACHE: dict[UUID, tuple[float, CachedRepository | None]] = {}


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


def is_monitored(uuid: UUID) -> bool:
    """Return whether this address accepts deliveries. Callers handle database errors."""
    return _try_twice(lambda: _get_repository(uuid) is not None)


def ingest_delivery(uuid: UUID, headers: Mapping[str, object], body: bytes, now: datetime) -> IntakeResponse:
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


def _ingest_delivery(uuid: UUID, headers: Mapping[str, object], body: bytes, now: datetime) -> IntakeResponse:
    cached_repository = _get_repository(uuid)
    if cached_repository is None:
        return IntakeResponse(404, "Webhook not found.")
    signature = str(headers.get("HTTP_X_HUB_SIGNATURE_256", ""))
    if not has_valid_signature(body, signature, cached_repository.secrets.get_valid_secrets(now)):
        _count_refusal(cached_repository, now)
        return IntakeResponse(401, "The signature doesn't match the webhook's secret.")
    delivery_id = str(headers.get("HTTP_X_GITHUB_DELIVERY", ""))
    event = str(headers.get("HTTP_X_GITHUB_EVENT", ""))
    if not (0 < len(delivery_id) <= 80 and 0 < len(event) <= 60 and f"{delivery_id}{event}".isprintable()):
        return IntakeResponse(400, "The headers X-GitHub-Delivery and X-GitHub-Event are missing.")
    row = cached_repository.row
    try:
        repository = _read_repository(body)
    except ValueError as error:
        return IntakeResponse(400, str(error))
    # A ping of an organization's hook has no repository.
    is_of_tracker = repository is None or is_own_repository(row, repository)
    if not is_of_tracker and not is_code_repository(row, repository):
        return IntakeResponse(403, "This webhook belongs to another repository.")
    _insert_delivery(row.pk, delivery_id, event, body, now)
    if is_of_tracker:  # only missed events of issues are looked up
        _record_hook_id(row, str(headers.get("HTTP_X_GITHUB_HOOK_ID", "")))
    return IntakeResponse(202, "Accepted.")


def has_valid_signature(body: bytes, signature: str, keys: tuple[bytes, ...]) -> bool:
    """Return whether one of the keys signed the raw body with HMAC-SHA256. No other signature counts."""
    signature_bytes = signature.encode("utf-8", "replace")
    expected = (b"sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest().encode() for key in keys)
    return any([hmac.compare_digest(candidate, signature_bytes) for candidate in expected])


def clear_cached_repository(uuid: UUID) -> None:
    """Remove a changed repository from this process's cache."""
    _CACHE.pop(uuid, None)


def delete_old_bodies(now: datetime, limit: int = 5000) -> int:
    """Clear the bodies of old processed deliveries, keeping digests and outcomes. Return the number of deliveries."""
    old_deliveries = GitHubDelivery.objects.filter(
        read_at__isnull=False, forgotten_at=None, received_at__lt=now - BODY_RETENTION_PERIOD
    )
    pks = list(old_deliveries.order_by("received_at").values_list("pk", flat=True)[:limit])
    return GitHubDelivery.objects.filter(pk__in=pks).update(body=b"", forgotten_at=now)


def _get_repository(uuid: UUID) -> CachedRepository | None:
    """Return the repository that accepts deliveries at this address, cached for a few seconds."""
    expires_at, entry = _CACHE.get(uuid, (0.0, None))
    if expires_at <= time.monotonic():
        row = next(iter(ACTIVE_REPOSITORY.fetch(uuid=uuid)), None)
        counts = (entry.refused_count, entry.counted_at) if entry else (0, None)
        entry = CachedRepository(row, monitoring.decrypt_secrets(row), *counts) if row else None
        if len(_CACHE) >= MAX_CACHED_REPOSITORIES:
            _CACHE.clear()
        _CACHE[uuid] = time.monotonic() + CACHE_SECONDS, entry
    return entry


def _record_hook_id(row: MonitoredRepository, number: str) -> None:
    """Record the hook ID from the header, which is needed to find failed deliveries. A recreated hook has a new one."""
    hook_id = parse_pk(number)
    if hook_id and hook_id != row.hook_id:
        MonitoredRepository.objects.filter(pk=row.pk).update(hook_id=hook_id)
        row.hook_id = hook_id


def _count_refusal(cached_repository: CachedRepository, now: datetime) -> None:
    """Count refused deliveries. Write the count at most once per second, so that a flood causes few writes."""
    cached_repository.refused_count += 1
    if cached_repository.counted_at is not None and now - cached_repository.counted_at < REFUSAL_WRITE_INTERVAL:
        return
    repositories = MonitoredRepository.objects.filter(pk=cached_repository.row.pk)
    repositories.update(refused=F("refused") + cached_repository.refused_count, refused_at=now)
    cached_repository.refused_count = 0
    cached_repository.counted_at = now


def _read_repository(body: bytes) -> object:
    """Return the repository of a signed payload. Raises ValueError if the payload is not a JSON object."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError("The payload is not JSON.") from error
    if not isinstance(payload, dict):
        raise ValueError("The payload is not a JSON object.")
    return payload.get("repository")


def is_own_repository(row: MonitoredRepository, repository: object) -> bool:
    """Return whether a payload concerns the monitored repository."""
    return _is_repository(repository, row.repository, row.repository_id)


def is_code_repository(row: MonitoredRepository, repository: object) -> bool:
    """Return whether a payload concerns the repository of the code. The issue tracker can be another one."""
    return _is_repository(repository, row.integration.repository, row.integration.repository_id)


def _is_repository(repository: object, full_name: str, repository_id: int | None) -> bool:
    """Return whether a repository of a payload has the ID or, if the ID is unknown, the name."""
    if not isinstance(repository, dict) or not full_name:
        return False
    if repository_id is not None:
        return bool(repository.get("id") == repository_id)
    return str(repository.get("full_name", "")).casefold() == full_name.casefold()


def _insert_delivery(monitored_repository_id: int, delivery_id: str, event: str, body: bytes, now: datetime) -> None:
    database = connections[DEFAULT_DB_ALIAS]  # `connection` would look it up at each use
    digest = hashlib.sha256(body).hexdigest()
    received_at = database.ops.adapt_datetimefield_value(now)
    with _open_cursor(database) as cursor, database.wrap_database_errors:
        cursor.execute(INSERT_STATEMENT, [monitored_repository_id, delivery_id, event, digest, body, received_at])


def _open_cursor(database: BaseDatabaseWrapper) -> CursorWrapper:
    """Return a cursor that sends values apart from the statement. Django's cursor for PostgreSQL escapes them in it.

    Django neither logs nor counts the statements of this cursor.
    """
    if database.vendor != "postgresql":
        return database.cursor()
    database.ensure_connection()
    return database.Database.Cursor(database.connection)  # type: ignore[attr-defined]
