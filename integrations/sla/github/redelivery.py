"""Requests for redelivery of failed webhooks, which GitHub doesn't retry, if our token has permission."""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from integrations.sla.models import GitHubDelivery, MonitoredRepository
from portal.core.value_types import NamedValues
from verification.sources.errors import AccessDeniedError, SourceNotFoundError, SourceUnavailableError
from verification.sources.github import issues
from verification.sources.github.api import GitHubApi

logger = logging.getLogger(__name__)
RETENTION_PERIOD = timedelta(days=3)  # on GitHub's side
GAP_INTERVAL = timedelta(minutes=15)
INTERVALS_BY_OUTCOME = {"requested": timedelta(hours=24), "remaining": GAP_INTERVAL, "refused": timedelta(days=7)}
MAX_REQUESTS = 10
MAX_TRIES = 4  # including GitHub's first attempt, so that failing deliveries don't block others
PAUSE_SECONDS = 1.0  # recommended by GitHub between mutating requests


def request_redeliveries(
    api: GitHubApi, monitored_repository: MonitoredRepository, now: datetime, wait: Callable[[float], None] = time.sleep
) -> int:
    """Request missing deliveries daily, soon after a poll found missed events, and until none remain.

    Return the number of requested deliveries. `wait` sleeps for the given number of seconds.
    """
    if monitored_repository.hook_id is None or now < _calculate_next_run(monitored_repository, now):
        return 0
    changes: NamedValues = {}
    outcome = "requested"
    requested_ids = []
    try:
        delivery_ids = _find_missing_deliveries(api, monitored_repository, monitored_repository.hook_id, now)
        requested_ids = delivery_ids[:MAX_REQUESTS]
        for index, delivery_id in enumerate(requested_ids):
            if index:
                wait(PAUSE_SECONDS)
            issues.redeliver(api, monitored_repository.repository, monitored_repository.hook_id, delivery_id)
        if len(delivery_ids) > len(requested_ids):
            outcome = "remaining"
            changes["poll_at"] = min(now + GAP_INTERVAL, monitored_repository.poll_at or now)
    except (AccessDeniedError, SourceNotFoundError):  # no permission: polls must be enough
        outcome = "refused"
    except SourceUnavailableError as outage:  # no problem of the repository, whose issues were read
        logger.warning("cannot request redeliveries of %s before the next poll: %s", monitored_repository, outage)
        return 0
    cursors = monitored_repository.cursors | {"redelivered_at": now.isoformat(), "redelivery": outcome}
    MonitoredRepository.objects.filter(pk=monitored_repository.pk).update(cursors=cursors, **changes)
    return len(requested_ids)


def _find_missing_deliveries(
    api: GitHubApi, monitored_repository: MonitoredRepository, hook_id: int, now: datetime
) -> list[int]:
    """Return the IDs of deliveries that GitHub stores and we don't have, those with the fewest attempts first."""
    failed_deliveries = issues.list_failed_deliveries(
        api, monitored_repository.repository, hook_id, now - RETENTION_PERIOD
    )
    guids = [delivery.guid for delivery, _ in failed_deliveries]
    received = GitHubDelivery.objects.filter(
        monitored_repository=monitored_repository, delivery_id__in=guids
    ).values_list("delivery_id", flat=True)
    received_guids = set(received)
    missing = [
        (delivery, tries)
        for delivery, tries in failed_deliveries
        if delivery.guid not in received_guids and tries < MAX_TRIES
    ]
    return [delivery.id for delivery, _ in sorted(missing, key=lambda item: item[1])]


def _calculate_next_run(monitored_repository: MonitoredRepository, now: datetime) -> datetime:
    last_requested_at = monitored_repository.cursors.get("redelivered_at")
    if last_requested_at is None:
        return now
    outcome = monitored_repository.cursors["redelivery"]
    has_gap = outcome == "requested" and monitored_repository.cursors.get("missed_at", "") > last_requested_at
    return datetime.fromisoformat(last_requested_at) + (GAP_INTERVAL if has_gap else INTERVALS_BY_OUTCOME[outcome])
