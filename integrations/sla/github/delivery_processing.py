"""Processing of stored webhook deliveries into issue events and check runs, one process per repository at a time.

A delivery only triggers checks. They fetch their data from GitHub and never trust the webhook's content.
"""

import json
import logging
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from integrations.sla.github import event_store
from integrations.sla.github.event_mapping import HANDLED_EVENTS, IssueUpdate, map_webhook
from integrations.sla.github.webhook_intake import is_code_repository, is_own_repository
from integrations.sla.models import GitHubDelivery, MonitoredRepository
from integrations.sla.services import monitoring, projection
from verification.checks.services import runs

logger = logging.getLogger(__name__)
BATCH_SIZE = 200
MAX_ATTEMPTS = 5
REASONS_BY_EVENT = {
    "release": "Release on GitHub",
    "create": "New tag or branch on GitHub",
    "delete": "Tag or branch deleted on GitHub",
    "push": "New commits on GitHub",
    "repository": "Repository changed on GitHub",
    "public": "Repository made public",
}
VISIBILITY_EVENTS = frozenset({"public", "repository"})  # can change whether we can read the issues
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
            count = _process_batch(monitored_repository_id, now)
        # A batch is one transaction, so one faulty delivery would hold up all deliveries of the repository.
        except Exception:
            logger.exception(
                "delivery batch of monitored repository %s failed; processing deliveries one by one",
                monitored_repository_id,
            )
            return processed_count + _process_individually(monitored_repository_id, now)
        processed_count += count
        if count < BATCH_SIZE:
            return processed_count


def _select_unread(monitored_repository_id: int) -> QuerySet[GitHubDelivery]:
    return GitHubDelivery.objects.filter(monitored_repository=monitored_repository_id, read_at=None).order_by("pk")


def _process_batch(monitored_repository_id: int, now: datetime, delivery_pk: int | None = None) -> int:
    with transaction.atomic():
        monitored_repository = monitoring.lock_repository(monitored_repository_id)
        # A poll or another run holds the lock. The next run processes what it leaves.
        if monitored_repository is None:
            return 0
        unread = _select_unread(monitored_repository_id)
        deliveries = list(unread.filter(pk=delivery_pk) if delivery_pk else unread[:BATCH_SIZE])
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
    updates = []
    deliveries_by_outcome = defaultdict[str, list[GitHubDelivery]](list)
    events = defaultdict[str, set[str]](set)
    for delivery in deliveries:
        is_replay = delivery.digest in known_digests
        outcome, update = ("replay", None) if is_replay else interpret_delivery(monitored_repository, delivery)
        known_digests.add(delivery.digest)
        deliveries_by_outcome[outcome].append(delivery)
        events[outcome].add(delivery.event)
        if update:
            updates.append(update)
    projection.rebuild_projections(event_store.store_updates(monitored_repository, updates, "webhook", now), now)
    # The code and its issues can be in different repositories.
    _request_checks(monitored_repository, events["checks_requested"] | events["code_changed"], now)
    if VISIBILITY_EVENTS & (events["checks_requested"] | events["poll_requested"]):
        MonitoredRepository.objects.filter(pk=monitored_repository.pk, ended_at=None).update(poll_at=now)
    received_times = []
    for outcome, rows in deliveries_by_outcome.items():
        GitHubDelivery.objects.filter(pk__in=[each.pk for each in rows]).update(read_at=now, outcome=outcome)
        # Deliveries of another repository don't show that the webhook of the issue tracker works.
        if outcome not in ("foreign", "code_changed"):
            received_times += [each.received_at for each in rows]
    if received_times:
        last_delivery_at = max(*received_times, monitored_repository.last_delivery_at or received_times[0])
        MonitoredRepository.objects.filter(pk=monitored_repository.pk).update(last_delivery_at=last_delivery_at)


def interpret_delivery(monitored_repository: MonitoredRepository, delivery: GitHubDelivery) -> Interpretation:
    """Return the outcome of a delivery and its update. Each repository starts only what concerns it."""
    try:
        payload = json.loads(bytes(delivery.body))
        if not isinstance(payload, dict):
            raise ValueError("the payload is not a JSON object")
        repository = payload.get("repository")
        # A ping of an organization's hook has no repository.
        is_ping = repository is None and delivery.event not in HANDLED_EVENTS
        is_of_tracker = is_ping or is_own_repository(monitored_repository, repository)
        is_of_code = is_code_repository(monitored_repository, repository)
        if is_of_code and _should_run_checks(delivery.event, payload):
            return ("checks_requested" if is_of_tracker else "code_changed"), None
        if not is_of_tracker:
            return "foreign", None
        if delivery.event in VISIBILITY_EVENTS:
            return "poll_requested", None
        update = map_webhook(delivery.event, payload, delivery.received_at)
    except (ValueError, RecursionError) as error:
        logger.warning("cannot parse delivery %s of %s: %s", delivery.delivery_id, monitored_repository, error)
        return "unreadable", None
    return ("read" if update else "ignored"), update


def _should_run_checks(event: str, payload: Mapping[str, object]) -> bool:
    """Return whether the event can change check results. Of pushes, only tags and the default branch count."""
    if event != "push":
        return event in REASONS_BY_EVENT
    ref = str(payload.get("ref", ""))
    repository = payload.get("repository")
    default_branch = repository.get("default_branch", "") if isinstance(repository, Mapping) else ""
    return ref.startswith("refs/tags/") or ref == f"refs/heads/{default_branch}"


def _request_checks(monitored_repository: MonitoredRepository, events: set[str], now: datetime) -> None:
    """Request one background check run for all events."""
    reason = next((reason for event, reason in REASONS_BY_EVENT.items() if event in events), "")
    if reason:
        runs.request_background_check_run(monitored_repository.integration, now, reason)


def _process_individually(monitored_repository_id: int, now: datetime) -> int:
    """Process each delivery in its own transaction. Mark deliveries that keep failing and keep their bodies."""
    processed_count = 0
    for pk, attempts in list(_select_unread(monitored_repository_id).values_list("pk", "attempts")[:BATCH_SIZE]):
        try:
            processed_count += _process_batch(monitored_repository_id, now, pk)
        except Exception:
            logger.exception("delivery %s failed", pk)
            failure_values = {"read_at": now, "outcome": "failed"} if attempts + 1 >= MAX_ATTEMPTS else {}
            GitHubDelivery.objects.filter(pk=pk).update(attempts=attempts + 1, **failure_values)
    return processed_count
