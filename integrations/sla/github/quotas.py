"""Byte quotas for webhook deliveries, counted per source in the shared cache.

Accepted deliveries count against their hook. Refused deliveries count against the sender together with the hook, never
against the sender alone: GitHub's hooks share a few addresses, so a forger could otherwise block the hooks of others.

Each process adds its bytes to the cache once per second or mebibyte, because a cache request per delivery would take
longer than storing the delivery. A source can therefore exceed its quota by one mebibyte per process.
"""

import logging
import math
import time
from dataclasses import dataclass
from uuid import UUID

from django.core.cache import cache

logger = logging.getLogger(__name__)

MEBIBYTE = 1024 * 1024
SYNC_BYTES, SYNC_SECONDS = MEBIBYTE, 1.0
MAX_COUNTERS = 20_000  # per process


@dataclass(frozen=True, slots=True)
class Quota:
    """Maximum number of bytes per window of `seconds`."""

    name: str
    max_bytes: int
    seconds: int

    def build_key(self, source: str) -> str:
        return f"hook-bytes:{self.name}:{source}:{int(time.time()) // self.seconds}"

    def remaining_seconds(self) -> int:
        """Return the remaining seconds of the current window."""
        return self.seconds - int(time.time()) % self.seconds


# A thousand deliveries of one mebibyte: far above what a busy repository sends in an hour.
ACCEPTED = Quota("accepted", 1024 * MEBIBYTE, 3600)
# Limits what the portal stores for a hook. A busy repository sends tens of mebibytes per day.
ACCEPTED_DAILY = Quota("accepted-daily", 2 * 1024 * MEBIBYTE, 24 * 3600)
# Short, so that a hook works within a minute after its mistyped secret is corrected.
REFUSED = Quota("refused", 64 * MEBIBYTE, 60)


@dataclass(slots=True)
class Counter:
    """Bytes of a source in one window: the total in the cache, and those that this process has not added yet."""

    shared: int = 0
    pending: int = 0
    synced_at: float = -math.inf


_COUNTERS: dict[str, Counter] = {}


def get_wait(sender: str, hook: UUID | None, size: int) -> int:
    """Return the number of seconds that a delivery must wait, 0 within the quota. Unknown hooks share one quota.

    If the cache is unavailable, each process counts alone instead of refusing deliveries, because GitHub doesn't retry.
    """
    source = str(hook)
    needs = [(REFUSED, f"{sender}:{hook}", 1), (ACCEPTED, source, size), (ACCEPTED_DAILY, source, size)]
    full = [quota for quota, source, need in needs if _count(quota, source, 0) + need > quota.max_bytes]
    return max((quota.remaining_seconds() for quota in full), default=0)


def charge(sender: str, hook: UUID | None, size: int, *, is_accepted: bool) -> None:
    """Count the bytes of a delivery."""
    quotas, source = ((ACCEPTED, ACCEPTED_DAILY), str(hook)) if is_accepted else ((REFUSED,), f"{sender}:{hook}")
    for quota in quotas:
        _count(quota, source, size)


def _count(quota: Quota, source: str, size: int) -> int:
    """Add bytes to a source and return the total known to this process."""
    key = quota.build_key(source)
    if key not in _COUNTERS and len(_COUNTERS) >= MAX_COUNTERS:
        _COUNTERS.clear()
    counter = _COUNTERS.setdefault(key, Counter())
    counter.pending += size
    moment = time.monotonic()
    if counter.pending >= SYNC_BYTES or moment - counter.synced_at >= SYNC_SECONDS:
        counter.synced_at = moment
        _sync(quota, key, counter)
    return counter.shared + counter.pending


def _sync(quota: Quota, key: str, counter: Counter) -> None:
    pending_bytes = counter.pending
    try:
        cache.add(key, 0, 2 * quota.seconds)
        counter.shared = cache.incr(key, pending_bytes)
    except Exception:  # cache backends raise different errors during an outage
        logger.warning("cannot count webhook quotas: cache unavailable")
    else:
        counter.pending -= pending_bytes
