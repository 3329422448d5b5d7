"""Processing of stored webhook deliveries into issue events, one process per repository at a time."""

import json
import logging
from collections import defaultdict
from datetime import datetime

from django.db import transaction

from integrations.sla.check_requests import REASONS_BY_EVENT, request_checks, should_run_checks
from integrations.sla.github import event_store
from integrations.sla.github.event_mapping import HANDLED_EVENTS, IssueUpdate, map_webhook
from integrations.sla.github.webhook_intake import is_own_repository
from integrations.sla.models import GitHubDelivery, MonitoredRepository
from integrations.sla.services import projection

log = logging.getLogger(__name__)
BATCH_SIZE = 200
MAX_ATTEMPTS = 5
Interpretation = tuple[str, IssueUpdate | None]  # outcome and update


def process_due_deliveries(now: datetime) -> int:
    """Process unread deliveries. Return the number of processed deliveries."""
    unread_deliveries = GitHubDelivery.objects.filter(read_at=None).order_by("monitored_repository_id")
    monitored_repository_ids = list(unread_deliveries.values_list("monitored_repository_id", flat=True).distinct())
    return sum(process_repository_deliveries(pk, now) for pk in monitored_repository_ids)


def process_repository_deliveries(monitored_repository_id: int, now: datetime) -> int:
    """Process the deliveries of a repository. If a batch fails, process its deliveries one by one."""
    processed_count = 0
    while True:
        try:
            count = _process_batch(monitored_repository_id, now, BATCH_SIZE)
        # A batch is one transaction, so one faulty delivery would hold up all deliveries of the repository.
        except Exception:
            log.exception(
                "delivery batch of monitored repository %s failed; processing deliveries one by one",
                monitored_repository_id,
            )
            return processed_count + _process_individually(monitored_repository_id, now)
        processed_count += count
        if count < BATCH_SIZE:
            return processed_count


def _process_batch(monitored_repository_id: int, now: datetime, size: int, delivery_pk: int | None = None) -> int:
    with transaction.atomic():
        monitored_repository = event_store.lock_repository(monitored_repository_id)
        # A poll or another run holds the lock. The next run processes what it leaves.
        if monitored_repository is None:
            return 0
        unread_deliveries = GitHubDelivery.objects.filter(
            monitored_repository=monitored_repository, read_at=None
        ).order_by("pk")
        deliveries = list(unread_deliveries.filter(pk=delivery_pk) if delivery_pk else unread_deliveries[:size])
        if deliveries:
            _ingest_deliveries(monitored_repository, deliveries, now)
        return len(deliveries)


def _ingest_deliveries(
    monitored_repository: MonitoredRepository, deliveries: list[GitHubDelivery], now: datetime
) -> None:
    """Store the events, rebuild projections, and record the outcome of each delivery."""
    # A captured delivery could be replayed under a new ID, but has the same digest.
    digests = {delivery.digest for delivery in deliveries}
    earlier = monitored_repository.deliveries.filter(digest__in=digests, pk__lt=deliveries[0].pk)
    known_digests = set(earlier.values_list("digest", flat=True))
    updates, pks_by_outcome = [], defaultdict[str, list[int]](list)
    for delivery in deliveries:
        is_replay = delivery.digest in known_digests
        outcome, update = ("replay", None) if is_replay else interpret_delivery(monitored_repository, delivery)
        known_digests.add(delivery.digest)
        pks_by_outcome[outcome].append(delivery.pk)
        updates += [update] if update else []
    projection.rebuild_projections(event_store.store_updates(monitored_repository, updates, "webhook", now), now)
    trigger_pks = pks_by_outcome["checks_requested"]
    request_checks(monitored_repository, (delivery.event for delivery in deliveries if delivery.pk in trigger_pks), now)
    for outcome, pks in pks_by_outcome.items():
        GitHubDelivery.objects.filter(pk__in=pks).update(read_at=now, outcome=outcome)
    last_received_at = max(delivery.received_at for delivery in deliveries)
    last_delivery_at = max(last_received_at, monitored_repository.last_delivery_at or last_received_at)
    MonitoredRepository.objects.filter(pk=monitored_repository.pk).update(last_delivery_at=last_delivery_at)


def interpret_delivery(monitored_repository: MonitoredRepository, delivery: GitHubDelivery) -> Interpretation:
    """Return the outcome of a delivery and its update."""
    if delivery.event not in HANDLED_EVENTS and delivery.event not in REASONS_BY_EVENT:
        return "ignored", None
    try:
        payload = json.loads(bytes(delivery.body))
        if not is_own_repository(monitored_repository, payload.get("repository")):
            return "foreign", None
        if should_run_checks(delivery.event, payload):
            return "checks_requested", None
        update = map_webhook(delivery.event, payload, delivery.received_at)
    except (ValueError, RecursionError) as error:
        log.warning("cannot parse delivery %s of %s: %s", delivery.delivery_id, monitored_repository, error)
        return "unreadable", None
    return ("read" if update else "ignored"), update


def _process_individually(monitored_repository_id: int, now: datetime) -> int:
    """Process each delivery in its own transaction. Mark deliveries that keep failing and keep their bodies."""
    processed_count = 0
    unread_deliveries = GitHubDelivery.objects.filter(
        monitored_repository=monitored_repository_id, read_at=None
    ).order_by("pk")
    for pk, attempts in list(unread_deliveries.values_list("pk", "attempts")[:BATCH_SIZE]):
        try:
            processed_count += _process_batch(monitored_repository_id, now, 1, delivery_pk=pk)
        except Exception:
            log.exception("delivery %s failed", pk)
            failure_values = {"read_at": now, "outcome": "failed"} if attempts + 1 >= MAX_ATTEMPTS else {}
            GitHubDelivery.objects.filter(pk=pk).update(attempts=attempts + 1, **failure_values)
    return processed_count
