"""Processing of stored webhook deliveries into issue events, one process per repository at a time."""

import json
import logging
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from integrations.sla.check_requests import REASONS_BY_EVENT, request_checks, should_run_checks
from integrations.sla.github import event_store
from integrations.sla.github.event_mapping import HANDLED_EVENTS, IssueUpdate, UnmappableEvent, map_webhook
from integrations.sla.github.webhook_intake import is_own_repository
from integrations.sla.models import GitHubDelivery, MonitoredRepository
from integrations.sla.services import projection
from portal.core.value_types import NamedValues

log = logging.getLogger(__name__)
BATCH_SIZE = 200
MAX_ATTEMPTS = 5
READ, IGNORED, REPLAY, FOREIGN, UNREADABLE, FAILED = "read", "ignored", "replay", "foreign", "unreadable", "failed"
CHECKS_REQUESTED = "looked"


def process_due_deliveries(now: datetime, limit: int = 10_000) -> int:
    """Process unread deliveries. Return the number of processed deliveries."""
    watch_ids = (
        GitHubDelivery.objects.filter(read_at=None).order_by("watch_id").values_list("watch_id", flat=True).distinct()
    )
    processed_count = 0
    for watch_id in list(watch_ids):
        if processed_count >= limit:
            break
        processed_count += process_repository_deliveries(watch_id, now)
    return processed_count


def process_repository_deliveries(watch_id: int, now: datetime) -> int:
    """Process the deliveries of a repository. If a batch fails, process its deliveries one by one."""
    processed_count = 0
    while True:
        try:
            count = _process_batch(watch_id, now, BATCH_SIZE)
        except Exception:
            log.exception("delivery batch of watch %s failed; processing deliveries one by one", watch_id)
            return processed_count + _process_individually(watch_id, now)
        processed_count += count
        if count < BATCH_SIZE:
            return processed_count


def _process_batch(watch_id: int, now: datetime, size: int, delivery_pk: int | None = None) -> int:
    with transaction.atomic():
        watch = event_store.lock_repository(watch_id)
        if watch is None:
            return 0
        unread_deliveries = GitHubDelivery.objects.filter(watch=watch, read_at=None).order_by("pk")
        deliveries = list(unread_deliveries.filter(pk=delivery_pk) if delivery_pk else unread_deliveries[:size])
        if deliveries:
            _ingest_deliveries(watch, deliveries, now)
        return len(deliveries)


def _ingest_deliveries(watch: MonitoredRepository, deliveries: list[GitHubDelivery], now: datetime) -> None:
    """Store the events, rebuild projections, and record the outcome of each delivery."""
    earlier_digests = _find_earlier_digests(watch, deliveries)
    updates: list[IssueUpdate] = []
    outcomes: dict[str, list[int]] = {}
    for delivery in deliveries:
        outcome, delivery_updates = (
            _REPLAY_RESULT if delivery.digest in earlier_digests else interpret_delivery(watch, delivery)
        )
        earlier_digests.add(delivery.digest)
        outcomes.setdefault(outcome, []).append(delivery.pk)
        updates.extend(delivery_updates)
    projection.rebuild_projections(event_store.store_updates(watch, updates, "webhook", now), now)
    trigger_pks = set(outcomes.get(CHECKS_REQUESTED, ()))
    request_checks(watch, (delivery.event for delivery in deliveries if delivery.pk in trigger_pks), now)
    for outcome, pks in outcomes.items():
        GitHubDelivery.objects.filter(pk__in=pks).update(read_at=now, outcome=outcome)
    _record_hook_activity(watch, deliveries)


_REPLAY_RESULT: tuple[str, tuple[IssueUpdate, ...]] = (REPLAY, ())


def _find_earlier_digests(watch: MonitoredRepository, deliveries: list[GitHubDelivery]) -> set[str]:
    """Return the digests received earlier. A captured delivery could be replayed under a new ID."""
    digests = {delivery.digest for delivery in deliveries}
    before = GitHubDelivery.objects.filter(watch=watch, digest__in=digests, pk__lt=deliveries[0].pk)
    return set(before.values_list("digest", flat=True))


def interpret_delivery(watch: MonitoredRepository, delivery: GitHubDelivery) -> tuple[str, tuple[IssueUpdate, ...]]:
    """Return the outcome of a delivery and its updates."""
    if delivery.event not in HANDLED_EVENTS and delivery.event not in REASONS_BY_EVENT:
        return IGNORED, ()
    try:
        payload = json.loads(bytes(delivery.body))
        if not _is_own_repository(watch, payload):
            return FOREIGN, ()
        if should_run_checks(delivery.event, payload):
            return CHECKS_REQUESTED, ()
        update = map_webhook(delivery.event, payload, delivery.received_at)
    except (ValueError, RecursionError) as error:
        log.warning("cannot parse delivery %s of %s: %s", delivery.delivery_id, watch, error)
        return UNREADABLE, ()
    return (READ, (update,)) if update else (IGNORED, ())


def _is_own_repository(watch: MonitoredRepository, payload: object) -> bool:
    repository = payload.get("repository") if isinstance(payload, dict) else None
    if not isinstance(repository, dict):
        raise UnmappableEvent("the repository is missing")
    return is_own_repository(watch.repository_id, watch.repository, repository)


def _record_hook_activity(watch: MonitoredRepository, deliveries: Iterable[GitHubDelivery]) -> None:
    """Record the last delivery, and the hook ID from a ping, which is needed to find failed deliveries."""
    last_received_at = max(delivery.received_at for delivery in deliveries)
    changes: NamedValues = {"last_delivery_at": max(last_received_at, watch.last_delivery_at or last_received_at)}
    for delivery in deliveries:
        if delivery.event == "ping":
            changes["hook_id"] = _get_hook_id(delivery) or watch.hook_id
    MonitoredRepository.objects.filter(pk=watch.pk).update(**changes)


def _get_hook_id(ping: GitHubDelivery) -> int | None:
    payload = json.loads(bytes(ping.body))
    hook_id = payload.get("hook_id")
    return hook_id if isinstance(hook_id, int) and 0 < hook_id < 2**63 else None


def _process_individually(watch_id: int, now: datetime) -> int:
    """Process each delivery in its own transaction. Mark deliveries that keep failing and keep their bodies."""
    processed_count = 0
    for pk, attempts in list(_list_unread(watch_id)):
        try:
            processed_count += _process_batch(watch_id, now, 1, delivery_pk=pk)
        except Exception:
            log.exception("delivery %s failed", pk)
            failure_values = {"read_at": now, "outcome": FAILED} if attempts + 1 >= MAX_ATTEMPTS else {}
            GitHubDelivery.objects.filter(pk=pk).update(attempts=attempts + 1, **failure_values)
    return processed_count


def _list_unread(watch_id: int) -> Iterable[tuple[int, int]]:
    return (
        GitHubDelivery.objects.filter(watch=watch_id, read_at=None)
        .order_by("pk")
        .values_list("pk", "attempts")[:BATCH_SIZE]
    )
