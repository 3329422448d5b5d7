"""Byte quotas of webhook deliveries, counted for each source in the shared cache.

What a hook delivers is counted against the hook. What is refused is counted against its sender and the hook it named,
never against the sender alone: all of GitHub's hooks come from a few addresses, and a forger that sends through GitHub
must not stop the hooks of others.

Each process adds its bytes to the cache once a second or mebibyte, so a source may exceed its quota by a mebibyte for
each process: asking the cache for every delivery took longer than storing the delivery.
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
MAX_COUNTERS = 20_000  # sources that a process remembers


@dataclass(frozen=True, slots=True)
class Quota:
    """So many bytes in each window of so many seconds."""

    name: str
    max_bytes: int
    seconds: int

    def build_key(self, source: str) -> str:
        return f"hook-bytes:{self.name}:{source}:{int(time.time()) // self.seconds}"

    def remaining_seconds(self) -> int:
        """Return how long the current window still lasts."""
        return self.seconds - int(time.time()) % self.seconds


# A thousand deliveries of one mebibyte: far above what a busy repository sends in an hour.
ACCEPTED = Quota("accepted", 1024 * MEBIBYTE, 3600)
# What a hook can make the portal store until intake.BODY_KEPT is over; a busy repository sends some tens of mebibytes.
ACCEPTED_DAILY = Quota("accepted-daily", 2 * 1024 * MEBIBYTE, 24 * 3600)
# Short, so that a hook whose secret was mistyped works within a minute of being corrected.
REFUSED = Quota("refused", 64 * MEBIBYTE, 60)


@dataclass(slots=True)
class Counter:
    """The bytes of a source in one window: those in the cache, and those that this process has not added yet."""

    shared: int = 0
    pending: int = 0
    synced_at: float = -math.inf


_COUNTERS: dict[str, Counter] = {}


def get_wait(sender: str, hook: UUID | None, size: int) -> int:
    """Return how many seconds a delivery has to wait; 0 when there is room. `hook` is None for one that is unknown.

    Without the cache each process counts alone: a delivery that was turned away would be lost, as GitHub does not
    repeat it.
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
    """Add bytes to a source and return its total, as far as this process knows."""
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
    added = counter.pending
    try:
        cache.add(key, 0, 2 * quota.seconds)
        counter.shared = cache.incr(key, added)
    except Exception:  # whatever the cache raises while it is away
        logger.warning("The byte quotas of webhooks cannot be counted: the cache does not answer.")
    else:
        counter.pending -= added
