"""Requests for redelivery of failed webhooks, which GitHub doesn't retry, if our token has permission."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from integrations.sla.models import GitHubDelivery, MonitoredRepository
from portal.core.value_types import NamedValues
from verification.sources.errors import AccessDeniedError, SourceNotFoundError
from verification.sources.github import issues
from verification.sources.github.api import GitHubApi

RETENTION_PERIOD = timedelta(days=3)  # on GitHub's side
DAILY_INTERVAL, GAP_INTERVAL, REFUSAL_INTERVAL = timedelta(hours=24), timedelta(minutes=15), timedelta(days=7)
MAX_REQUESTS = 10
MAX_TRIES = 4  # including GitHub's first attempt, so that failing deliveries don't block others
PAUSE_SECONDS = 1.0  # recommended by GitHub between mutating requests


def request_redeliveries(
    api: GitHubApi, watch: MonitoredRepository, now: datetime, wait: Callable[[float], None] = time.sleep
) -> int:
    """Request missing deliveries daily, soon after a poll found missed events, and until none are left.

    Return the number of requested deliveries. `wait` sleeps for the given number of seconds.
    """
    if watch.hook_id is None or now < _calculate_next_run(watch, now):
        return 0
    changes: NamedValues = {}
    cursors = watch.cursors | {"redelivered_at": now.isoformat(), "redelivery": "asked"}
    requested_count = 0
    try:
        delivery_ids = _find_missing_deliveries(api, watch, watch.hook_id, now)
        requested_count = _request_deliveries(api, watch, watch.hook_id, delivery_ids[:MAX_REQUESTS], wait)
        if len(delivery_ids) > requested_count:
            cursors["redelivery"], changes["poll_at"] = "left", min(now + GAP_INTERVAL, watch.poll_at or now)
    except (
        AccessDeniedError,
        SourceNotFoundError,
        KeyError,
        TypeError,
        ValueError,
    ):  # no permission: polls must be enough
        cursors["redelivery"] = "refused"
    MonitoredRepository.objects.filter(pk=watch.pk).update(cursors=cursors, **changes)
    return requested_count


def _find_missing_deliveries(api: GitHubApi, watch: MonitoredRepository, hook_id: int, now: datetime) -> list[int]:
    """Return the IDs of deliveries that GitHub stores and we don't have, those with the fewest attempts first."""
    failed_deliveries = issues.list_failed_deliveries(api, watch.repository, hook_id, now - RETENTION_PERIOD)
    guids = {str(raw["guid"]) for raw, _ in failed_deliveries}
    received_guids = set(
        GitHubDelivery.objects.filter(watch=watch, delivery_id__in=guids).values_list("delivery_id", flat=True)
    )
    missing = [
        (raw, tries) for raw, tries in failed_deliveries if raw["guid"] not in received_guids and tries < MAX_TRIES
    ]
    return [int(raw["id"]) for raw, _ in sorted(missing, key=lambda item: item[1])]


def _request_deliveries(
    api: GitHubApi, watch: MonitoredRepository, hook_id: int, delivery_ids: list[int], wait: Callable[[float], None]
) -> int:
    for index, delivery_id in enumerate(delivery_ids):
        if index:
            wait(PAUSE_SECONDS)
        issues.redeliver(api, watch.repository, hook_id, delivery_id)
    return len(delivery_ids)


def _calculate_next_run(watch: MonitoredRepository, now: datetime) -> datetime:
    last_requested_at = watch.cursors.get("redelivered_at")
    if last_requested_at is None:
        return now
    if watch.cursors.get("redelivery") == "refused":
        return datetime.fromisoformat(last_requested_at) + REFUSAL_INTERVAL
    missed_at = watch.cursors.get("missed_at")
    has_gap = watch.cursors.get("redelivery") == "left" or (missed_at is not None and missed_at > last_requested_at)
    return datetime.fromisoformat(last_requested_at) + (GAP_INTERVAL if has_gap else DAILY_INTERVAL)
