"""Quotas for webhook deliveries and their bytes, counted per source in the shared cache.

Accepted deliveries count against their hook. Refused deliveries count against the sender together with the hook, never
against the sender alone: GitHub's hooks share a few addresses, so a forger could otherwise block the hooks of others.

Each process adds its counts to the cache at each hundredth of a quota, because a cache request per delivery would take
longer than storing the delivery. A source can therefore exceed its quota by a hundredth per process.
"""

import logging
import time
from dataclasses import dataclass
from uuid import UUID

from django.core.cache import cache

logger = logging.getLogger(__name__)

MEBIBYTE = 1024 * 1024
SYNCS_PER_QUOTA = 100
MAX_COUNTERS = 20_000  # per process


@dataclass(frozen=True, slots=True)
class Quota:
    """Maximum number of bytes or deliveries per window of `seconds`."""

    name: str
    limit: int
    seconds: int

    def build_key(self, source: str) -> str:
        return f"hook-bytes:{self.name}:{source}:{self.get_window()}"

    def get_window(self) -> int:
        """Return the number of the current window."""
        return int(time.time()) // self.seconds

    def get_remaining_seconds(self) -> int:
        """Return the remaining seconds of the current window."""
        return self.seconds - int(time.time()) % self.seconds


# Far above what GitHub sends after a bot changed every issue of a repository.
DELIVERIES = Quota("deliveries", 6_000, 60)
# A thousand deliveries of one mebibyte: far above what a busy repository sends in an hour.
ACCEPTED = Quota("accepted", 1024 * MEBIBYTE, 3600)
# Limits what the portal stores for a hook. A busy repository sends tens of mebibytes per day.
ACCEPTED_DAILY = Quota("accepted-daily", 2 * 1024 * MEBIBYTE, 24 * 3600)
# Short, so that a hook works within a minute after its mistyped secret is corrected.
REFUSED = Quota("refused", 64 * MEBIBYTE, 60)


@dataclass(slots=True)
class Counter:
    """Count of a source in one window: the total in the cache, and what this process has not added yet."""

    window: int
    shared: int = 0
    pending: int = 0

    @property
    def total(self) -> int:
        return self.shared + self.pending


_COUNTERS: dict[tuple[str, str], Counter] = {}  # by quota and source


def get_wait(sender: str, hook: UUID | None, size: int) -> int:
    """Return the number of seconds that a delivery must wait, 0 within the quota. Unknown hooks share one quota.

    If the cache is unavailable, each process counts alone instead of refusing deliveries, because GitHub doesn't retry.
    """
    needs = [(REFUSED, f"{sender}:{hook}", 1), *_list_accepted_needs(hook, size)]
    full = [quota for quota, source, need in needs if _get_counter(quota, source).total + need > quota.limit]
    return max((quota.get_remaining_seconds() for quota in full), default=0)


def charge(sender: str, hook: UUID | None, size: int, *, is_accepted: bool) -> None:
    """Count a delivery and its bytes."""
    needs = _list_accepted_needs(hook, size) if is_accepted else [(REFUSED, f"{sender}:{hook}", size)]
    for quota, source, need in needs:
        counter = _get_counter(quota, source)
        step = max(1, quota.limit // SYNCS_PER_QUOTA)
        steps_before = counter.pending // step
        counter.pending += need
        if counter.pending // step > steps_before:
            _sync(quota, source, counter)


def _list_accepted_needs(hook: UUID | None, size: int) -> list[tuple[Quota, str, int]]:
    """Return each quota of accepted deliveries with its source and what a delivery of this size needs."""
    source = str(hook)
    return [(DELIVERIES, source, 1), (ACCEPTED, source, size), (ACCEPTED_DAILY, source, size)]


def _get_counter(quota: Quota, source: str) -> Counter:
    """Return the counter of a source in the current window."""
    key = (quota.name, source)
    window = quota.get_window()
    counter = _COUNTERS.get(key)
    if counter is None or counter.window != window:
        if len(_COUNTERS) >= MAX_COUNTERS:
            _COUNTERS.clear()
        counter = _COUNTERS[key] = Counter(window, _read_total(quota, source))
    return counter


def _read_total(quota: Quota, source: str) -> int:
    try:
        return int(cache.get(quota.build_key(source), 0))
    except Exception:  # cache backends raise different errors during an outage
        logger.warning("cannot read webhook quotas: cache unavailable")
        return 0


def _sync(quota: Quota, source: str, counter: Counter) -> None:
    key = quota.build_key(source)
    pending = counter.pending
    try:
        cache.add(key, 0, 2 * quota.seconds)
        counter.shared = cache.incr(key, pending)
    except Exception:  # cache backends raise different errors during an outage
        logger.warning("cannot count webhook quotas: cache unavailable")
    else:
        counter.pending -= pending
